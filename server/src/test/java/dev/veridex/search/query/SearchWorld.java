package dev.veridex.search.query;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.acl.Acl;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.MutableClock;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.documents.receive.ReceiveResult;
import dev.veridex.documents.registry.SchemaChange;
import dev.veridex.identity.Caller;
import dev.veridex.identity.MintResult;
import dev.veridex.identity.Token;
import dev.veridex.identity.TokenRequest;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndexes;
import dev.veridex.index.lucene.CachingIndexes;
import dev.veridex.json.JsonText;
import dev.veridex.search.indexing.IndexerPool;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.tenancy.Account;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/// A bucket of documents, the rights in its account, and searches in it: all that there is but the
/// network.
final class SearchWorld implements AutoCloseable {
  static final String BUCKET = "b";

  /// Anybody may search, as far as rights go.
  private static final Acl EVERYBODY =
      new Acl(
          Map.of(
              Acl.Action.READ,
              List.of(
                  new Acl.Entry(
                      Optional.of(
                          new Acl.Condition(Optional.of(List.of(Acl.EVERYBODY)), Optional.empty())),
                      Optional.empty()))));

  /// The time that passes for indexers.
  final AtomicLong nanos = new AtomicLong();

  final Store store;
  final Domain domain;
  final IndexerPool indexers;
  final Searcher search;
  final Token root;
  private final SearchIndexes indexes;
  private final ExecutorService threads;

  /// @param folder where the index is
  SearchWorld(Store store, Path folder, DocumentSettings settings, int threads) {
    this(store, folder, settings, threads, domain -> domain.access().visibility()::open);
  }

  /// @param accessSnapshots how searches come by the state of rights
  SearchWorld(
      Store store,
      Path folder,
      DocumentSettings settings,
      int threads,
      Function<Domain, AccessSnapshots> accessSnapshots) {
    this.store = store;
    Random random = new Random(7);
    this.domain =
        Domain.on(
            store,
            new Domain.Parts(
                random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
    this.root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
    this.indexes = CachingIndexes.on(folder);
    this.indexers =
        new IndexerPool(
            store,
            domain.documents().generations(),
            domain.documents().topics(),
            indexes,
            domain.documents().signals(),
            Duration.ofDays(7),
            Duration.ofDays(1),
            nanos::get,
            domain.documents().refusals(),
            Runnable::run,
            Runnable::run);
    this.threads = Executors.newFixedThreadPool(threads);
    this.search =
        new Searcher(
            store,
            domain.buckets().lookup(),
            domain.documents().access(),
            domain.documents().generations(),
            accessSnapshots.apply(domain),
            indexers,
            this.threads,
            1);
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    bucket(BUCKET, settings);
  }

  /// Makes a bucket of documents.
  void bucket(String name, DocumentSettings settings) {
    domain
        .buckets()
        .buckets()
        .put(
            Caller.of(root),
            TestDomain.ACME,
            name,
            DocumentSettings.TYPE,
            new Bucket.Definition(
                Optional.of(EVERYBODY),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Bucket.Placement.SHARED,
                settings),
            Optional.empty(),
            Optional.empty());
  }

  static Store inMemory() {
    return inMemory(MutableClock.daysAgo(0));
  }

  static Store inMemory(MutableClock clock) {
    return new MemoryStore(
        new MemoryDisk(new Random(1)), clock, Duration.ofHours(1), Duration.ofDays(7));
  }

  /// Usual settings, but for the field that names resources.
  static DocumentSettings settings(Optional<String> resourceField) {
    DocumentSettings usual = DocumentSettings.USUAL;
    return new DocumentSettings(
        true, "", Optional.empty(), usual.tombstoneRetention(), false, resourceField);
  }

  /// How often anything was written to the index.
  long written() {
    return indexes.written();
  }

  void settle(Schema schema) {
    domain
        .documents()
        .epochs()
        .settle(Caller.of(root), TestDomain.ACME, BUCKET, 1, SchemaChange.to(schema));
  }

  static JsonNode node(String json) {
    return JsonText.read(json.replace('\'', '"').getBytes(UTF_8));
  }

  /// Stores documents, and waits until they can be found.
  void receive(List<JsonNode> documents) {
    accept(documents);
    index();
  }

  /// Waits until what was accepted can be found.
  void index() {
    while (domain.documents().publishers().runAll()) {}
    while (indexers.runAll()) {}
  }

  /// Stores documents; nobody finds them yet.
  void accept(List<JsonNode> documents) {
    List<DocumentInput> inputs = new ArrayList<>();
    documents.forEach(each -> inputs.add(DocumentJson.read(each)));
    domain
        .documents()
        .receiver()
        .receive(actor(), TestDomain.ACME, BUCKET, inputs)
        .results()
        .stream()
        .filter(result -> !(result instanceof ReceiveResult.Accepted))
        .forEach(
            result -> {
              throw new AssertionError(result.toString());
            });
  }

  void state(List<JsonNode> statements) {
    domain
        .access()
        .index()
        .put(root, TestDomain.ACME, statements.stream().map(MessageInput::of).toList());
  }

  /// A token of a user of the account.
  Token token(String subject) {
    TokenRequest request =
        new TokenRequest(
            TestDomain.ACME.scope(),
            false,
            Optional.of(subject),
            new TreeSet<>(),
            Optional.empty(),
            Set.of(),
            Optional.empty());
    return ((MintResult.Minted) domain.tenancy().tokens().mint(root, request)).token();
  }

  ActingCaller actor() {
    return new ActingCaller(Caller.of(root), Optional.empty());
  }

  ActingCaller as(String subject) {
    return new ActingCaller(Caller.of(root), Optional.of(subject));
  }

  IndexGeneration generation() {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found =
          domain.buckets().lookup().find(snapshot, TestDomain.ACME, BUCKET).orElseThrow();
      return new IndexGeneration(found.data(found.bucket().side()), 1);
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    search.close();
    indexers.stop();
    indexes.close();
    store.close();
  }
}
