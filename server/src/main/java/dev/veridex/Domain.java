package dev.veridex;

import dev.veridex.access.AccessAnswers;
import dev.veridex.access.AccessChanges;
import dev.veridex.access.AccessIndex;
import dev.veridex.access.AccessLists;
import dev.veridex.access.AccessRebuild;
import dev.veridex.access.AccessSettings;
import dev.veridex.access.AccessStates;
import dev.veridex.access.AccessVisibility;
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
import dev.veridex.buckets.ContentCheck;
import dev.veridex.buckets.Directory;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.Holdings;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.buckets.Promotions;
import dev.veridex.buckets.QueueSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.buckets.Upgrades;
import dev.veridex.buckets.UsageSweeper;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.documents.DocumentContents;
import dev.veridex.documents.DocumentSystem;
import dev.veridex.items.ItemContents;
import dev.veridex.items.ItemResources;
import dev.veridex.items.ItemStore;
import dev.veridex.items.ItemUpgrades;
import dev.veridex.items.ItemVersions;
import dev.veridex.items.Items;
import dev.veridex.items.local.LocalItemStore;
import dev.veridex.queue.MessageQueues;
import dev.veridex.queue.QueueCleaner;
import dev.veridex.queue.QueueCleaner.Cleaned;
import dev.veridex.queue.QueueCleanup;
import dev.veridex.queue.QueueContents;
import dev.veridex.search.Arrivals;
import dev.veridex.store.Store;
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
    AccessVisibility accessVisibility,
    AccessChanges accessChanges,
    CompiledIndexes compiledIndexes,
    AccessRebuild accessRebuild,
    Topics topics,
    Arrivals arrivals,
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
  public static Map<String, ContentCheck.Contents> contents(ItemVersions items) {
    return Map.of(
        ItemVersions.TYPE,
        new ItemContents(items),
        DocumentSettings.TYPE,
        new DocumentContents(),
        QueueSettings.TYPE,
        new QueueContents());
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
    Buckets buckets = new Buckets(store, administration, incarnations, directory, access, types);
    Upgrades upgrades = new Upgrades(buckets, directory, incarnations, types);
    Arrivals arrivals = new Arrivals();
    Topics topics =
        arrivals.announcing(new LocalTopics(store, TOPIC_RETENTION, directory::isThere));
    ResourceRights rights = resourceRights(answers);
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
        new Items(store, directory, access, rights, parts.items, parts.ids),
        new ItemUpgrades(store, upgrades, directory, access, parts.items),
        new Owners(store, tokens, parts.issuers),
        new UsageSweeper(store),
        new Cleaner(store, incarnations),
        new AccessIndex(store, indexes, administration, audit, locks, compiled, signals),
        answers,
        new AccessLists(states, new ItemResources(directory, access, parts.items)::list),
        new AccessWhatIf(states),
        new AccessVisibility(states),
        new AccessChanges(store, indexes, administration, signals, parts.access.pastRetention()),
        compiled,
        new AccessRebuild(store, indexes, administration, incarnations, audit, locks, compiled),
        topics,
        arrivals,
        DocumentSystem.of(
            new DocumentSystem.Parts(
                store, directory, access, rights, buckets, topics, NODE, parts.ids)),
        new MessageQueues(
            store,
            new ResourceAccess(
                directory,
                access,
                rights,
                QueueSettings.TYPE,
                () -> Problem.of(ErrorCode.NOT_FOUND, "there is no such message"))),
        new QueueCleaner(store, directory, Domain::cleaned));
  }

  private static List<Cleaned> cleaned(Directory.Found found) {
    return switch (found.bucket().wanted().settings()) {
      case ItemSettings _ -> List.of();
      case DocumentSettings _ -> DocumentSystem.cleaned(found);
      case QueueSettings settings ->
          List.of(
              new Cleaned(
                  MessageQueues.queue(found),
                  new QueueCleanup.Rules(
                      settings.shardCount(),
                      Optional.of(settings.groupTtl()),
                      settings.retention(),
                      Optional.of(found))));
    };
  }

  /// The rights on single items and documents are those of the access index.
  private static ResourceRights resourceRights(AccessAnswers answers) {
    return (reader, scope, bucket, subject, resource, right) ->
        (answers.rights(reader, scope, Question.inBucket(subject, resource, bucket)) & bit(right))
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
