package dev.veridex.benchmarks;

import dev.veridex.Domain;
import dev.veridex.access.AccessSettings;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.common.Namespace;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.objects.catalogue.EventResult;
import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectFacts;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.ParsedRecord;
import dev.veridex.objects.event.Sequencer;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.tenancy.Account;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/// Catalogues: how fast events become durable, also on one hot key, next to PostgreSQL; and how
/// long reads and searches take among many objects.
final class ObjectCalls {
  static final Instant TIME = Instant.parse("2026-01-31T12:00:00Z");
  static final String E_TAG = "\"d41d8cd98f00b204e9800998ecf8427e\"";

  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final String FILES = "files";
  private static final String BUCKET = "lab";
  private static final String TARGET = "/v1/accounts/acme/buckets/" + FILES;
  private static final long OBJECTS = Long.getLong("objects", 5_000_000);
  private static final int VERSIONS = Integer.getInteger("versions", 100_000);
  private static final int CALLS = Integer.getInteger("calls", 300);

  /// Events a second while it is measured how soon one is found.
  private static final int LOAD = Integer.getInteger("load", 2000);

  private static final int RECORDS = 1000;

  private final AtomicLong next = new AtomicLong();

  private ObjectCalls() {}

  static void run(List<String> parts) throws Exception {
    ObjectCalls calls = new ObjectCalls();
    if (parts.isEmpty() || parts.contains("receive")) {
      calls.receive();
    }
    if (parts.isEmpty() || parts.contains("hot")) {
      calls.hot();
    }
    if (parts.isEmpty() || parts.contains("read")) {
      calls.read();
    }
  }

  /// A catalogue in this process.
  private static final class World implements AutoCloseable {
    private final Path folder = Data.folder();
    private final RocksStore store = Data.store(folder.resolve("store"), InstantSource.system());
    private final Domain domain =
        Domain.on(
            store,
            new Domain.Parts(
                new SecureRandom(),
                () -> ThreadLocalRandom.current().nextLong(),
                Domain.itemVersions(),
                _ -> false,
                new AccessSettings(1L << 30, AccessSettings.PAST_RETENTION, Runnable::run)));
    private final ActingCaller actor;

    private World() {
      Token root = domain.tenancy().tokens().adoptRoot(HttpCalls.SECRET);
      actor = new ActingCaller(Caller.of(root), Optional.empty());
      domain
          .tenancy()
          .accounts()
          .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
      domain
          .buckets()
          .buckets()
          .put(
              Caller.of(root),
              ACME,
              FILES,
              ObjectSettings.TYPE,
              Bucket.Definition.PLAIN.settling(ObjectSettings.USUAL),
              Optional.empty(),
              Optional.empty());
    }

    private void take(List<PostgresObjects.Row> rows) {
      List<ParsedRecord> records = rows.stream().map(ObjectCalls::event).toList();
      for (EventResult result :
          domain.objects().receiver().receive(actor, ACME, FILES, records).results()) {
        if (!(result instanceof EventResult.Ingested)) {
          throw new IllegalStateException(result.toString());
        }
      }
    }

    @Override
    public void close() {
      store.close();
      Data.delete(folder);
    }
  }

  private static ParsedRecord event(PostgresObjects.Row row) {
    return new ParsedRecord.Event(
        new ObjectEvent(
            new ObjectEvent.Native(
                new ObjectKey(BUCKET, row.key()),
                row.version(),
                EventType.CREATED,
                Sequencer.of(row.sequencer()).orElseThrow()),
            TIME,
            new ObjectEvent.Details(
                EventReason.CREATED_PUT,
                false,
                false,
                new ObjectFacts(
                    Optional.of(row.size()),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(E_TAG),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()))));
  }

  private static String key(long n) {
    return "runs/%d/%d/sample-%08d.bam".formatted(2020 + n % 5, n / 1000 % 1000, n);
  }

  /// An object that was not there.
  private static PostgresObjects.Row fresh(long n) {
    return new PostgresObjects.Row(key(n), ObjectEvent.NO_VERSION, "%018X".formatted(n), n);
  }

  /// One more version of the same object.
  private static PostgresObjects.Row hot(long n) {
    return new PostgresObjects.Row("hot", "v%016x".formatted(n), "%018X".formatted(n), n);
  }

  private List<PostgresObjects.Row> some(int size, LongFunction<PostgresObjects.Row> row) {
    List<PostgresObjects.Row> rows = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      rows.add(row.apply(next.incrementAndGet()));
    }
    return rows;
  }

  private void receive() {
    System.out.printf(
        "%n| in a call | workers | events/s | p50/p99 µs of a call | PostgreSQL events/s | ratio |%n");
    System.out.println("|---:|---:|---:|---:|---:|---:|");
    try (World world = new World();
        PostgresObjects postgres = PostgresObjects.start()) {
      for (int size : List.of(1, 10, 1000)) {
        for (int workers : List.of(1, 16)) {
          List<Driver.Result> ours = new ArrayList<>();
          List<Driver.Result> theirs = new ArrayList<>();
          for (int round = 0; round < Driver.ROUNDS; round++) {
            ours.add(
                Driver.drive(
                    workers, round, _ -> _ -> world.take(some(size, ObjectCalls::fresh)), true));
            theirs.add(postgres(postgres, workers, round, size));
          }
          Driver.Result own = Driver.median(ours);
          Driver.Result other = Driver.median(theirs);
          System.out.printf(
              "| %,d | %d | %,.0f | %,d / %,d | %,.0f | %.1f |%n",
              size,
              workers,
              own.perSecond() * size,
              own.p50Micros(),
              own.p99Micros(),
              other.perSecond() * size,
              own.perSecond() / other.perSecond());
        }
      }
    }
  }

  private Driver.Result postgres(PostgresObjects postgres, int workers, int round, int size) {
    List<PostgresObjects.Client> clients = new ArrayList<>();
    Driver.Result result =
        Driver.drive(
            workers,
            round,
            _ -> {
              try {
                PostgresObjects.Client client = postgres.new Client();
                clients.add(client);
                return _ -> take(client, some(size, ObjectCalls::fresh));
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            },
            false);
    clients.forEach(
        client -> {
          try {
            client.close();
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
    return result;
  }

  private static void take(PostgresObjects.Client client, List<PostgresObjects.Row> rows) {
    try {
      client.take(rows);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// One more event on a key with many versions, next to one on a new key.
  private void hot() {
    System.out.printf("%n| versions of the key | p50/p99 µs, one more | p50/p99 µs, new key |%n");
    System.out.println("|---:|---:|---:|");
    try (World world = new World()) {
      long before = Data.tableBytes(world.folder);
      int versions = 0;
      for (int until : List.of(0, VERSIONS / 100, VERSIONS / 10, VERSIONS)) {
        for (; versions < until; versions += 100) {
          world.take(some(100, ObjectCalls::hot));
        }
        Driver.Result own =
            Driver.drive(1, 0, _ -> _ -> world.take(some(1, ObjectCalls::hot)), true);
        Driver.Result fresh =
            Driver.drive(1, 0, _ -> _ -> world.take(some(1, ObjectCalls::fresh)), true);
        System.out.printf(
            "| %,d | %,d / %,d | %,d / %,d |%n",
            until, own.p50Micros(), own.p99Micros(), fresh.p50Micros(), fresh.p99Micros());
      }
      System.out.printf(
          "%n%,d bytes of sorted files for %,d rows%n",
          Data.tableBytes(world.folder) - before, next.get());
    }
  }

  /// Reads and searches among many objects, over HTTP.
  private void read() {
    Path folder = Data.folder();
    try (SearchProcess server =
        SearchProcess.start(
            folder.resolve("log"),
            "/health/ready",
            port ->
                List.of(
                    "-Xmx4g",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "dev.veridex.Main",
                    "server",
                    "--port=" + port,
                    "--data=" + folder.resolve("data"),
                    "--set=log.access=false",
                    "--set=rootToken=" + HttpCalls.SECRET))) {
      call(server, "PUT", "/v1/accounts/acme", "{}");
      call(server, "PUT", TARGET, "{\"type\":\"objects\"}");
      long begin = System.nanoTime();
      for (long sent = 0; sent < OBJECTS; sent += RECORDS) {
        call(server, "POST", TARGET + "/events", message(sent, RECORDS));
        if (sent % 250_000 == 0) {
          System.err.printf("%,d of %,d objects%n", sent, OBJECTS);
        }
      }
      double seconds = (System.nanoTime() - begin) / 1e9;
      String revision = send(server, OBJECTS);
      long accepted = System.nanoTime();
      await(server, revision);
      System.out.printf(
          "%n%,d objects: %,.0f events/s accepted over HTTP in messages of %,d; all searchable %,.1f"
              + " s later; %,d bytes on disk an object%n",
          OBJECTS,
          OBJECTS / seconds,
          RECORDS,
          (System.nanoTime() - accepted) / 1e9,
          bytes(folder) / OBJECTS);
      System.out.printf("%n| among %,d objects | p50 ms | p99 ms | |%n", OBJECTS);
      System.out.println("|---|---:|---:|---|");
      time("list a prefix", n -> get(server, "/objects?key=runs/2021/" + n % 1000 + "/*"));
      time(
          "list a prefix in a bucket",
          n -> get(server, "/objects?bucket=lab&key=runs/2022/" + n % 1000 + "/*"));
      time(
          "list a part of a key",
          n -> get(server, "/objects?key=*ple-%08d*".formatted(n * 7919 % OBJECTS)));
      time(
          "search a part of a key",
          n ->
              search(
                  server,
                  "{\"query\":\"e-%07d\",\"fields\":[\"key\"]}"
                      .formatted(n * 7919 % OBJECTS / 10)));
      time(
          "search a short part of a key",
          n -> search(server, "{\"query\":\"/%d/sa\",\"fields\":[\"key\"]}".formatted(n % 1000)));
      time(
          "search a wildcard",
          n ->
              search(
                  server,
                  "{\"filter\":{\"key\":{\"wildcard\":\"*/%d/*%03d.bam\"}}}"
                      .formatted(n % 1000, n * 31 % 1000)));
      time("count", _ -> get(server, "/objects/count"));
      time("count a prefix", _ -> get(server, "/objects/count?key=runs/2023/*"));
      time("stats", _ -> get(server, "/objects/stats"));
      time("stats by prefix", _ -> get(server, "/objects/stats?delimiter=/"));
      folders(server);
      fresh(server);
    } finally {
      Data.delete(folder);
    }
  }

  /// The first statement about a folder, with a great many objects below it.
  private void folders(SearchProcess server) {
    call(
        server,
        "POST",
        "/v1/accounts/acme/access/individuals",
        statement("all", "s3://lab/", true));
    String search = "{\"as\":\"u\",\"query\":\"sample\",\"fields\":[\"path\"],\"limit\":1}";
    search(server, search);
    long[] acks = new long[10];
    long[] first = new long[10];
    for (int i = 0; i < 10; i++) {
      long begin = System.nanoTime();
      call(
          server,
          "POST",
          "/v1/accounts/acme/access/individuals",
          statement(
              "f" + i,
              i < 5 ? "s3://lab/runs/202%d/".formatted(i) : "s3://lab/runs/2020/%d/".formatted(i),
              false));
      acks[i] = System.nanoTime() - begin;
      begin = System.nanoTime();
      search(server, search);
      first[i] = System.nanoTime() - begin;
    }
    print("first statement about a folder: its ACK", acks, "");
    print("the first search after it", first, "");
  }

  private static String statement(String id, String folder, boolean may) {
    return "{\"@id\":\"%s\",\"rdf:type\":\"v-s:PermissionStatement\",\"v-s:permissionObject\":\"%s\",\"v-s:permissionSubject\":\"u\",\"v-s:canRead\":%s}"
        .formatted(id, folder, may);
  }

  /// From an event's acknowledgement to a search that finds it, beside others that come in.
  private void fresh(SearchProcess server) {
    AtomicLong number = new AtomicLong(2 * OBJECTS);
    Thread load =
        Thread.ofPlatform()
            .start(
                () -> {
                  long due = System.nanoTime();
                  while (!Thread.currentThread().isInterrupted()) {
                    due += 100 * 1_000_000_000L / LOAD;
                    LockSupport.parkNanos(due - System.nanoTime());
                    call(server, "POST", TARGET + "/events", message(number.getAndAdd(100), 100));
                  }
                });
    long[] nanos = new long[CALLS];
    for (int i = 0; i < CALLS; i++) {
      String revision = send(server, 4 * OBJECTS + i);
      long begin = System.nanoTime();
      await(server, revision);
      nanos[i] = System.nanoTime() - begin;
    }
    load.interrupt();
    print("event to searchable, beside %,d events/s".formatted(LOAD), nanos, "");
    try {
      load.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String send(SearchProcess server, long n) {
    return call(server, "POST", TARGET + "/events", message(n, 1)).get("revision").asString();
  }

  private static void await(SearchProcess server, String revision) {
    while (true) {
      try {
        search(server, "{\"atLeast\":\"%s\",\"waitMs\":30000,\"limit\":1}".formatted(revision));
        return;
      } catch (IllegalStateException e) {
        if (!String.valueOf(e.getMessage()).contains("NOT_YET_FRESH")) {
          throw e;
        }
      }
    }
  }

  private static String message(long first, int records) {
    StringBuilder message = new StringBuilder("{\"Records\":[");
    for (long n = first; n < first + records; n++) {
      message
          .append(n == first ? "" : ",")
          .append("{\"eventTime\":\"2026-01-31T12:00:00Z\",\"eventName\":\"ObjectCreated:Put\",")
          .append("\"s3\":{\"bucket\":{\"name\":\"lab\"},\"object\":{\"key\":\"")
          .append(key(n))
          .append("\",\"size\":")
          .append(n % 1000)
          .append(",\"eTag\":\"d41d8cd98f00b204e9800998ecf8427e\",\"sequencer\":\"")
          .append("%018X".formatted(n + 1))
          .append("\"}}}");
    }
    return message.append("]}").toString();
  }

  private static JsonNode get(SearchProcess server, String path) {
    return call(server, "GET", TARGET + path, "");
  }

  private static JsonNode search(SearchProcess server, String body) {
    return call(server, "POST", TARGET + "/search", body);
  }

  private static JsonNode call(SearchProcess server, String method, String path, String body) {
    return server.ask(method, path, body);
  }

  private static long bytes(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(java.nio.file.Files::isRegularFile)
          .mapToLong(file -> file.toFile().length())
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void time(String what, LongFunction<JsonNode> call) {
    for (int i = 0; i < CALLS / 3; i++) {
      call.apply(i);
    }
    long[] nanos = new long[CALLS];
    JsonNode last = null;
    for (int i = 0; i < CALLS; i++) {
      long begin = System.nanoTime();
      last = call.apply(CALLS + i);
      nanos[i] = System.nanoTime() - begin;
    }
    print(
        what,
        nanos,
        last == null || last.path("complete").asBoolean(true) ? "" : "complete: false");
  }

  private static void print(String what, long[] nanos, String note) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    System.out.printf(
        "| %s | %.1f | %.1f | %s |%n",
        what,
        sorted[sorted.length / 2] / 1e6,
        sorted[(int) (sorted.length * 99L / 100)] / 1e6,
        note);
  }
}
