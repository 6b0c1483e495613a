package dev.veridex;

import dev.veridex.access.AccessAnswers;
import dev.veridex.access.AccessChanges;
import dev.veridex.access.AccessIndex;
import dev.veridex.access.AccessLists;
import dev.veridex.access.AccessRebuild;
import dev.veridex.access.AccessSettings;
import dev.veridex.access.AccessStates;
import dev.veridex.access.AccessWhatIf;
import dev.veridex.access.CompiledIndexes;
import dev.veridex.access.Grants;
import dev.veridex.access.Indexes;
import dev.veridex.access.Question;
import dev.veridex.access.Rights;
import dev.veridex.access.ScopeLocks;
import dev.veridex.access.Signals;
import dev.veridex.accounts.Accounts;
import dev.veridex.accounts.Administration;
import dev.veridex.accounts.AuditLog;
import dev.veridex.accounts.Cleaner;
import dev.veridex.accounts.Environments;
import dev.veridex.accounts.Owners;
import dev.veridex.accounts.Services;
import dev.veridex.accounts.StoredIncarnations;
import dev.veridex.accounts.Tokens;
import dev.veridex.buckets.Access;
import dev.veridex.buckets.BucketTypes;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.Directory;
import dev.veridex.buckets.Holdings;
import dev.veridex.buckets.Promotions;
import dev.veridex.buckets.Upgrades;
import dev.veridex.buckets.UsageSweeper;
import dev.veridex.common.Scope;
import dev.veridex.items.ItemResources;
import dev.veridex.items.ItemRights;
import dev.veridex.items.ItemStore;
import dev.veridex.items.ItemUpgrades;
import dev.veridex.items.ItemVersions;
import dev.veridex.items.Items;
import dev.veridex.items.local.LocalItemStore;
import dev.veridex.store.Store;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// All that the server does, on one store, without the network.
public record Domain(
    AuditLog audit,
    Tokens tokens,
    Accounts accounts,
    Environments environments,
    Services services,
    Directory directory,
    Buckets buckets,
    Holdings holdings,
    Upgrades upgrades,
    Promotions promotions,
    Items items,
    ItemUpgrades itemUpgrades,
    Owners owners,
    UsageSweeper usageSweeper,
    Cleaner cleaner,
    AccessIndex accessIndex,
    AccessAnswers accessAnswers,
    AccessLists accessLists,
    AccessWhatIf accessWhatIf,
    AccessChanges accessChanges,
    CompiledIndexes compiledIndexes,
    AccessRebuild accessRebuild) {

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

  /// Puts everything together.
  public static Domain on(Store store, Parts parts) {
    StoredIncarnations incarnations = new StoredIncarnations();
    AuditLog audit = new AuditLog(incarnations);
    Tokens tokens = new Tokens(store, audit, incarnations, parts.secrets);
    Administration administration = new Administration(store, audit, incarnations);
    Services services = new Services(store, administration, incarnations);
    Directory directory = new Directory(administration, incarnations);
    Indexes indexes = new Indexes(incarnations, parts.access.pastRetention());
    ScopeLocks locks = new ScopeLocks();
    Signals signals = new Signals();
    CompiledIndexes compiled =
        new CompiledIndexes(store, indexes, parts.access.memoryBytes(), parts.access.loader());
    AccessStates states =
        new AccessStates(
            store,
            indexes,
            administration,
            (_, _) -> Grants.NONE,
            compiled,
            parts.access.pastRetention());
    AccessAnswers answers = new AccessAnswers(states);
    Access access = new Access(services, answers::groups);
    BucketTypes types = new BucketTypes(Map.of(ItemVersions.TYPE, parts.items.versions()));
    Buckets buckets = new Buckets(store, administration, incarnations, directory, access, types);
    Upgrades upgrades = new Upgrades(buckets, directory, incarnations, types);
    return new Domain(
        audit,
        tokens,
        new Accounts(store, audit, incarnations),
        new Environments(store, administration, incarnations),
        services,
        directory,
        buckets,
        new Holdings(store, administration, directory, access),
        upgrades,
        new Promotions(store, administration, directory, buckets, incarnations),
        new Items(store, directory, access, itemRights(answers), parts.items, parts.ids),
        new ItemUpgrades(store, upgrades, directory, access, parts.items),
        new Owners(store, tokens, parts.issuers),
        new UsageSweeper(store),
        new Cleaner(store, incarnations),
        new AccessIndex(store, indexes, administration, audit, locks, compiled, signals),
        answers,
        new AccessLists(states, new ItemResources(directory, access, parts.items)::list),
        new AccessWhatIf(states),
        new AccessChanges(store, indexes, administration, signals, parts.access.pastRetention()),
        compiled,
        new AccessRebuild(store, indexes, administration, incarnations, audit, locks, compiled));
  }

  /// The rights on single items are those of the access index.
  private static ItemRights itemRights(AccessAnswers answers) {
    return (reader, scope, bucket, subject, resource, right) ->
        (answers.rights(reader, scope, Question.inBucket(subject, resource, bucket)) & bit(right))
            != 0;
  }

  private static int bit(ItemRights.Right right) {
    return switch (right) {
      case CREATE -> Rights.CREATE;
      case READ -> Rights.READ;
      case UPDATE -> Rights.UPDATE;
      case DELETE -> Rights.DELETE;
    };
  }
}
