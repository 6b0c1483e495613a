package dev.veridex.benchmarks;

import dev.veridex.Domain;
import dev.veridex.access.AccessSettings;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.Loop;
import dev.veridex.common.Namespace;
import dev.veridex.documents.publish.Publishers;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.ReceiveResult;
import dev.veridex.http.helidon.HelidonServer;
import dev.veridex.http.routes.documents.DocumentRoutes;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.Snapshot;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.tenancy.Account;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/// A domain with one bucket of documents, and a server in front of it for whoever wants one.
final class DocumentWorld implements AutoCloseable {
  static final String BUCKET = "offers";
  static final Namespace ACME = new Namespace("acme", Optional.empty());
  static final String TARGET = "/v1/accounts/acme/buckets/" + BUCKET + "/documents";

  private final Path folder = Data.folder();
  final RocksStore store = Data.store(folder.resolve("store"), InstantSource.system());
  final Domain domain =
      Domain.on(
          store,
          new Domain.Parts(
              new SecureRandom(),
              () -> ThreadLocalRandom.current().nextLong(),
              Domain.itemVersions(),
              _ -> false,
              new AccessSettings(1L << 30, AccessSettings.PAST_RETENTION, Runnable::run)));
  final Caller caller;
  final ActingCaller actor;
  final BucketLocation location;
  final int shards;
  private Optional<HelidonServer> server = Optional.empty();

  DocumentWorld() {
    Token root = domain.tenancy().tokens().adoptRoot(HttpCalls.SECRET);
    caller = Caller.of(root);
    actor = new ActingCaller(caller, Optional.empty());
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    domain
        .buckets()
        .buckets()
        .put(
            caller,
            ACME,
            BUCKET,
            DocumentSettings.TYPE,
            Bucket.Definition.PLAIN.settling(DocumentSettings.USUAL),
            Optional.empty(),
            Optional.empty());
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found =
          domain.buckets().lookup().find(snapshot, ACME, BUCKET).orElseThrow();
      location = found.data(found.bucket().side());
      shards = DocumentSettings.of(found.bucket()).shardCount();
    }
    // The first one settles the schema, which the others would quarrel about.
    receive(DocumentData.messages(1));
  }

  /// Receives documents, each of which must be accepted as new.
  void receive(List<DocumentInput> inputs) {
    for (ReceiveResult result :
        domain.documents().receiver().receive(actor, ACME, BUCKET, inputs).results()) {
      if (!(result instanceof ReceiveResult.Accepted)) {
        throw new IllegalStateException(result.toString());
      }
    }
  }

  /// Receives many documents, as fast as may be.
  void fill(int count) {
    AtomicLong left = new AtomicLong(count);
    Driver.inParallel(
        4,
        () -> {
          for (long rest = left.getAndAdd(-DocumentData.BATCH);
              rest > 0;
              rest = left.getAndAdd(-DocumentData.BATCH)) {
            receive(DocumentData.messages((int) Math.min(rest, DocumentData.BATCH)));
          }
        });
  }

  /// Sends everything that is queued.
  ///
  /// @param count how many documents that will be
  void drain(long count) {
    Publishers publishers = domain.documents().publishers();
    long before = publishers.counts().elements().sum();
    while (publishers.counts().elements().sum() - before < count) {
      publishers.runOnce();
    }
    if (publishers.counts().failed().sum() + publishers.counts().superseded().sum() > 0) {
      throw new IllegalStateException("not everything was sent");
    }
  }

  /// How many documents were received and not sent yet.
  long waiting() {
    return domain.documents().queues().states(actor, ACME, BUCKET).stream()
        .mapToLong(state -> state.elements())
        .sum();
  }

  /// Sends documents as they come, as a server does.
  Loop indexing() {
    return Loop.start("indexers", domain.documents().publishers(), Duration.ZERO);
  }

  /// The port of a server.
  int port() {
    if (server.isEmpty()) {
      server =
          Optional.of(
              HelidonServer.start(
                  HttpCalls.config(),
                  HttpCalls.gateway(
                      store,
                      InstantSource.system(),
                      new DocumentRoutes(
                              domain.documents().receiver(),
                              domain.documents().reader(),
                              domain.documents().epochs(),
                              store.seal())
                          .routes()),
                  System::nanoTime,
                  System.getLogger("benchmark")));
    }
    return server.get().port();
  }

  @Override
  public void close() {
    server.ifPresent(HelidonServer::close);
    store.close();
    Data.delete(folder);
  }
}
