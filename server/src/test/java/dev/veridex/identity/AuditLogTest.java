package dev.veridex.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.veridex.common.MutableClock;
import dev.veridex.common.Page;
import dev.veridex.common.Scope;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Snapshot;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AuditLogTest {
  private static final Scope SCOPE = Scope.parse("tenant:acme");

  private final MemoryStore store =
      new MemoryStore(
          new MemoryDisk(new Random(1)),
          MutableClock.daysAgo(0),
          Duration.ofHours(1),
          Duration.ofDays(7));
  private final AuditLog audit = new AuditLog(Incarnations.FIRST);

  @AfterEach
  void close() {
    store.close();
  }

  private static AuditEntry entry(Scope scope, String key) {
    return new AuditEntry(
        Instant.parse("2026-05-01T12:00:00.123456Z"),
        "token-1",
        Optional.of("alice"),
        "approval.grant",
        scope,
        List.of(key, "resource:\0%", "GET"),
        Optional.empty(),
        Optional.of(Instant.parse("2026-05-02T12:00:00Z")),
        Optional.of("because"),
        AuditEntry.Outcome.DONE);
  }

  private void append(AuditEntry entry) {
    store.transact(
        transaction -> {
          audit.append(transaction, entry);
          return true;
        });
  }

  @Test
  void anEntryIsReadBackAsItWas() {
    AuditEntry entry = entry(SCOPE, "alice");
    append(entry);
    try (Snapshot snapshot = store.snapshot()) {
      assertThat(audit.read(snapshot, SCOPE, Optional.empty(), 10).items())
          .extracting(AuditLog.NumberedEntry::entry)
          .containsExactly(entry);
    }
  }

  @Test
  void pagesFollowEachOtherInCommitOrderAndStayInTheirScope() {
    IntStream.range(0, 7)
        .forEach(
            n -> {
              append(entry(SCOPE, "n" + n));
              append(entry(Scope.parse("tenant:acme:env:prod"), "other"));
              append(entry(Scope.parse("tenant:acme-corp"), "other"));
            });
    List<String> seen = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    Optional<Long> cursor = Optional.empty();
    try (Snapshot snapshot = store.snapshot()) {
      do {
        Page<AuditLog.NumberedEntry> page = audit.read(snapshot, SCOPE, cursor, 3);
        page.items()
            .forEach(
                numbered -> {
                  seen.add(numbered.entry().key().getFirst());
                  numbers.add(numbered.number());
                });
        cursor = page.cursor().map(Long::parseLong);
      } while (cursor.isPresent());
    }
    assertThat(seen).containsExactly("n0", "n1", "n2", "n3", "n4", "n5", "n6");
    assertThat(numbers).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void anAbortedTransactionLeavesNoEntry() {
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(
            () ->
                store.transact(
                    transaction -> {
                      audit.append(transaction, entry(SCOPE, "x"));
                      throw new IllegalStateException("no");
                    }));
    try (Snapshot snapshot = store.snapshot()) {
      assertThat(audit.read(snapshot, SCOPE, Optional.empty(), 10).items()).isEmpty();
    }
  }
}
