package dev.veridex.benchmarks;

import dev.veridex.Domain;
import dev.veridex.access.AccessSettings;
import dev.veridex.common.Scope;
import dev.veridex.grants.GrantKey;
import dev.veridex.grants.GrantKind;
import dev.veridex.grants.GrantRequest;
import dev.veridex.grants.GrantRequest.WantedLife;
import dev.veridex.grants.GrantScopes;
import dev.veridex.grants.GrantSelection;
import dev.veridex.grants.RelationType;
import dev.veridex.identity.Token;
import dev.veridex.store.rocks.RocksStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/// Approvals asked for and given among more and more of them, paths, and what a scope costs on
/// keys.
final class GrantCalls {
  private static final Scope ACME = new Scope.TenantEnvironment("acme", "production");
  private static final Scope GLOBAL = new Scope.Global();
  private static final int[] SIZES = {10_000, 100_000, 1_000_000};
  private static final int STORED = Integer.getInteger("stored", 300_000);

  /// An action that counts in decisions, and one that does not: what only keys cost is measured
  /// with the latter.
  private static final String RIGHT = "read";

  private static final String OTHER = "sign";
  private static final int WRITERS = 64;
  private static final int USERS = 10_000;

  private GrantCalls() {}

  /// A store with grants.
  private static final class World implements AutoCloseable {
    final Path folder = Data.folder();
    final RocksStore store = Data.store(folder.resolve("store"), InstantSource.system());
    final Domain domain;
    final Token root;

    World() {
      Random random = new Random(1);
      domain =
          Domain.on(
              store,
              new Domain.Parts(
                  random,
                  random,
                  Domain.itemVersions(),
                  _ -> false,
                  new AccessSettings(0, AccessSettings.PAST_RETENTION, Runnable::run)));
      root = domain.tenancy().tokens().adoptRoot("the root secret of this benchmark");
    }

    void give(Scope scope, GrantKey key, Optional<RelationType> type) {
      var _ =
          domain
              .grants()
              .writer()
              .give(
                  root,
                  new GrantRequest(
                      scope,
                      false,
                      key,
                      type,
                      new WantedLife(Optional.of(Duration.ofDays(30)), Optional.empty()),
                      Map.of("ticket", "OPS-1234"),
                      Optional.empty()));
    }

    boolean has(Scope scope, long number, String action) {
      return domain
          .grants()
          .reader()
          .find(root, scope, List.of(approval(number, action)))
          .value()
          .getFirst()
          .isPresent();
    }

    /// Gives approvals with numbers from one up to another, by many at once.
    void fill(Scope scope, String action, long from, long to) {
      AtomicLong next = new AtomicLong(from);
      Driver.inParallel(
          WRITERS,
          () -> {
            for (long n = next.getAndIncrement(); n < to; n = next.getAndIncrement()) {
              give(scope, approval(n, action), Optional.empty());
            }
          });
    }

    @Override
    public void close() {
      store.close();
      Data.delete(folder);
    }
  }

  private static GrantKey approval(long n, String action) {
    return GrantKey.approval(
        "user-%d@example.com".formatted(n % USERS),
        "https://api.example.com/documents/" + n,
        action);
  }

  /// @param parts `has`, `scope`, `end`; none: all
  static void run(List<String> parts) {
    if (parts.isEmpty() || parts.contains("has")) {
      sizes();
    }
    if (parts.isEmpty() || parts.contains("scope")) {
      scopes();
    }
    if (parts.isEmpty() || parts.contains("end")) {
      GrantEnds.run();
    }
  }

  private static void sizes() {
    System.out.println(
        "| approvals | `has` /s | p50/p99 µs | one after the other: given /s | p50/p99 µs | a bare durable put /s | p50/p99 µs | given/put | a path of 10 steps, p50/p99 µs |");
    System.out.println("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    try (World world = new World()) {
      for (int i = 0; i < 10; i++) {
        world.give(
            ACME,
            GrantKey.relationship("node-" + i, "in", "node-" + (i + 1)),
            Optional.of(new RelationType("membership")));
      }
      long filled = 0;
      for (int size : SIZES) {
        world.fill(ACME, RIGHT, filled, size);
        filled = size;
        row(world, size);
      }
    }
  }

  private static void row(World world, int size) {
    SplittableRandom random = new SplittableRandom(7);
    Driver.Result has =
        measured(
            _ -> {
              if (!world.has(ACME, random.nextLong(size), RIGHT)) {
                throw new IllegalStateException("an approval is missing");
              }
            });
    byte[] value = new byte[120];
    Driver.Result put =
        measured(
            n -> {
              var _ =
                  world.store.transact(
                      transaction -> {
                        transaction.put(
                            ("raw key of about the same length as one of an approval: " + n)
                                .getBytes(StandardCharsets.UTF_8),
                            value);
                        return true;
                      });
            });
    Driver.Result given =
        measured(n -> world.give(ACME, approval(10_000_000 + n, RIGHT), Optional.empty()));
    Driver.Result path =
        measured(
            _ -> {
              var _ =
                  world
                      .domain
                      .grants()
                      .paths()
                      .find(world.root, ACME, "node-0", "in", "node-10", 10);
            });
    System.out.printf(
        "| %,d | %,.0f | %d / %d | %,.0f | %d / %d | %,.0f | %d / %d | %.2f | %d / %d |%n",
        size,
        has.perSecond(),
        has.p50Micros(),
        has.p99Micros(),
        given.perSecond(),
        given.p50Micros(),
        given.p99Micros(),
        put.perSecond(),
        put.p50Micros(),
        put.p99Micros(),
        given.perSecond() / put.perSecond(),
        path.p50Micros(),
        path.p99Micros());
  }

  private static Driver.Result measured(LongConsumer work) {
    Driver.Result _ = Driver.drive(1, 0, _ -> work, false);
    return Driver.median(
        List.of(
            Driver.drive(1, 1, _ -> work, false),
            Driver.drive(1, 2, _ -> work, false),
            Driver.drive(1, 3, _ -> work, false)));
  }

  /// The same approvals in Global and in an environment of an account, in turn.
  private static void scopes() {
    System.out.printf("%n%,d approvals in each:%n%n", STORED);
    System.out.println(
        "| scope | `has` /s | lists of one identity /s | bytes on disk an approval |");
    System.out.println("|---|---:|---:|---:|");
    try (World unscoped = new World();
        World scoped = new World()) {
      unscoped.fill(GLOBAL, OTHER, 0, STORED);
      scoped.fill(ACME, OTHER, 0, STORED);
      unscoped.store.compact();
      scoped.store.compact();
      double[][] rates = new double[2][2];
      for (int round = 0; round < 2 * Driver.ROUNDS; round++) {
        boolean first = round % 2 == 0;
        World world = first ? unscoped : scoped;
        Scope scope = first ? GLOBAL : ACME;
        SplittableRandom random = new SplittableRandom(round / 2);
        double has =
            Driver.drive(
                    1, round, _ -> _ -> world.has(scope, random.nextLong(STORED), OTHER), false)
                .perSecond();
        double list =
            Driver.drive(1, round, _ -> _ -> list(world, scope, random.nextInt(USERS)), false)
                .perSecond();
        int at = first ? 0 : 1;
        rates[at][0] = Math.max(rates[at][0], has);
        rates[at][1] = Math.max(rates[at][1], list);
      }
      print("global", rates[0], unscoped.store);
      print(ACME.text(), rates[1], scoped.store);
    }
  }

  private static void list(World world, Scope scope, int user) {
    var page =
        world
            .domain
            .grants()
            .reader()
            .list(
                world.root,
                GrantSelection.all(GrantKind.APPROVAL, GrantScopes.exactly(scope))
                    .of("user-%d@example.com".formatted(user)),
                Optional.empty(),
                100);
    if (page.value().items().isEmpty()) {
      throw new IllegalStateException("nothing is listed");
    }
  }

  private static void print(String scope, double[] rates, RocksStore store) {
    long bytes =
        store.bytesOnDisk().entrySet().stream()
            .filter(family -> family.getKey().equals("expiring-long"))
            .mapToLong(Map.Entry::getValue)
            .sum();
    System.out.printf(
        "| %s | %,.0f | %,.0f | %.1f |%n", scope, rates[0], rates[1], (double) bytes / STORED);
  }
}
