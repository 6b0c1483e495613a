package dev.veridex;

import dev.veridex.access.AccessIndex;
import dev.veridex.access.AccessIndexRebuild;
import dev.veridex.access.AccessIndexStates;
import dev.veridex.access.AccessSettings;
import dev.veridex.access.ChangeFeed;
import dev.veridex.access.ChangeSignals;
import dev.veridex.access.CompiledIndexes;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.RightsLists;
import dev.veridex.access.ScopeLocks;
import dev.veridex.access.Visibility;
import dev.veridex.access.WhatIf;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.LiveGrants;
import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.statement.Rights;
import dev.veridex.buckets.BucketAccess;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.BucketTypes;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.buckets.Promotions;
import dev.veridex.buckets.QueueSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.buckets.TypeUpgrades;
import dev.veridex.buckets.UsageReport;
import dev.veridex.buckets.UsageSweeper;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.documents.DocumentIntegrity;
import dev.veridex.documents.DocumentSystem;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Tokens;
import dev.veridex.items.ItemIntegrity;
import dev.veridex.items.ItemResources;
import dev.veridex.items.ItemStore;
import dev.veridex.items.ItemUpgrades;
import dev.veridex.items.ItemVersions;
import dev.veridex.items.Items;
import dev.veridex.items.local.LocalItemStore;
import dev.veridex.queue.MessageQueues;
import dev.veridex.queue.QueueCleaner;
import dev.veridex.queue.QueueCleaner.QueueRules;
import dev.veridex.queue.QueueCleanup;
import dev.veridex.queue.QueueIntegrity;
import dev.veridex.search.indexing.TopicSignals;
import dev.veridex.store.Store;
import dev.veridex.tenancy.Accounts;
import dev.veridex.tenancy.AdminChanges;
import dev.veridex.tenancy.DeletionCleaner;
import dev.veridex.tenancy.Environments;
import dev.veridex.tenancy.IncarnationRecords;
import dev.veridex.tenancy.OwnerPresence;
import dev.veridex.tenancy.Services;
import dev.veridex.topic.Topics;
import dev.veridex.topic.local.LocalTopics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// All that the server does, on one store, without the network.
public record Domain(
    AuditLog audit,
    Tokens tokens,
    Accounts accounts,
    Environments environments,
    Services services,
    BucketLookup lookup,
    Buckets buckets,
    UsageReport usageReport,
    TypeUpgrades upgrades,
    Promotions promotions,
    Items items,
    ItemUpgrades itemUpgrades,
    OwnerPresence owners,
    UsageSweeper usageSweeper,
    DeletionCleaner cleaner,
    AccessIndex accessIndex,
    RightsChecker accessAnswers,
    RightsLists accessLists,
    WhatIf accessWhatIf,
    Visibility accessVisibility,
    ChangeFeed accessChanges,
    CompiledIndexes compiledIndexes,
    AccessIndexRebuild accessRebuild,
    Topics topics,
    TopicSignals signals,
    DocumentSystem documents,
    MessageQueues messageQueues,
    QueueCleaner queueCleaner) {

  /// How long a topic in the store keeps messages. An index that comes later has all of them sent
  /// anew from the registry.
  static final Duration TOPIC_RETENTION = Duration.ofDays(7);

  /// How long messages are kept that indexes have read: whoever is told of changes may be away so
  /// long.
  static final Duration CHANGES_RETENTION = Duration.ofDays(1);

  /// A folder has one process at a time, so whoever opens it goes on at once with what the one
  /// before had taken. Nodes that share a database need a name each.
  private static final String NODE = "the only one";

  /// What a domain is made of, besides its store.
  ///
  /// @param secrets an unpredictable source: the secrets of tokens come from it
  /// @param ids a source of what only has to differ
  /// @param items the versions of buckets of items
  /// @param issuers whether an issuer may vouch for somebody in a scope
  /// @param access how access indexes are kept
  public record Parts(
      RandomGenerator secrets,
      RandomGenerator ids,
      ItemVersions items,
      Predicate<Scope> issuers,
      AccessSettings access) {}

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
        QueueSettings.TYPE,
        new QueueIntegrity());
  }

  /// Puts everything together.
  public static Domain on(Store store, Parts parts) {
    IncarnationRecords incarnations = new IncarnationRecords();
    AuditLog audit = new AuditLog(incarnations);
    Tokens tokens = new Tokens(store, audit, incarnations, parts.secrets);
    AdminChanges administration = new AdminChanges(store, audit, incarnations);
    Services services = new Services(store, administration, incarnations);
    BucketLookup lookup = new BucketLookup(administration, incarnations);
    AccessIndexLocator indexes = new AccessIndexLocator(incarnations, parts.access.pastRetention());
    ScopeLocks locks = new ScopeLocks();
    ChangeSignals changeSignals = new ChangeSignals();
    CompiledIndexes compiled =
        new CompiledIndexes(store, indexes, parts.access.memoryBytes(), parts.access.loader());
    AccessIndexStates states =
        new AccessIndexStates(
            store,
            indexes,
            administration,
            (_, _) -> LiveGrants.NONE,
            compiled,
            parts.access.pastRetention());
    RightsChecker answers = new RightsChecker(states);
    BucketAccess access = new BucketAccess(services, answers::groups);
    SortedSet<Integer> first = new TreeSet<>(Set.of(1));
    BucketTypes types =
        new BucketTypes(
            Map.of(
                ItemVersions.TYPE,
                parts.items.versions(),
                DocumentSettings.TYPE,
                first,
                QueueSettings.TYPE,
                first));
    Buckets buckets = new Buckets(store, administration, incarnations, lookup, access, types);
    TypeUpgrades upgrades = new TypeUpgrades(buckets, lookup, incarnations, types);
    TopicSignals signals = new TopicSignals();
    Topics topics = signals.announcing(new LocalTopics(store, TOPIC_RETENTION, lookup::isThere));
    ResourceRights rights = resourceRights(answers);
    return new Domain(
        audit,
        tokens,
        new Accounts(store, audit, incarnations),
        new Environments(store, administration, incarnations),
        services,
        lookup,
        buckets,
        new UsageReport(store, administration, lookup, access),
        upgrades,
        new Promotions(store, administration, lookup, buckets, incarnations),
        new Items(store, lookup, access, rights, parts.items, parts.ids),
        new ItemUpgrades(store, upgrades, lookup, access, parts.items),
        new OwnerPresence(store, tokens, parts.issuers),
        new UsageSweeper(store),
        new DeletionCleaner(store, incarnations),
        new AccessIndex(store, indexes, administration, audit, locks, compiled, changeSignals),
        answers,
        new RightsLists(states, new ItemResources(lookup, access, parts.items)::list),
        new WhatIf(states),
        new Visibility(states),
        new ChangeFeed(store, indexes, administration, changeSignals, parts.access.pastRetention()),
        compiled,
        new AccessIndexRebuild(
            store, indexes, administration, incarnations, audit, locks, compiled),
        topics,
        signals,
        DocumentSystem.of(
            new DocumentSystem.Parts(
                store, lookup, access, rights, buckets, topics, NODE, parts.ids)),
        new MessageQueues(
            store,
            new ResourceAccess(
                lookup,
                access,
                rights,
                QueueSettings.TYPE,
                () -> Problem.of(ErrorCode.NOT_FOUND, "there is no such message"))),
        new QueueCleaner(store, lookup, Domain::cleaned));
  }

  private static List<QueueRules> cleaned(BucketLookup.LocatedBucket found) {
    return switch (found.bucket().wanted().settings()) {
      case ItemSettings _ -> List.of();
      case DocumentSettings _ -> DocumentSystem.cleaned(found);
      case QueueSettings settings ->
          List.of(
              new QueueRules(
                  MessageQueues.queue(found),
                  new QueueCleanup.Rules(
                      settings.shardCount(),
                      Optional.of(settings.groupTtl()),
                      settings.retention(),
                      Optional.of(found))));
    };
  }

  /// The rights on single items and documents are those of the access index.
  private static ResourceRights resourceRights(RightsChecker answers) {
    return (reader, scope, bucket, subject, resource, right) ->
        (answers.rights(reader, scope, CheckRequest.inBucket(subject, resource, bucket))
                & bit(right))
            != 0;
  }

  private static int bit(ResourceRights.Right right) {
    return switch (right) {
      case CREATE -> Rights.CREATE;
      case READ -> Rights.READ;
      case UPDATE -> Rights.UPDATE;
      case DELETE -> Rights.DELETE;
    };
  }
}
