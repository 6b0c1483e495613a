package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.Domain;
import dev.veridex.access.AccessSettings;
import dev.veridex.access.AsOf;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.common.Namespace;
import dev.veridex.http.Gateway;
import dev.veridex.http.helidon.HelidonServer;
import dev.veridex.http.routes.access.CheckRoutes;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.Store;
import dev.veridex.tenancy.Account;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/// What an index in memory costs and gives: loading, room, checks, commits that it follows, lists,
/// and checks over HTTP; next to it jCasbin with the same policy.
final class AccessQuestions {
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final int STATEMENTS = Integer.getInteger("statements", 1_000_000);
  private static final int BATCH = 1000;

  private AccessQuestions() {}

  static void run(List<String> what) {
    if (what.isEmpty() || what.contains("casbin")) {
      AccessRivals.run(STATEMENTS);
    }
    if (what.isEmpty() || what.contains("lists")) {
      AccessLists.run(STATEMENTS);
    }
    if (what.isEmpty() || what.contains("load") || what.contains("http")) {
      stored(what);
    }
  }

  private static Domain domain(Store store, long memoryBytes) {
    Random random = new Random(1);
    return Domain.on(
        store,
        new Domain.Parts(
            random,
            random,
            Domain.itemVersions(),
            _ -> false,
            new AccessSettings(memoryBytes, AccessSettings.PAST_RETENTION, Runnable::run)));
  }

  private static void stored(List<String> what) {
    Path folder = Data.folder();
    AccessWorld world = AccessWorld.of(STATEMENTS);
    try (Store store = Data.store(folder.resolve("store"), InstantSource.system())) {
      Domain bare = domain(store, 0);
      Token root = bare.tenancy().tokens().adoptRoot(HttpCalls.SECRET);
      bare.tenancy()
          .accounts()
          .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
      fill(bare, root, world);
      Domain domain = load(store);
      if (what.isEmpty() || what.contains("load")) {
        commits(store, bare, domain, root, world);
      }
      if (what.isEmpty() || what.contains("http")) {
        http(store, domain(store, 2L << 30), world);
      }
    } finally {
      Data.delete(folder);
    }
  }

  private static void fill(Domain domain, Token root, AccessWorld world) {
    long begin = System.nanoTime();
    List<MessageInput> batch = new ArrayList<>();
    world.state(
        new AccessWorld.Statements() {
          @Override
          public void member(String member, String group, int number) {
            add(MessageInput.of(AccessWorld.membership(member, group, number)));
          }

          @Override
          public void permission(String document, String subject, int number) {
            add(MessageInput.of(AccessWorld.statement(document, subject, number)));
          }

          private void add(MessageInput input) {
            batch.add(input);
            if (batch.size() == BATCH) {
              domain.access().index().put(root, ACME, batch);
              batch.clear();
            }
          }
        });
    domain.access().index().put(root, ACME, batch);
    System.out.printf(
        "%n%,d statements, %,d users, %,d groups, %,d memberships: stated in %.1f s%n",
        world.statements(),
        world.users(),
        world.groups(),
        world.memberships(),
        (System.nanoTime() - begin) / 1e9);
  }

  private static long heap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private static Domain load(Store store) {
    Domain domain = domain(store, 2L << 30);
    long before = heap();
    long begin = System.nanoTime();
    check(domain, "d:user_1", "d:document_1");
    double seconds = (System.nanoTime() - begin) / 1e9;
    long bytes = heap() - before;
    System.out.printf(
        "loaded in %.1f s; heap %,d MB, estimated %,d MB%n",
        seconds, bytes >> 20, domain.access().compiled().bytes() >> 20);
    return domain;
  }

  private static int check(Domain domain, String subject, String resource) {
    return domain
        .access()
        .checker()
        .check(
            Caller.of(domain.tenancy().tokens().authenticate(HttpCalls.SECRET).orElseThrow()),
            ACME,
            List.of(
                new RightsChecker.Query(
                    CheckRequest.of(subject, resource, Optional.empty(), Optional.empty()), false)),
            AsOf.now())
        .value()
        .getFirst()
        .rights();
  }

  /// One statement a commit, with the index in memory and without, while checks go on.
  private static void commits(
      Store store, Domain bare, Domain domain, Token root, AccessWorld world) {
    System.out.println();
    System.out.println(
        "| one statement a commit, checks going on | /s | p50/p99 µs | checks/s beside it | p50/p99 µs |");
    System.out.println("|---|---:|---:|---:|---:|");
    List<Driver.Result[]> without = new ArrayList<>();
    List<Driver.Result[]> with = new ArrayList<>();
    List<Driver.Result[]> through = new ArrayList<>();
    CompiledIndex standIn = world.compiled();
    IntFunction<LongConsumer> checks = _ -> world.questions().of(new CompiledCheck(standIn));
    for (int round = 0; round <= Driver.ROUNDS; round++) {
      // Whoever writes without telling the other makes the other read everything anew.
      Driver.Result[] plain = both(bare, root, round, checks);
      Domain fresh = domain(store, 2L << 30);
      check(fresh, "d:user_1", "d:document_1");
      Driver.Result[] followed = both(fresh, root, round, checks);
      Driver.Result[] asked =
          both(
              fresh,
              root,
              round,
              worker -> {
                SplittableRandom random = new SplittableRandom(worker);
                return _ ->
                    check(
                        fresh,
                        AccessWorld.user(random.nextInt(world.users())),
                        AccessWorld.document(random.nextInt(world.statements())));
              });
      if (round > 0) {
        without.add(plain);
        with.add(followed);
        through.add(asked);
      }
    }
    print("without the index in memory", without);
    print("followed by the index in memory", with);
    print("the same, checks asking that very index", through);
  }

  private static void print(String name, List<Driver.Result[]> rounds) {
    Driver.Result commit = Driver.median(rounds.stream().map(each -> each[0]).toList());
    Driver.Result check = Driver.median(rounds.stream().map(each -> each[1]).toList());
    System.out.printf(
        "| %s | %,.0f | %d / %d | %,.0f | %d / %d |%n",
        name,
        commit.perSecond(),
        commit.p50Micros(),
        commit.p99Micros(),
        check.perSecond(),
        check.p50Micros(),
        check.p99Micros());
  }

  private static Driver.Result[] both(
      Domain domain, Token root, int round, IntFunction<LongConsumer> checks) {
    Driver.Result[] results = new Driver.Result[2];
    Thread checking =
        Thread.ofPlatform().start(() -> results[1] = Driver.drive(1, round, checks, false));
    SplittableRandom random = new SplittableRandom(System.nanoTime());
    results[0] =
        Driver.drive(
            1,
            round,
            _ ->
                n -> {
                  int document = random.nextInt(STATEMENTS);
                  domain
                      .access()
                      .index()
                      .put(
                          root,
                          ACME,
                          List.of(
                              MessageInput.of(
                                  AccessWorld.statement(
                                      AccessWorld.document(document),
                                      AccessWorld.user(random.nextInt(STATEMENTS / 10)),
                                      document))));
                },
            false);
    try {
      checking.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return results;
  }

  /// Checks over HTTP, one and many at a time, next to an authenticated call that does nothing.
  private static void http(Store store, Domain domain, AccessWorld world) {
    check(domain, "d:user_1", "d:document_1");
    Gateway gateway =
        HttpCalls.gateway(
            store,
            InstantSource.system(),
            new CheckRoutes(domain.access().checker(), store.seal()).routes());
    System.out.println();
    System.out.println("| over HTTP | connections | calls/s | p50/p99 µs | checks/s | of no-op |");
    System.out.println("|---|---:|---:|---:|---:|---:|");
    try (HelidonServer server =
        HelidonServer.start(
            HttpCalls.config(), gateway, System::nanoTime, System.getLogger("benchmark"))) {
      byte[] noop = Loopback.request("GET", "/noop", HttpCalls.SECRET, new byte[0]);
      byte[][] single = new byte[1 << 12][];
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < single.length; i++) {
        single[i] =
            Loopback.request(
                "GET",
                "/v1/accounts/acme/access/check?subject=%s&resource=%s&rights=R"
                    .formatted(
                        AccessWorld.user(random.nextInt(world.users())),
                        AccessWorld.document(random.nextInt(world.statements()))),
                HttpCalls.SECRET,
                new byte[0]);
      }
      byte[][] batches = new byte[16][];
      for (int i = 0; i < batches.length; i++) {
        batches[i] = batch(world, random);
      }
      for (int connections : new int[] {1, 16, 64}) {
        List<Driver.Result> nothing = new ArrayList<>();
        List<Driver.Result> ones = new ArrayList<>();
        List<Driver.Result> many = new ArrayList<>();
        for (int round = 0; round <= Driver.ROUNDS; round++) {
          Driver.Result first = drive(server, connections, round, _ -> noop);
          Driver.Result second =
              drive(server, connections, round, n -> single[(int) n & (single.length - 1)]);
          Driver.Result third =
              drive(server, connections, round, n -> batches[(int) n & (batches.length - 1)]);
          if (round > 0) {
            nothing.add(first);
            ones.add(second);
            many.add(third);
          }
        }
        double base = Driver.median(nothing).perSecond();
        print("no-op", connections, Driver.median(nothing), 0, base);
        print("one check", connections, Driver.median(ones), 1, base);
        print("1,000 checks", connections, Driver.median(many), BATCH, base);
      }
    }
  }

  private static void print(
      String name, int connections, Driver.Result result, int checks, double base) {
    System.out.printf(
        "| %s | %d | %,.0f | %d / %d | %,.0f | %.2f |%n",
        name,
        connections,
        result.perSecond(),
        result.p50Micros(),
        result.p99Micros(),
        result.perSecond() * checks,
        result.perSecond() / base);
  }

  private interface Request {
    byte[] of(long n);
  }

  private static Driver.Result drive(
      HelidonServer server, int connections, int round, Request request) {
    List<Loopback> clients = new ArrayList<>();
    try {
      return Driver.drive(
          connections,
          round,
          _ -> {
            Loopback client = new Loopback(server.port());
            clients.add(client);
            return n -> client.http(request.of(n));
          },
          false);
    } finally {
      clients.forEach(Loopback::close);
    }
  }

  private static byte[] batch(AccessWorld world, SplittableRandom random) {
    StringBuilder body = new StringBuilder("{\"checks\":[");
    for (int i = 0; i < BATCH; i++) {
      body.append(i == 0 ? "" : ",")
          .append("{\"subject\":\"")
          .append(AccessWorld.user(random.nextInt(world.users())))
          .append("\",\"resource\":\"")
          .append(AccessWorld.document(random.nextInt(world.statements())))
          .append("\",\"rights\":\"R\"}");
    }
    byte[] json = body.append("]}").toString().getBytes(UTF_8);
    byte[] head =
        ("POST /v1/accounts/acme/access/check HTTP/1.1\r\nHost: localhost\r\nContent-Type:"
                + " application/json\r\nAuthorization: Bearer "
                + HttpCalls.SECRET
                + "\r\nContent-Length: "
                + json.length
                + "\r\n\r\n")
            .getBytes(UTF_8);
    return Loopback.joined(head, json);
  }
}
