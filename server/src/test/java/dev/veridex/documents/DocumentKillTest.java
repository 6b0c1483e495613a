package dev.veridex.documents;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ChildJvm;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Loop;
import dev.veridex.common.Seeds;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.DocumentModel.Doc;
import dev.veridex.documents.publish.Converter;
import dev.veridex.documents.publish.DocumentQueues;
import dev.veridex.documents.publish.PublishCounters;
import dev.veridex.documents.publish.ShardPublisher;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.ReceiveResult;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registries;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.protocol.Action;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import dev.veridex.queue.ReaderGroup;
import dev.veridex.store.Snapshot;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import dev.veridex.tenancy.Account;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Kills a process again and again that receives documents while it sends them to a topic. What it
/// acknowledged must be known afterwards, and when the rest is sent, an index is what the registry
/// says.
final class DocumentKillTest {
  private static final int DOCUMENTS = 20_000;
  private static final int BATCH = 5;
  private static final int KILLS_A_STORE = 10;
  private static final String BUCKET = "offers";

  @TempDir private Path parent;

  /// Upserts and deletes of a few keys, later ones mostly newer.
  private static List<Doc> history() {
    Random random = new Random(Seeds.first());
    List<Doc> docs = new ArrayList<>();
    for (int i = 0; i < DOCUMENTS; i++) {
      long version = Math.max(0, i / 10 + random.nextInt(-3, 3));
      docs.add(
          new Doc(
              "pk" + random.nextInt(200),
              new VersionTuple(1, version, 1_000_000L * random.nextInt(5)),
              random.nextInt(5) == 0,
              i,
              false,
              Optional.empty()));
    }
    return docs;
  }

  private static RawDocument document(Doc doc) {
    return RawDocument.newBuilder()
        .setPk(doc.pk())
        .setEpoch(doc.tuple().epoch())
        .setVersion(doc.tuple().version())
        .setModifiedAt(Timestamp.newBuilder().setSeconds(doc.tuple().modifiedAt().getEpochSecond()))
        .setAction(doc.delete() ? Action.DELETE : Action.UPSERT)
        .addFields(
            Field.newBuilder().setName("n").addValues(Value.newBuilder().setInteger(doc.n())))
        .build();
  }

  private static RocksStore open(Path folder) {
    InstantSource system = InstantSource.system();
    return RocksStore.open(folder, RocksSettings.DEFAULT, system, system, new Random(1));
  }

  /// Another one each time, as processes are.
  private static Domain domain(RocksStore store) {
    Random random = new Random(store.revision().sequence());
    return Domain.on(
        store,
        new Domain.Parts(random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
  }

  private static Token begin(Domain domain) {
    Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    domain
        .buckets()
        .buckets()
        .put(
            Caller.of(root),
            TestDomain.ACME,
            BUCKET,
            "documents",
            Bucket.Definition.PLAIN.settling(DocumentSettings.USUAL),
            Optional.empty(),
            Optional.empty());
    return root;
  }

  private static List<ReceiveResult> receive(Domain domain, Token root, List<Doc> docs) {
    return domain
        .documents()
        .receiver()
        .receive(
            new ActingCaller(Caller.of(root), Optional.empty()),
            TestDomain.ACME,
            BUCKET,
            docs.stream()
                .<DocumentInput>map(doc -> new DocumentInput.Parsed(document(doc), List.of()))
                .toList())
        .results();
  }

  @Test
  @Tag("campaign")
  void whatWasAcknowledgedSurvivesAKillAndIsSent() throws Exception {
    int kills = Campaign.DOCUMENTS_KILLS.size();
    SplittableRandom random = new SplittableRandom(Seeds.first());
    int acknowledged = 0;
    for (int kill = 0; kill < kills; kill++) {
      Path folder = parent.resolve("store" + kill / KILLS_A_STORE);
      acknowledged = kill % KILLS_A_STORE == 0 ? 0 : acknowledged;
      int enough = acknowledged + random.nextInt(1, 400);
      Process process =
          ChildJvm.start(parent, Child.class, folder.toString(), String.valueOf(acknowledged));
      try (BufferedReader output = process.inputReader(UTF_8)) {
        String line = output.readLine();
        while (line != null) {
          if (line.matches("ack \\d+\\.")) {
            acknowledged = Integer.parseInt(line.substring(4, line.length() - 1));
          }
          if (acknowledged >= enough) {
            process.toHandle().destroyForcibly();
          }
          line = output.readLine();
        }
      }
      assertThat(process.waitFor()).as("killed, not failed").isEqualTo(137);
      check(folder, acknowledged);
    }
  }

  private static void check(Path folder, int acknowledged) {
    try (RocksStore store = open(folder)) {
      Domain domain = domain(store);
      Token root = begin(domain);
      assertThat(
              new ContentIntegrity(store, Domain.contents(Domain.itemVersions()))
                  .run(_ -> {})
                  .drift())
          .isEmpty();
      List<Doc> docs = history();
      DocumentModel model = new DocumentModel();
      docs.subList(0, acknowledged).forEach(model::receive);
      // What was sent last may have been accepted without being acknowledged any more.
      int last = Math.min(docs.size(), acknowledged + BATCH);
      List<ReceiveResult> again = receive(domain, root, docs.subList(0, last));
      docs.subList(acknowledged, last).forEach(model::receive);
      for (int i = 0; i < acknowledged; i++) {
        assertThat(again.get(i).status())
            .as("%s was acknowledged or refused before", docs.get(i))
            .isNotEqualTo("ACK");
      }
      drain(store, domain);
      Sink sink =
          new Sink(domain.documents().topics(), new IndexGeneration(place(store, domain), 1), 4);
      sink.run();
      assertThat(sink.found(Instant.now())).isEqualTo(model.generation(1, Instant.now()));
    }
  }

  private static BucketLocation place(RocksStore store, Domain domain) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found =
          domain.buckets().lookup().find(snapshot, TestDomain.ACME, BUCKET).orElseThrow();
      return found.data(found.bucket().side());
    }
  }

  /// As if nobody else had been there: what the dead one had taken is free at once.
  private static void drain(RocksStore store, Domain domain) {
    BucketLocation location = place(store, domain);
    for (int shard = 0; shard < 4; shard++) {
      int number = shard;
      ReaderGroup group = new ReaderGroup(DocumentQueues.main(location), DocumentQueues.PUBLISHERS);
      store.transact(
          transaction ->
              group.release(transaction, number, group.position(transaction, number).token()));
      ShardPublisher indexer =
          new ShardPublisher(
              new ShardPublisher.Tools(
                  store,
                  new Registries(domain.buckets().lookup(), Map.of()),
                  new Epochs.Store(),
                  domain.documents().topics(),
                  Converter.USUAL,
                  new PublishCounters(),
                  new Random(1)),
              new ShardPublisher.Work(location, DocumentQueues.MAIN, shard, 4),
              "the one who comes after");
      while (indexer.runOnce() > 0) {}
      indexer.release();
    }
  }

  /// Receives the history and says how far it has come.
  static final class Child {
    private Child() {}

    static void main(String[] arguments) {
      RocksStore store = open(Path.of(arguments[0]));
      Domain domain = domain(store);
      Token root = begin(domain);
      Loop indexers = Loop.start("indexers", domain.documents().publishers(), Duration.ZERO);
      List<Doc> docs = history();
      int from = Integer.parseInt(arguments[1]);
      // Some of what is there already comes again.
      receive(domain, root, docs.subList(Math.max(0, from - 50), from));
      while (from < docs.size()) {
        int to = Math.min(docs.size(), from + BATCH);
        receive(domain, root, docs.subList(from, to));
        from = to;
        System.out.println("ack " + from + ".");
        if (from % 100 == 0) {
          TestDomain.rebuild(domain, Caller.of(root), TestDomain.ACME, BUCKET);
        }
      }
      indexers.close();
    }
  }
}
