package dev.veridex.access;

import dev.veridex.common.KeyReader;
import dev.veridex.common.Space;
import java.util.Map;
import java.util.Optional;

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
  /// @param individual hears of each
  static void fromLedger(Records records, Output output, Runnable individual) {
    IndexReader index = new IndexReader(records);
    records.scan(
        Space.ACCESS_LEDGER,
        EMPTY,
        (key, value) -> {
          individual.run();
          String id = new KeyReader(key).string();
          LedgerEntry entry = Codec.entry(value);
          Map<RecordId, BitOps> commands = entry.commands() ? index.commands(id) : Map.of();
          Ledger.contributions(entry, commands)
              .forEach(
                  (record, contribution) ->
                      output.record(
                          Space.ACCESS_CONTRIBUTION,
                          Keys.contribution(record, id),
                          Codec.encode(contribution)));
          entry
              .individual()
              .ifPresent(
                  state ->
                      state
                          .logins()
                          .forEach(
                              login ->
                                  output.record(
                                      Space.ACCESS_LOGIN,
                                      Keys.login(login, entry.op(), id),
                                      EMPTY)));
          return true;
        });
  }

  /// Records in both directions, from contributions and strikes.
  static void fromContributions(Records records, Output output) {
    Sum sum = new Sum(new IndexReader(records), output);
    records.scan(
        Space.ACCESS_CONTRIBUTION,
        EMPTY,
        (key, value) -> {
          sum.add(Keys.ofContribution(key).id(), Codec.contribution(value));
          return true;
        });
    sum.end();
  }

  /// Contributions come record by record: each ends the one before.
  private static final class Sum {
    private static final Contribution.Effect NONE =
        new Contribution.Effect(false, false, 0, Marker.NONE);

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
      record = record.changed(NONE, contribution.under(strikes), id);
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
