package dev.veridex.access;

import dev.veridex.access.ledger.AccessIndexDerivation;
import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.AccessKeys;
import dev.veridex.access.ledger.FlowState;
import dev.veridex.access.ledger.Ledger;
import dev.veridex.access.ledger.LedgerEntry;
import dev.veridex.access.ledger.StoredRecords;
import dev.veridex.common.IntegrityScan;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;

/// Compares every access index with what its ledger says, byte by byte.
///
/// What must be there is looked up, and as many records as must be there are there: then no other
/// one is.
public final class AccessIntegrity implements IntegrityScan {
  private static final int PROGRESS_EVERY = 10_000;

  private final Store store;
  private final Incarnations incarnations;

  public AccessIntegrity(Store store, Incarnations incarnations) {
    this.store = store;
    this.incarnations = incarnations;
  }

  @Override
  public String name() {
    return "access";
  }

  @Override
  public Outcome run(LongConsumer progress) {
    try (Snapshot snapshot = store.snapshot()) {
      return run(snapshot, incarnations, progress);
    }
  }

  /// Looks at all indexes that a reader sees: wherever there is a ledger.
  public static Outcome run(Reader reader, Incarnations incarnations, LongConsumer progress) {
    Run run = new Run(reader, progress);
    KeyRange ledgers =
        KeyRange.prefix(new KeyWriter().octet(RecordKind.ACCESS_LEDGER.code()).toKey());
    Optional<KeyReader.ScopePrefix> next = first(reader, ledgers);
    while (next.isPresent()) {
      Scope scope = next.get().scope();
      long incarnation = next.get().incarnation();
      // What is left of a deleted one is about to be removed, in no order.
      if (incarnations.of(reader, scope) == incarnation) {
        run.index(scope, incarnation);
      }
      byte[] whole =
          new KeyWriter().scope(RecordKind.ACCESS_LEDGER.code(), scope, incarnation).toKey();
      byte[] after = KeyRange.prefix(whole).to().orElseThrow();
      next = first(reader, new KeyRange(after, ledgers.to()));
    }
    return new Outcome(run.examined, run.drift);
  }

  private static Optional<KeyReader.ScopePrefix> first(Reader reader, KeyRange range) {
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      return cursor.next() ? Optional.of(new KeyReader(cursor.key()).scope()) : Optional.empty();
    }
  }

  private static final class Run {
    private final Reader reader;
    private final LongConsumer progress;
    private final List<String> drift = new ArrayList<>();
    private long examined;

    Run(Reader reader, LongConsumer progress) {
      this.reader = reader;
      this.progress = progress;
    }

    /// What cannot be read is told like what differs, and the next index is looked at.
    void index(Scope scope, long incarnation) {
      try {
        Optional<Long> generation = AccessIndexLocator.generation(reader, scope, incarnation);
        if (generation.isEmpty()) {
          add(scope.text() + ": the number of the generation in use is missing");
          return;
        }
        index(scope, new StoredRecords(reader, scope, incarnation, generation.get()));
      } catch (VeridexException e) {
        add(scope.text() + ": " + e.problem());
      }
    }

    private void index(Scope scope, StoredRecords records) {
      Map<RecordKind, Long> expected = new EnumMap<>(RecordKind.class);
      AccessIndexDerivation.Output compare =
          (kind, key, value) -> {
            expected.merge(kind, 1L, Long::sum);
            compare(scope, records, kind, key, value);
          };
      FlowState flow = new AccessIndexReader(records).flow();
      AccessIndexDerivation.fromLedger(
          records,
          compare,
          (id, entry) -> {
            if (flow.isBefore(entry.op())) {
              add("%s: the flow is behind the newest state of %s".formatted(scope.text(), id));
            }
          });
      AccessIndexDerivation.fromContributions(records, compare);
      for (RecordKind kind : StoredRecords.DERIVED) {
        long there = count(records, kind);
        long wanted = expected.getOrDefault(kind, 0L);
        if (there != wanted && drift.isEmpty()) {
          add("%s: %s follows from nothing".formatted(scope.text(), surplus(records, kind)));
        }
      }
    }

    private void add(String difference) {
      if (drift.size() < Outcome.MAX_DRIFT) {
        drift.add(difference);
      }
    }

    /// The first record that should not be there.
    private static String surplus(StoredRecords records, RecordKind kind) {
      AccessIndexReader index = new AccessIndexReader(records);
      List<String> first = new ArrayList<>(1);
      records.scan(
          kind,
          AccessKeys.ONE,
          (key, _) -> {
            if (!follows(index, kind, key)) {
              first.add(name(kind, key));
            }
            return first.isEmpty();
          });
      return first.stream().findFirst().orElse("a record");
    }

    private static boolean follows(AccessIndexReader index, RecordKind kind, byte[] key) {
      return switch (kind) {
        case ACCESS_CONTRIBUTION -> {
          AccessKeys.ContributionKey named = AccessKeys.ofContribution(key);
          yield index
              .entry(named.individual())
              .filter(
                  entry ->
                      Ledger.contributions(
                              entry, index.commands(named.individual(), Integer.MAX_VALUE))
                          .containsKey(named.id()))
              .isPresent();
        }
        case ACCESS_RECORD -> !index.contributions(AccessKeys.ofRecord(key)).isEmpty();
        case ACCESS_LOGIN ->
            index.entry(AccessKeys.ofLogin(key)).flatMap(LedgerEntry::individual).stream()
                .flatMap(state -> state.logins().stream())
                .anyMatch(new KeyReader(key).string()::equals);
        default -> index.find(AccessKeys.ofSubject(key)).isPresent();
      };
    }

    private void compare(
        Scope scope, StoredRecords records, RecordKind kind, byte[] key, byte[] value) {
      examined++;
      if (examined % PROGRESS_EVERY == 0) {
        progress.accept(examined);
      }
      Optional<byte[]> there = records.get(kind, key);
      boolean same = there.filter(bytes -> Arrays.equals(bytes, value)).isPresent();
      if (!same) {
        String how = there.isEmpty() ? "missing" : "not what the ledger says";
        add("%s: %s is %s".formatted(scope.text(), name(kind, key), how));
      }
    }

    private static String name(RecordKind kind, byte[] key) {
      return switch (kind) {
        case ACCESS_RECORD -> "record " + AccessKeys.ofRecord(key);
        case ACCESS_CONTRIBUTION ->
            "what %s contributes to %s"
                .formatted(
                    AccessKeys.ofContribution(key).individual(),
                    AccessKeys.ofContribution(key).id());
        case ACCESS_LOGIN -> "a login of " + AccessKeys.ofLogin(key);
        default -> "the way back to record " + AccessKeys.ofSubject(key);
      };
    }

    private long count(StoredRecords records, RecordKind kind) {
      long count = 0;
      try (Cursor cursor = reader.scan(KeyRange.prefix(records.prefix(kind)), Direction.FORWARD)) {
        while (cursor.next()) {
          count++;
        }
      }
      return count;
    }
  }
}
