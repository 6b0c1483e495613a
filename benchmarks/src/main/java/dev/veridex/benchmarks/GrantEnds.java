package dev.veridex.benchmarks;

import dev.veridex.Domain;
import dev.veridex.access.AccessSettings;
import dev.veridex.access.AsOf;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.common.Namespace;
import dev.veridex.grants.GrantKey;
import dev.veridex.grants.GrantRequest;
import dev.veridex.grants.GrantRequest.WantedLife;
import dev.veridex.grants.RelationType;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.tenancy.Account;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

/// Ten thousand memberships and ten thousand approvals that end in the same second, on a clock of
/// our own, and checks all along.
final class GrantEnds {
  private static final int MANY = Integer.getInteger("ending", 10_000);
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final RelationType MEMBERSHIP = new RelationType("membership");

  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
  private final Domain domain;
  private final Token root;

  private GrantEnds(RocksStore store, Domain domain) {
    this.domain = domain;
    this.root = domain.tenancy().tokens().adoptRoot("the root secret of this benchmark");
    var _ =
        domain
            .tenancy()
            .accounts()
            .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
  }

  static void run() {
    Path folder = Data.folder();
    AtomicReference<GrantEnds> ends = new AtomicReference<>();
    Instant begin = Instant.now();
    try (RocksStore store =
        Data.store(
            folder.resolve("store"),
            () -> Optional.ofNullable(ends.get()).map(each -> each.now.get()).orElse(begin))) {
      Random random = new Random(1);
      ends.set(
          new GrantEnds(
              store,
              Domain.on(
                  store,
                  new Domain.Parts(
                      random,
                      random,
                      Domain.itemVersions(),
                      _ -> false,
                      new AccessSettings(
                          1L << 30, AccessSettings.PAST_RETENTION, Runnable::run)))));
      ends.get().measure();
    } finally {
      Data.delete(folder);
    }
  }

  private void measure() {
    System.out.printf(
        "%n%,d memberships and %,d approvals end in one second, each at another time; checks of"
            + " others and of those concerned, one each millisecond:%n%n",
        MANY, MANY);
    Instant end = now.get().plusSeconds(3600);
    boolean _ = check("user-0", "document-0");
    for (int i = 0; i < MANY; i++) {
      Instant own = end.plusNanos(1_000_000_000L / MANY * i);
      give(GrantKey.relationship("user-" + i, "member", "group-" + i % 100), own);
      give(GrantKey.approval("user-" + i, "document-" + i, "read"), own);
    }
    System.out.println("| | p50 µs | p99 µs | max µs |");
    System.out.println("|---|---:|---:|---:|");
    row("before", end.minusSeconds(2));
    row("while they end", end);
    row("after", end.plusSeconds(2));
  }

  private void row(String what, Instant from) {
    List<Long> nanos = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      now.set(from.plusMillis(i));
      long begin = System.nanoTime();
      boolean _ = check("user-" + i * 7 % MANY, "document-" + i * 7 % MANY);
      nanos.add(System.nanoTime() - begin);
    }
    SearchContest.Times times = SearchContest.Times.of(what, nanos);
    System.out.printf(
        "| %s | %,.0f | %,.0f | %,.0f |%n",
        what,
        times.p50(),
        times.p99(),
        nanos.stream().mapToLong(Long::longValue).max().orElseThrow() / 1e3);
  }

  private boolean check(String subject, String resource) {
    return domain
            .access()
            .checker()
            .check(
                Caller.of(root),
                ACME,
                List.of(
                    new RightsChecker.Query(
                        CheckRequest.of(subject, resource, Optional.empty(), Optional.empty()),
                        false)),
                AsOf.now())
            .value()
            .getFirst()
            .rights()
        != 0;
  }

  private void give(GrantKey key, Instant end) {
    var _ =
        domain
            .grants()
            .writer()
            .give(
                root,
                new GrantRequest(
                    ACME.scope(),
                    false,
                    key,
                    key.parts().contains("member") ? Optional.of(MEMBERSHIP) : Optional.empty(),
                    new WantedLife(Optional.<Duration>empty(), Optional.of(end)),
                    Map.of(),
                    Optional.empty()));
  }
}
