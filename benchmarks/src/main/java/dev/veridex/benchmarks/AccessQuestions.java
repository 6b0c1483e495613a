package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.Domain;
import dev.veridex.access.AccessAnswers;
import dev.veridex.access.AccessSettings;
import dev.veridex.access.Input;
import dev.veridex.access.Moment;
import dev.veridex.access.Question;
import dev.veridex.access.compiled.Compiled;
import dev.veridex.access.compiled.Compiled.Table;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.Edit;
import dev.veridex.access.compiled.Listing;
import dev.veridex.accounts.Account;
import dev.veridex.accounts.Caller;
import dev.veridex.accounts.Place;
import dev.veridex.accounts.Token;
import dev.veridex.http.Gateway;
import dev.veridex.http.helidon.HelidonServer;
import dev.veridex.http.routes.CheckRoutes;
import dev.veridex.store.Store;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import org.casbin.jcasbin.main.CoreEnforcer;
import org.casbin.jcasbin.main.Enforcer;
import org.casbin.jcasbin.model.Model;

/// What an index in memory costs and gives: loading, room, checks, commits that it follows, lists,
/// and checks over HTTP; next to it jCasbin with the same policy.
final class AccessQuestions {
  private static final Place ACME = new Place("acme", Optional.empty());
  private static final int STATEMENTS = Integer.getInteger("statements", 1_000_000);
  private static final int BATCH = 1000;

  private AccessQuestions() {}

  static void run(List<String> what) {
    if (what.isEmpty() || what.contains("casbin")) {
      casbin();
    }
    if (what.isEmpty() || what.contains("lists")) {
      lists();
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
      Token root = bare.tokens().adoptRoot(HttpCalls.SECRET);
      bare.accounts().put(root, "acme", Account.Wanted.PLAIN, Optional.empty(), Optional.empty());
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
    List<Input> batch = new ArrayList<>();
    world.state(
        new AccessWorld.Statements() {
          @Override
          public void member(String member, String group, int number) {
            add(Input.of(AccessWorld.membership(member, group, number)));
          }

          @Override
          public void permission(String document, String subject, int number) {
            add(Input.of(AccessWorld.statement(document, subject, number)));
          }

          private void add(Input input) {
            batch.add(input);
            if (batch.size() == BATCH) {
              domain.accessIndex().put(root, ACME, batch);
              batch.clear();
            }
          }
        });
    domain.accessIndex().put(root, ACME, batch);
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
        seconds, bytes >> 20, domain.compiledIndexes().bytes() >> 20);
    return domain;
  }

  private static int check(Domain domain, String subject, String resource) {
    return domain
        .accessAnswers()
        .check(
            Caller.of(domain.tokens().authenticate(HttpCalls.SECRET).orElseThrow()),
            ACME,
            List.of(
                new AccessAnswers.Asked(
                    Question.of(subject, resource, Optional.empty(), Optional.empty()), false)),
            Moment.now())
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
    Compiled standIn = world.compiled();
    for (int round = 0; round <= Driver.ROUNDS; round++) {
      // Whoever writes without telling the other makes the other read everything anew.
      Driver.Result[] plain =
          both(bare, root, round, _ -> checking(new CompiledCheck(standIn), world));
      Domain fresh = domain(store, 2L << 30);
      check(fresh, "d:user_1", "d:document_1");
      Driver.Result[] followed =
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
      }
    }
    print("without the index in memory", without);
    print("followed by the index in memory", with);
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

  private static LongConsumer checking(CompiledCheck check, AccessWorld world) {
    SplittableRandom random = new SplittableRandom(3);
    return _ -> {
      check.subject(AccessWorld.user(random.nextInt(world.users())));
      check.rights(AccessWorld.document(random.nextInt(world.statements())));
    };
  }

  private static Driver.Result[] both(
      Domain domain, Token root, int round, IntFunction<LongConsumer> checks) {
    Driver.Result[] results = new Driver.Result[2];
    Thread checking =
        Thread.ofPlatform().start(() -> results[1] = Driver.drive(1, round, checks, false));
    SplittableRandom random = new SplittableRandom(round);
    results[0] =
        Driver.drive(
            1,
            round,
            _ ->
                n -> {
                  int document = random.nextInt(STATEMENTS);
                  domain
                      .accessIndex()
                      .put(
                          root,
                          ACME,
                          List.of(
                              Input.of(
                                  AccessWorld.statement(
                                      AccessWorld.document(document),
                                      AccessWorld.user((int) (n % 1000)),
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

  /// Everything that somebody may read, and who may read something.
  private static void lists() {
    AccessWorld world = AccessWorld.of(STATEMENTS);
    Edit edit = world.compiled().edit();
    for (int n = 0; n < world.statements(); n++) {
      edit.put(Table.PERMISSION, "", AccessWorld.document(n), "d:reader", 0, 2);
    }
    edit.put(Table.PERMISSION, "", "v-s:AllResourcesGroup", "d:boss", 0, 2);
    for (int n = 0; n < 1000; n++) {
      edit.put(Table.PERMISSION, "", AccessWorld.document(n * 7), "d:boss", 0, 0x20);
    }
    Compiled compiled = edit.done();
    compiled.prepare();
    System.out.println();
    System.out.println("| list | ids | first page of 100, µs | pages of 10,000: ids/s |");
    System.out.println("|---|---:|---:|---:|");
    list(
        compiled,
        "all that a subject may read, of %,d documents".formatted(STATEMENTS),
        "d:reader");
    list(compiled, "everything but some", "d:boss");
    list(compiled, "what a user in three groups may read", "d:user_1");
    subjects(compiled, "who may read a document of a group at the top", world);
  }

  private static void list(Compiled compiled, String name, String subject) {
    double best = 0;
    int count = 0;
    long[] first = new long[200];
    for (int round = 0; round < 5; round++) {
      long begin = System.nanoTime();
      count = 0;
      String after = "";
      boolean more = true;
      while (more) {
        Listing.Part part = listing(compiled).resources(subject, 2, false, after, 10_000);
        count += part.ids().size();
        after = part.next().orElse("");
        more = part.next().isPresent();
      }
      best = Math.max(best, count / ((System.nanoTime() - begin) / 1e9));
    }
    for (int i = 0; i < first.length; i++) {
      long begin = System.nanoTime();
      listing(compiled).resources(subject, 2, false, "", 100);
      first[i] = System.nanoTime() - begin;
    }
    Arrays.sort(first);
    System.out.printf(
        "| %s | %,d | p50 %,d, p99 %,d | %,.0f |%n",
        name, count, first[first.length / 2] / 1000, first[first.length - 2] / 1000, best);
  }

  private static Listing listing(Compiled compiled) {
    CompiledCheck check = new CompiledCheck(compiled);
    check.implicit(List.of());
    return new Listing(check, _ -> List.of());
  }

  private static void subjects(Compiled compiled, String name, AccessWorld world) {
    int best = 0;
    String document = "";
    for (int n = 0; n < 2000; n += 2) {
      int found = listing(compiled).subjects(AccessWorld.document(n), 2, "", 10_000).ids().size();
      if (found > best) {
        best = found;
        document = AccessWorld.document(n);
      }
    }
    long[] times = new long[100];
    for (int i = 0; i < times.length; i++) {
      long begin = System.nanoTime();
      listing(compiled).subjects(document, 2, "", 100);
      times[i] = System.nanoTime() - begin;
    }
    Arrays.sort(times);
    System.out.printf(
        "| %s | %,d | p50 %,d, p99 %,d | |%n",
        name, best, times[times.length / 2] / 1000, times[times.length - 2] / 1000);
  }

  /// Checks over HTTP, one and many at a time, next to an authenticated call that does nothing.
  private static void http(Store store, Domain domain, AccessWorld world) {
    check(domain, "d:user_1", "d:document_1");
    Gateway gateway =
        HttpCalls.gateway(
            store,
            InstantSource.system(),
            new CheckRoutes(domain.accessAnswers(), store.seal()).routes());
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

  /// The same policy, the same questions, as far as jCasbin bears it.
  private static void casbin() {
    System.out.println();
    System.out.println(
        "| statements | ours: checks/s | p50/p99 µs | jCasbin: checks/s | p50/p99 µs |");
    System.out.println("|---:|---:|---:|---:|---:|");
    for (int statements : new int[] {1000, 10_000, 100_000, STATEMENTS}) {
      AccessWorld world = AccessWorld.of(statements);
      CompiledCheck check = new CompiledCheck(world.compiled());
      check.implicit(List.of());
      Driver.Result ours = once(_ -> checking(check, world));
      Optional<Driver.Result> theirs =
          statements <= 10_000 ? Optional.of(casbin(world)) : Optional.empty();
      System.out.printf(
          "| %,d | %,.0f | %d / %d | %s | %s |%n",
          statements,
          ours.perSecond(),
          ours.p50Micros(),
          ours.p99Micros(),
          theirs.map(each -> "%,.0f".formatted(each.perSecond())).orElse("–"),
          theirs.map(each -> "%d / %d".formatted(each.p50Micros(), each.p99Micros())).orElse("–"));
    }
  }

  private static Driver.Result casbin(AccessWorld world) {
    Model model = new Model();
    model.addDef("r", "r", "sub, obj, act");
    model.addDef("p", "p", "sub, obj, act");
    model.addDef("g", "g", "_, _");
    model.addDef("e", "e", "some(where (p.eft == allow))");
    model.addDef("m", "m", "g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act");
    Enforcer enforcer = new Enforcer(model);
    ((CoreEnforcer) enforcer).enableLog(false);
    enforcer.enableAutoBuildRoleLinks(false);
    List<List<String>> policies = new ArrayList<>();
    List<List<String>> members = new ArrayList<>();
    world.state(
        new AccessWorld.Statements() {
          @Override
          public void member(String member, String group, int number) {
            members.add(List.of(member, group));
          }

          @Override
          public void permission(String document, String subject, int number) {
            policies.add(List.of(subject, document, "read"));
          }
        });
    enforcer.addPolicies(policies);
    members.stream().distinct().forEach(enforcer::addGroupingPolicy);
    enforcer.buildRoleLinks();
    SplittableRandom random = new SplittableRandom(3);
    return once(
        _ ->
            _ ->
                enforcer.enforce(
                    AccessWorld.user(random.nextInt(world.users())),
                    AccessWorld.document(random.nextInt(world.statements())),
                    "read"));
  }

  private static Driver.Result once(IntFunction<LongConsumer> work) {
    List<Driver.Result> results = new ArrayList<>();
    for (int round = 0; round <= Driver.ROUNDS; round++) {
      Driver.Result result = Driver.drive(1, round, work, false);
      if (round > 0) {
        results.add(result);
      }
    }
    return Driver.median(results);
  }
}
