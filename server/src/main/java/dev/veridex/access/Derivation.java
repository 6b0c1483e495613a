package dev.veridex.access;

import dev.veridex.common.KeyReader;
import dev.veridex.common.Space;
import dev.veridex.common.VeridexException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/// All derived records, from what they are derived from: for whoever rebuilds or verifies an index.
/// In two passes, each in the order of what it reads, so that an index may be larger than memory.
final class Derivation {
  private static final byte[] EMPTY = new byte[0];

  private Derivation() {}

  /// Takes derived records.
  @FunctionalInterface
  interface Output {
    void record(Space space, byte[] key, byte[] value);
  }

  /// Contributions and logins, from the ledger.
  ///
  /// @param individuals hears of each
  static void fromLedger(
      Records records, Output output, BiConsumer<String, LedgerEntry> individuals) {
    IndexReader index = new IndexReader(records);
    records.scan(
        Space.ACCESS_LEDGER,
        EMPTY,
        (key, value) -> {
          String id = new KeyReader(key).string();
          naming(
              () -> "individual " + id,
              () -> {
                LedgerEntry entry = Codec.entry(value);
                individuals.accept(id, entry);
                derive(index, id, entry, output);
                return true;
              });
          return true;
        });
  }

  private static void derive(IndexReader index, String id, LedgerEntry entry, Output output) {
    Map<RecordId, BitOps> commands =
        entry.commands() ? index.commands(id, Integer.MAX_VALUE) : Map.of();
    Ledger.contributions(entry, commands)
        .forEach(
            (record, contribution) ->
                output.record(
                    Space.ACCESS_CONTRIBUTION,
                    Keys.contribution(record, id),
                    Codec.encode(contribution)));
    for (String login : Ledger.logins(entry)) {
      output.record(Space.ACCESS_LOGIN, Keys.login(login, entry.op(), id), EMPTY);
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
  static void fromContributions(Records records, Output output) {
    Sum sum = new Sum(new IndexReader(records), output);
    records.scan(
        Space.ACCESS_CONTRIBUTION,
        EMPTY,
        (key, value) -> {
          Keys.Contributed named = Keys.ofContribution(key);
          return naming(
              () -> "what %s contributes to %s".formatted(named.individual(), named.id()),
              () -> {
                sum.add(named.id(), Codec.contribution(value));
                return true;
              });
        });
    sum.end();
  }

  /// Contributions come record by record: each ends the one before.
  private static final class Sum {
    private final IndexReader index;
    private final Output output;
    private Optional<RecordId> current = Optional.empty();
    private BitOps strikes = BitOps.NONE;
    private AclRecord record = AclRecord.NONE;

    Sum(IndexReader index, Output output) {
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
        output.record(Space.ACCESS_RECORD, Keys.record(id), Codec.encode(record));
        output.record(Space.ACCESS_BY_SUBJECT, Keys.bySubject(id), EMPTY);
      }
    }
  }
}
