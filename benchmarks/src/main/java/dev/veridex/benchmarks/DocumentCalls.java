package dev.veridex.benchmarks;

import dev.veridex.benchmarks.DocumentContest.Contender;
import dev.veridex.benchmarks.DocumentContest.Outcome;
import dev.veridex.benchmarks.DocumentStreams.Format;
import dev.veridex.store.rocks.RocksStore;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/// Documents received durably, in this process and over HTTP, one by one and in bulk: next to our
/// store writing the same records unasked, and next to PostgreSQL doing the same work.
///
/// Nothing is sent on meanwhile: what that takes is measured by itself.
final class DocumentCalls {
  private static final int[] IN_FLIGHT = {1, 16, 64};
  private static final int[] BULK = {1, 4};

  private DocumentCalls() {}

  /// @param parts `receive`, `bulk`, `queue`, `rebuild`, `amplification`, `postgres`; none: all of
  ///   them
  static void run(List<String> parts) {
    for (String part :
        parts.isEmpty()
            ? List.of("receive", "bulk", "queue", "rebuild", "amplification", "postgres")
            : parts) {
      switch (part) {
        case "receive" -> receive();
        case "bulk" -> bulk();
        case "queue" -> DocumentDelivery.send();
        case "rebuild" -> DocumentDelivery.rebuild();
        case "amplification" -> DocumentDisk.run();
        case "postgres" -> postgres();
        default -> throw new IllegalArgumentException("no part " + part);
      }
    }
  }

  private static void receive() {
    System.out.printf("%nreceive: documents of %d bytes, new ones%n", DocumentData.BYTES);
    DocumentContest.header("in flight", "one small commit");
    List<Outcome> alone = new ArrayList<>();
    for (int inFlight : IN_FLIGHT) {
      try (Raw raw = new Raw();
          DocumentWorld direct = new DocumentWorld();
          DocumentWorld remote = new DocumentWorld()) {
        List<Outcome> outcomes =
            DocumentContest.compare(
                inFlight, List.of(commit(raw), one(direct), oneOverHttp(remote)));
        if (inFlight == 1) {
          alone = outcomes;
        }
      }
    }
    latency(alone);
  }

  private static void bulk() {
    System.out.printf("%nbulk: documents of %d bytes, new ones%n", DocumentData.BYTES);
    DocumentContest.header("threads or streams", "our store's batches");
    for (int threads : BULK) {
      bulk(threads);
    }
  }

  private static void latency(List<Outcome> outcomes) {
    Driver.Result commit = outcomes.getFirst().median();
    System.out.println();
    for (Outcome outcome : outcomes.subList(1, outcomes.size())) {
      System.out.printf(
          "one in flight, %s: p50 %.2f and p99 %.2f of one small commit%n",
          outcome.name(),
          (double) outcome.median().p50Micros() / commit.p50Micros(),
          (double) outcome.median().p99Micros() / commit.p99Micros());
    }
  }

  private static void bulk(int threads) {
    try (Raw raw = new Raw();
        DocumentWorld messages = new DocumentWorld();
        DocumentWorld texts = new DocumentWorld();
        DocumentWorld lines = new DocumentWorld();
        DocumentWorld protobuf = new DocumentWorld()) {
      List<Outcome> outcomes =
          DocumentContest.compare(
              threads,
              List.of(
                  Contender.calls(
                          "our store's batches",
                          DocumentData.BATCH,
                          true,
                          () -> DocumentRaw.transact(raw.store, DocumentData.BATCH))
                      .telling(() -> raw.store.revision().sequence()),
                  Contender.calls(
                      "RocksDB's batches",
                      DocumentData.BATCH,
                      false,
                      () -> DocumentRaw.write(raw.rocks, DocumentData.BATCH)),
                  messages(messages),
                  Contender.calls(
                          "in process, from JSON text",
                          DocumentData.BATCH,
                          true,
                          () -> texts.receive(DocumentData.parsed(DocumentData.BATCH)))
                      .telling(() -> texts.store.revision().sequence()),
                  stream("HTTP, JSON lines", lines, Format.LINES),
                  stream("HTTP, protobuf", protobuf, Format.PROTOBUF)));
      double batches = outcomes.getFirst().median().perSecond();
      for (Outcome outcome : outcomes.subList(2, outcomes.size())) {
        DocumentContest.goal(
            outcome.name() + " against our store's batches",
            outcome.median().perSecond() / batches,
            true,
            0.5);
      }
    }
  }

  private static void postgres() {
    System.out.printf("%npostgres: documents of %d bytes, new ones%n", DocumentData.BYTES);
    try (PostgresOutbox postgres = PostgresOutbox.start()) {
      System.out.println(postgres.settings());
      DocumentContest.header("in flight", "PostgreSQL");
      for (int inFlight : IN_FLIGHT) {
        try (DocumentWorld direct = new DocumentWorld();
            DocumentWorld remote = new DocumentWorld()) {
          postgres.empty();
          against(
              1,
              DocumentContest.compare(
                  inFlight,
                  List.of(postgres.contender(1, false), one(direct), oneOverHttp(remote))));
        }
      }
      DocumentContest.header("threads, streams or connections", "PostgreSQL, arrays");
      for (int threads : BULK) {
        try (DocumentWorld messages = new DocumentWorld();
            DocumentWorld lines = new DocumentWorld();
            DocumentWorld protobuf = new DocumentWorld()) {
          postgres.empty();
          against(
              2,
              DocumentContest.compare(
                  threads,
                  List.of(
                      postgres.contender(DocumentData.BATCH, true),
                      postgres.contender(DocumentData.BATCH, false),
                      messages(messages),
                      stream("HTTP, JSON lines", lines, Format.LINES),
                      stream("HTTP, protobuf", protobuf, Format.PROTOBUF))));
        }
      }
    } catch (PostgresOutbox.CannotStart e) {
      System.out.println("PostgreSQL cannot be started here, so there is nothing to compare: " + e);
    }
  }

  /// Says how ours stand to the fastest way into PostgreSQL.
  ///
  /// @param ways how many of the first are PostgreSQL's
  private static void against(int ways, List<Outcome> outcomes) {
    double fastest =
        outcomes.subList(0, ways).stream()
            .mapToDouble(outcome -> outcome.median().perSecond())
            .max()
            .orElseThrow();
    for (Outcome outcome : outcomes.subList(ways, outcomes.size())) {
      DocumentContest.goal(
          outcome.name() + " against PostgreSQL", outcome.median().perSecond() / fastest, true, 2);
    }
  }

  /// What has no notion of documents.
  private static final class Raw implements AutoCloseable {
    private final Path folder = Data.folder();
    private final RawRocks rocks = new RawRocks(folder.resolve("db"));
    private final RocksStore store = Data.store(folder.resolve("store"), InstantSource.system());

    @Override
    public void close() {
      store.close();
      rocks.close();
      Data.delete(folder);
    }
  }

  private static Contender commit(Raw raw) {
    return Contender.calls("one small commit", 1, true, () -> DocumentRaw.commit(raw.store));
  }

  private static Contender one(DocumentWorld world) {
    return Contender.calls("in process", 1, true, () -> world.receive(DocumentData.messages(1)));
  }

  private static Contender oneOverHttp(DocumentWorld world) {
    return new Contender(
        "HTTP, JSON",
        (workers, round) -> {
          List<Loopback> open = new ArrayList<>();
          IntFunction<LongConsumer> work =
              _ -> {
                Loopback client = new Loopback(world.port());
                open.add(client);
                return _ -> client.http(request());
              };
          Driver.Result result = Driver.drive(workers, round, work, false);
          open.forEach(Loopback::close);
          return result;
        },
        Optional.empty());
  }

  private static byte[] request() {
    byte[] json = DocumentData.json(DocumentData.take(1));
    return Loopback.request("POST", DocumentWorld.TARGET, HttpCalls.SECRET, json);
  }

  private static Contender messages(DocumentWorld world) {
    return Contender.calls(
            "in process, from messages",
            DocumentData.BATCH,
            true,
            () -> world.receive(DocumentData.messages(DocumentData.BATCH)))
        .telling(() -> world.store.revision().sequence());
  }

  private static Contender stream(String name, DocumentWorld world, Format format) {
    return new Contender(
        name,
        (streams, _) -> DocumentStreams.drive(streams, world.port(), format),
        Optional.of(() -> world.store.revision().sequence()));
  }
}
