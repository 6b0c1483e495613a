package dev.veridex.benchmarks;

import dev.veridex.Domain;
import dev.veridex.access.AccessSettings;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.buckets.Retention;
import dev.veridex.common.Namespace;
import dev.veridex.http.AccessLog;
import dev.veridex.http.Admission;
import dev.veridex.http.CallerAuthorization;
import dev.veridex.http.Gateway;
import dev.veridex.http.HttpConfig;
import dev.veridex.http.TokenGuesses;
import dev.veridex.http.UnscopedMode;
import dev.veridex.http.helidon.HelidonServer;
import dev.veridex.http.routes.items.ItemRoutes;
import dev.veridex.identity.Caller;
import dev.veridex.identity.RefusalLog;
import dev.veridex.identity.Token;
import dev.veridex.items.Items;
import dev.veridex.metrics.Metrics;
import dev.veridex.quota.Quota;
import dev.veridex.settings.SettingsSources;
import dev.veridex.store.Snapshot;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.tenancy.Account;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/// Items put and read in this process, over HTTP, and beside Redis over loopback; what quotas cost;
/// a list of many keys; what it takes to find a bucket.
final class ItemCalls {
  private static final String SECRET = "the secret of the benchmark";
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final int KNOWN = 100_000;
  private static final int LISTED = Integer.getInteger("listed", 1_000_000);

  private ItemCalls() {}

  /// @param parts `put`, `get`, `quotas`, `list`, `directory`; none: all of them
  static void run(List<String> parts) throws Exception {
    for (String part :
        parts.isEmpty() ? List.of("put", "get", "quotas", "list", "directory") : parts) {
      switch (part) {
        case "put", "get" -> compare(part.equals("put"));
        case "quotas" -> quotas();
        case "list" -> listing();
        case "directory" -> directory();
        default -> throw new IllegalArgumentException("no part " + part);
      }
    }
  }

  private static void compare(boolean writes) throws Exception {
    System.out.println(
        "| call | clients | in process /s | p50/p99 µs | HTTP /s | p50/p99 µs | Redis /s |"
            + " p50/p99 µs | in process/Redis | HTTP/Redis |");
    System.out.println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (int clients : new int[] {1, 16, 64}) {
      compare(writes, clients);
    }
  }

  /// A domain with one bucket of items.
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
    private final Token root = domain.tenancy().tokens().adoptRoot(SECRET);
    private final Caller caller = Caller.of(root);
    private final ActingCaller actor = new ActingCaller(caller, Optional.empty());

    private World(Map<Quota, Long> quotas) {
      Account.Definition wanted =
          new Account.Definition(
              Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), quotas);
      domain.tenancy().accounts().put(root, "acme", wanted, Optional.empty(), Optional.empty());
      bucket("pages");
    }

    private void bucket(String name) {
      // Only the current revision, as Redis keeps it.
      Bucket.Definition latest =
          new Bucket.Definition(
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Map.of(),
              Optional.empty(),
              Bucket.Placement.SHARED,
              new ItemSettings(false, "", new Retention.Latest(1, Duration.ZERO)));
      domain
          .buckets()
          .buckets()
          .put(caller, ACME, name, "items", latest, Optional.empty(), Optional.empty());
    }

    private void put(String key, byte[] value) {
      put(key, value, Optional.empty());
    }

    private void put(String key, byte[] value, Optional<Duration> ttl) {
      domain
          .items()
          .items()
          .put(
              new Items.Request(actor, ACME, "pages", key),
              new Items.Content("text/plain", new TreeMap<>(), value, ttl),
              Items.Conditions.NONE);
    }

    private void get(String key) {
      domain
          .items()
          .items()
          .read(new Items.Request(actor, ACME, "pages", key), new Items.Which.Current(), _ -> {});
    }

    private Gateway gateway() {
      return new Gateway(
          new ArrayList<>(new ItemRoutes(domain.items().items(), store.seal()).routes()),
          new CallerAuthorization(
              domain.tenancy().tokens()::authenticate,
              new RefusalLog(store, domain.tenancy().audit()),
              new TokenGuesses(),
              InstantSource.system(),
              _ -> {}),
          new Admission(1024, 256 << 20),
          UnscopedMode.LENIENT,
          new AccessLog(OutputStream.nullOutputStream()),
          new Metrics(),
          InstantSource.system(),
          new Random(1),
          System.getLogger("benchmark"));
    }

    @Override
    public void close() {
      store.close();
      Data.delete(folder);
    }
  }

  private static String key(long n) {
    return "key-%012d".formatted(n);
  }

  private static String randomKey() {
    return key(ThreadLocalRandom.current().nextInt(KNOWN));
  }

  private static void compare(boolean writes, int clients) throws Exception {
    List<Driver.Result> direct = new ArrayList<>();
    List<Driver.Result> http = new ArrayList<>();
    List<Driver.Result> redis = new ArrayList<>();
    Path redisFolder = Data.folder();
    Optional<Redis> other = Redis.start(redisFolder);
    try (World world = new World(Map.of());
        HelidonServer server =
            HelidonServer.start(
                config(), world.gateway(), System::nanoTime, System.getLogger("benchmark"))) {
      if (!writes) {
        fill(world, other);
      }
      for (int round = 0; round <= Driver.ROUNDS; round++) {
        Driver.Result one =
            // Reads never wait, so virtual threads would do them one after the other.
            Driver.drive(clients, 3 * round, _ -> n -> inProcess(world, writes, n), writes);
        Driver.Result two =
            overLoopback(
                clients,
                3 * round + 1,
                server.port(),
                (client, n) -> client.http(request(writes, n)));
        Optional<Driver.Result> three = Optional.empty();
        if (other.isPresent()) {
          three =
              Optional.of(
                  overLoopback(
                      clients,
                      3 * round + 2,
                      other.get().port(),
                      (client, n) -> client.redis(command(writes, n))));
        }
        if (round > 0) { // The first warms up.
          direct.add(one);
          http.add(two);
          three.ifPresent(redis::add);
        }
      }
    } finally {
      other.ifPresent(Redis::close);
      Data.delete(redisFolder);
    }
    print(writes ? "put" : "get", clients, direct, http, redis);
  }

  private interface Calling {
    void call(Loopback client, long n);
  }

  private static Driver.Result overLoopback(int clients, int round, int port, Calling calling) {
    List<Loopback> open = new ArrayList<>();
    IntFunction<LongConsumer> work =
        _ -> {
          Loopback client = new Loopback(port);
          open.add(client);
          return n -> calling.call(client, n);
        };
    Driver.Result result = Driver.drive(clients, round, work, false);
    open.forEach(Loopback::close);
    return result;
  }

  private static void inProcess(World world, boolean writes, long n) {
    if (writes) {
      world.put(key(n), Data.value(n));
    } else {
      world.get(randomKey());
    }
  }

  private static byte[] request(boolean writes, long n) {
    String path = "/v1/accounts/acme/buckets/pages/items/";
    return writes
        ? Loopback.request("PUT", path + key(n), SECRET, Data.value(n))
        : Loopback.request("GET", path + randomKey(), SECRET, new byte[0]);
  }

  private static byte[] command(boolean writes, long n) {
    return writes ? Redis.set(key(n), Data.value(n)) : Redis.get(randomKey());
  }

  private static void fill(World world, Optional<Redis> redis) {
    inParallel(KNOWN, n -> world.put(key(n), Data.value(n)));
    redis.ifPresent(
        other -> {
          try (Loopback client = new Loopback(other.port())) {
            for (int n = 0; n < KNOWN; n += 1000) {
              byte[][] commands = new byte[1000][];
              for (int i = 0; i < commands.length; i++) {
                commands[i] = Redis.set(key(n + i), Data.value(n + i));
              }
              client.redis(Loopback.joined(commands), commands.length);
            }
          }
        });
  }

  private static void inParallel(int count, LongConsumer work) {
    List<Thread> threads = new ArrayList<>();
    for (int from = 0; from < 256; from++) {
      int first = from;
      threads.add(
          Thread.startVirtualThread(
              () -> {
                for (int n = first; n < count; n += 256) {
                  work.accept(n);
                }
              }));
    }
    threads.forEach(ItemCalls::join);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void print(
      String call,
      int clients,
      List<Driver.Result> direct,
      List<Driver.Result> http,
      List<Driver.Result> redis) {
    Driver.Result one = Driver.median(direct);
    Driver.Result two = Driver.median(http);
    System.out.printf(
        "| %s | %d | %,.0f | %d / %d | %,.0f | %d / %d |",
        call,
        clients,
        one.perSecond(),
        one.p50Micros(),
        one.p99Micros(),
        two.perSecond(),
        two.p50Micros(),
        two.p99Micros());
    if (redis.isEmpty()) {
      System.out.println(" | | | |");
      return;
    }
    Driver.Result three = Driver.median(redis);
    System.out.printf(
        " %,.0f | %d / %d | %.2f | %.2f |%n",
        three.perSecond(),
        three.p50Micros(),
        three.p99Micros(),
        one.perSecond() / three.perSecond(),
        two.perSecond() / three.perSecond());
  }

  /// The same puts by 64 writers: without quotas and with quotas far away; of what stays, and of
  /// what expires in any hour of a year.
  private static void quotas() {
    System.out.println(
        "\n| 64 writers, in process | no quotas /s | items and bytes limited /s | ratio |");
    System.out.println("|---|---:|---:|---:|");
    Map<Quota, Long> far = Map.of(Quota.ITEMS, 1L << 40, Quota.BYTES, 1L << 50);
    for (boolean expiring : new boolean[] {false, true}) {
      List<Driver.Result> without = new ArrayList<>();
      List<Driver.Result> with = new ArrayList<>();
      try (World free = new World(Map.of());
          World limited = new World(far)) {
        for (int round = 0; round <= Driver.ROUNDS; round++) {
          Driver.Result one =
              Driver.drive(64, 2 * round, _ -> n -> putLiving(free, n, expiring), true);
          Driver.Result two =
              Driver.drive(64, 2 * round + 1, _ -> n -> putLiving(limited, n, expiring), true);
          if (round > 0) {
            without.add(one);
            with.add(two);
          }
        }
      }
      double free = Driver.median(without).perSecond();
      double limited = Driver.median(with).perSecond();
      System.out.printf(
          "| %s | %,.0f | %,.0f | %.2f |%n",
          expiring ? "items that live up to a year" : "items that stay",
          free,
          limited,
          limited / free);
    }
  }

  private static void putLiving(World world, long n, boolean expiring) {
    long seconds = ThreadLocalRandom.current().nextLong(60, Duration.ofDays(365).toSeconds());
    world.put(
        key(n),
        Data.value(n),
        expiring ? Optional.of(Duration.ofSeconds(seconds)) : Optional.empty());
  }

  private static void listing() {
    try (World world = new World(Map.of())) {
      inParallel(LISTED, n -> world.put(key(n), new byte[] {1}));
      for (int limit : new int[] {100, 1000}) {
        for (int round = 0; round < 2; round++) { // The first warms up.
          long pages = 0;
          long items = 0;
          long begin = System.nanoTime();
          Optional<Items.Position> from = Optional.empty();
          do {
            Items.ItemPage page =
                world.domain.items().items().list(world.actor, ACME, "pages", "", from, limit);
            items += page.items().size();
            pages++;
            from = page.next();
          } while (from.isPresent());
          double micros = (System.nanoTime() - begin) / 1e3;
          if (round == 1) {
            System.out.printf(
                "%nlisting of %,d keys, %d a page: %,.0f keys/s, %.0f µs a page%n",
                items, limit, items / micros * 1e6, micros / pages);
          }
        }
      }
    }
  }

  private static void directory() {
    try (World world = new World(Map.of())) {
      int buckets = 200;
      for (int i = 0; i < buckets; i++) {
        world.bucket("b" + i);
      }
      int times = 2_000_000;
      for (int round = 0; round < 2; round++) { // The first warms up.
        double hit = nanos(world, times, true);
        double miss = nanos(world, times / 20, false);
        if (round == 1) {
          System.out.printf(
              "%nfinding a bucket: %.0f ns from memory, %.0f ns from the store%n", hit, miss);
        }
      }
    }
  }

  private static double nanos(World world, int times, boolean cached) {
    long begin = System.nanoTime();
    try (Snapshot snapshot = world.store.snapshot()) {
      for (int i = 0; i < times; i++) {
        if (!cached) {
          world.domain.buckets().lookup().forget();
        }
        if (world.domain.buckets().lookup().find(snapshot, ACME, "b" + i % 200).isEmpty()) {
          throw new IllegalStateException("there is such a bucket");
        }
      }
    }
    return (double) (System.nanoTime() - begin) / times;
  }

  private static HttpConfig config() {
    SettingsSources sources =
        new SettingsSources(Optional.empty(), Map.of(), List.of("http.port=0"));
    return HttpConfig.read(sources.root().section("http"));
  }
}
