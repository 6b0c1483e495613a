package dev.veridex;

import dev.veridex.access.AccessSettings;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.StoredResources;
import dev.veridex.buckets.BucketAccess;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.buckets.QueueSettings;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.common.Scope;
import dev.veridex.documents.DocumentIntegrity;
import dev.veridex.grants.StoredGrants;
import dev.veridex.items.ItemIntegrity;
import dev.veridex.items.ItemResources;
import dev.veridex.items.ItemStore;
import dev.veridex.items.ItemVersions;
import dev.veridex.items.local.LocalItemStore;
import dev.veridex.objects.catalogue.ObjectIntegrity;
import dev.veridex.queue.QueueIntegrity;
import dev.veridex.store.Store;
import dev.veridex.tenancy.IncarnationRecords;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// The modules of the server on one store, without the network.
///
/// More than eight components: one for each module.
public record Domain(
    TenancyModule tenancy,
    AccessModule access,
    BucketsModule buckets,
    ItemsModule items,
    DocumentsModule documents,
    ObjectsModule objects,
    QueuesModule queues,
    GrantsModule grants,
    JobsModule jobs) {

  /// The constructor inputs of a domain, besides its store.
  ///
  /// @param secrets an unpredictable source: the secrets of tokens come from it
  /// @param ids a source of what only has to differ
  /// @param items the versions of buckets of items
  /// @param issuers whether an issuer may vouch for somebody in a scope
  /// @param access how access indexes are kept
  /// @param objectMode of buckets of objects that name none
  /// @param publishing runs the publishers of shards side by side
  /// @param strictScopes whether Global is for Global administrators alone
  public record Parts(
      RandomGenerator secrets,
      RandomGenerator ids,
      ItemVersions items,
      Predicate<Scope> issuers,
      AccessSettings access,
      ObjectSettings.Mode objectMode,
      Executor publishing,
      boolean strictScopes) {
    /// Inputs with the usual mode of buckets of objects, and one publisher after the other.
    public Parts(
        RandomGenerator secrets,
        RandomGenerator ids,
        ItemVersions items,
        Predicate<Scope> issuers,
        AccessSettings access) {
      this(
          secrets, ids, items, issuers, access, ObjectSettings.Mode.UNPAIRED, Runnable::run, false);
    }
  }

  /// The versions of buckets of items that there are.
  public static ItemVersions itemVersions() {
    SortedMap<Integer, ItemStore> versions = new TreeMap<>();
    versions.put(1, new LocalItemStore());
    return new ItemVersions(versions);
  }

  /// How to look at what is in buckets, by type.
  public static Map<String, ContentIntegrity.Contents> contents(ItemVersions items) {
    return Map.of(
        ItemVersions.TYPE,
        new ItemIntegrity(items),
        DocumentSettings.TYPE,
        new DocumentIntegrity(),
        ObjectSettings.TYPE,
        new ObjectIntegrity(),
        QueueSettings.TYPE,
        new QueueIntegrity());
  }

  /// Puts everything together.
  public static Domain on(Store store, Parts parts) {
    TenancyModule tenancy = TenancyModule.on(store, parts.secrets, parts.issuers, parts.ids);
    BucketLookup lookup = new BucketLookup(tenancy.administration(), new IncarnationRecords());
    AccessModule access =
        AccessModule.on(
            store,
            tenancy,
            parts.access,
            new StoredGrants(new IncarnationRecords()),
            checker -> stored(tenancy, lookup, checker, parts.items));
    ResourceRights rights = access.resourceRights();
    BucketsModule buckets =
        BucketsModule.on(store, tenancy, lookup, access.checker(), parts.items, parts.objectMode);
    DocumentsModule documents = DocumentsModule.on(store, tenancy, buckets, rights, parts);
    ItemsModule items = ItemsModule.on(store, tenancy, buckets, rights, parts.items, parts.ids);
    GrantsModule grants = GrantsModule.on(store, tenancy, access.grants(), parts.strictScopes);
    return new Domain(
        tenancy,
        access,
        buckets,
        items,
        documents,
        ObjectsModule.on(store, buckets, rights, documents, parts.access.pastRetention()),
        QueuesModule.on(store, tenancy, buckets, documents, rights),
        grants,
        JobsModule.on(
            store, tenancy.jobs(), List.of(tenancy, access, items, documents, grants), parts.ids));
  }

  private static StoredResources stored(
      TenancyModule tenancy, BucketLookup lookup, RightsChecker checker, ItemVersions items) {
    BucketAccess access = new BucketAccess(tenancy.services(), checker::groups);
    return new ItemResources(lookup, access, items)::list;
  }

  /// Its modules.
  List<ServerModule> modules() {
    return List.of(tenancy, buckets, access, items, documents, objects, queues, grants, jobs);
  }
}
