package dev.veridex.search.indexing;

import com.google.protobuf.Timestamp;
import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.MutableClock;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.index.IndexView;
import dev.veridex.index.SearchIndexes;
import dev.veridex.index.lucene.CrashingIndexes;
import dev.veridex.protocol.Action;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import dev.veridex.store.Snapshot;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.tenancy.Account;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A bucket of documents and its index, with a clock and disks that the test owns.
public abstract class IndexerWorld {
  public static final Duration KEPT = Duration.ofDays(1);

  public final MutableClock clock = MutableClock.daysAgo(0);
  public final MemoryStore store =
      new MemoryStore(
          new MemoryDisk(new Random(1)), clock, Duration.ofHours(1), Duration.ofDays(7));
  public final CrashingIndexes indexes = new CrashingIndexes(new Random(1));
  private final Random random = new Random(7);
  public final Domain domain =
      Domain.on(
          store,
          new Domain.Parts(random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
  final Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
  public IndexerPool indexers = feed(domain.documents().topics());
  private int versions;

  @BeforeEach
  void arrange() {
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    bucket("offers");
  }

  final void bucket(String name) {
    domain
        .buckets()
        .buckets()
        .put(
            Caller.of(root),
            TestDomain.ACME,
            name,
            "documents",
            Bucket.Definition.PLAIN.settling(DocumentSettings.USUAL),
            Optional.empty(),
            Optional.empty());
  }

  @AfterEach
  void close() {
    indexers.stop();
    store.close();
  }

  public final IndexerPool feed(Topics topics) {
    return feed(topics, indexes);
  }

  public final IndexerPool feed(Topics topics, SearchIndexes kept) {
    return feed(topics, kept, Runnable::run);
  }

  final IndexerPool feed(Topics topics, SearchIndexes kept, Executor workers) {
    return new IndexerPool(
        store,
        domain.documents().generations(),
        topics,
        kept,
        domain.documents().signals(),
        KEPT,
        KEPT,
        () -> 0,
        domain.documents().refusals(),
        workers,
        Runnable::run);
  }

  final IndexGeneration generation() {
    return generation("offers");
  }

  final IndexGeneration generation(String bucket) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found =
          domain.buckets().lookup().find(snapshot, TestDomain.ACME, bucket).orElseThrow();
      return new IndexGeneration(found.data(found.bucket().side()), 1);
    }
  }

  public final DocumentInput document(String pk, String field) {
    return input(
        next(pk, Action.UPSERT)
            .addFields(
                Field.newBuilder().setName(field).addValues(Value.newBuilder().setInteger(1))));
  }

  final DocumentInput deletion(String pk) {
    return input(next(pk, Action.DELETE));
  }

  private RawDocument.Builder next(String pk, Action action) {
    return RawDocument.newBuilder()
        .setPk(pk)
        .setEpoch(1)
        .setVersion(++versions)
        .setModifiedAt(Timestamp.newBuilder().setSeconds(clock.instant().getEpochSecond()))
        .setAction(action);
  }

  private static DocumentInput input(RawDocument.Builder document) {
    return new DocumentInput.Parsed(document.build(), List.of());
  }

  public final void receive(String pk, String field) {
    receive(List.of(document(pk, field)));
  }

  public final void receive(List<DocumentInput> documents) {
    receive("offers", documents);
  }

  final void receive(String bucket, List<DocumentInput> documents) {
    domain.documents().receiver().receive(actor(), TestDomain.ACME, bucket, documents);
    send();
  }

  /// Sends what there is to send.
  final void send() {
    while (domain.documents().publishers().runOnce()) {}
  }

  public final Map<String, String> held() {
    while (indexers.runAll()) {}
    Map<String, String> held = new TreeMap<>();
    try (IndexView view = indexers.view(generation())) {
      view.each(
          clock.instant(), each -> held.put(each.pk(), each.document().getFields(0).getName()));
    }
    return held;
  }

  public final ActingCaller actor() {
    return new ActingCaller(Caller.of(root), Optional.empty());
  }

  final List<String> drift() {
    return new SearchIntegrity(store, domain.documents().generations(), indexers)
        .run(_ -> {})
        .drift();
  }
}
