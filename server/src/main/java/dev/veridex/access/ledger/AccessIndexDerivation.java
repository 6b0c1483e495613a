package dev.veridex.access.ledger;

import dev.veridex.access.statement.BitOperations;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.KeyReader;
import dev.veridex.common.RecordKind;
import dev.veridex.common.VeridexException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/// The derivation of all records of an index from its ledger, for rebuilds and integrity scans. In
/// two passes, each in the order of its input, so that an index may be larger than memory.
public final class AccessIndexDerivation {
  private static final byte[] EMPTY = new byte[0];

  private AccessIndexDerivation() {}

  /// Takes derived records.
  @FunctionalInterface
  public interface Output {
    void record(RecordKind kind, byte[] key, byte[] value);
  }

  /// Contributions and logins, from the ledger.
  ///
  /// @param individuals hears of each
  public static void fromLedger(
      AccessRecords records, Output output, BiConsumer<String, LedgerEntry> individuals) {
    AccessIndexReader index = new AccessIndexReader(records);
    records.scan(
        RecordKind.ACCESS_LEDGER,
        EMPTY,
        (key, value) -> {
          String id = new KeyReader(key).string();
          naming(
              () -> "individual " + id,
              () -> {
                LedgerEntry entry = AccessRecordCodec.entry(value);
                individuals.accept(id, entry);
                derive(index, id, entry, output);
                return true;
              });
          return true;
        });
  }

  private static void derive(AccessIndexReader index, String id, LedgerEntry entry, Output output) {
    Map<RecordId, BitOperations> commands =
        entry.commands() ? index.commands(id, Integer.MAX_VALUE) : Map.of();
    Ledger.contributions(entry, commands)
        .forEach(
            (record, contribution) ->
                output.record(
                    RecordKind.ACCESS_CONTRIBUTION,
                    AccessKeys.contribution(record, id),
                    AccessRecordCodec.encode(contribution)));
    for (String login : Ledger.logins(entry)) {
      output.record(RecordKind.ACCESS_LOGIN, AccessKeys.login(login, entry.op(), id), EMPTY);
    }
  }

  /// Says what it was that could not be read.
  private static <T> T naming(Supplier<String> what, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (VeridexException e) {
      throw new VeridexException(e.problem().with("record", what.get()), e);
    }
  }

  /// Records in both directions, from contributions and strikes.
  public static void fromContributions(AccessRecords records, Output output) {
    Sum sum = new Sum(new AccessIndexReader(records), output);
    records.scan(
        RecordKind.ACCESS_CONTRIBUTION,
        EMPTY,
        (key, value) -> {
          AccessKeys.ContributionKey named = AccessKeys.ofContribution(key);
          return naming(
              () -> "what %s contributes to %s".formatted(named.individual(), named.id()),
              () -> {
                sum.add(named.id(), AccessRecordCodec.contribution(value));
                return true;
              });
        });
    sum.end();
  }

  /// Contributions come record by record: each ends the one before.
  private static final class Sum {
    private final AccessIndexReader index;
    private final Output output;
    private Optional<RecordId> current = Optional.empty();
    private BitOperations strikes = BitOperations.NONE;
    private AclRecord record = AclRecord.NONE;

    Sum(AccessIndexReader index, Output output) {
      this.index = index;
      this.output = output;
    }

    void add(RecordId id, Contribution contribution) {
      if (!current.equals(Optional.of(id))) {
        end();
        current = Optional.of(id);
        strikes = index.strikes(id).ops();
        record = AclRecord.NONE;
      }
      record = record.changed(Contribution.Effect.NONE, contribution.under(strikes), id);
    }

    void end() {
      if (current.isPresent() && !record.isEmpty()) {
        RecordId id = current.get();
        output.record(
            RecordKind.ACCESS_RECORD, AccessKeys.record(id), AccessRecordCodec.encode(record));
        output.record(RecordKind.ACCESS_BY_SUBJECT, AccessKeys.bySubject(id), EMPTY);
      }
    }
  }
}
