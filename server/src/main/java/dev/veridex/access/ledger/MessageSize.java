package dev.veridex.access.ledger;

import dev.veridex.access.statement.Individual;
import dev.veridex.access.statement.IndividualParser;
import dev.veridex.access.statement.Message;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// The limit of what one message may write.
///
/// @param prefixBytes how many bytes every key has besides its own
record MessageSize(AccessIndexReader index, int prefixBytes) {
  /// The most bytes of keys that a state may take.
  private static final long MAX_BYTES = 176L << 20;

  /// A contribution, a record in both directions, and what each of them was before; of a strike
  /// also the strike, who made it and what a command named, with what these were before.
  private static final int KEYS_OF_A_STATE = 6;

  private static final int KEYS_OF_A_STRIKE = 12;

  /// So many records fit, however long their names are.
  private static final int SURELY_FIT = 1000;

  /// The ends of the parts of a key, and its value.
  private static final int KEY_OVERHEAD = 32;

  /// Why a message is too large; nothing if it is not. One transaction has to hold the old state of
  /// an individual and its new one, whatever came before: so each may write half of what fits, with
  /// all that it keeps of earlier commands.
  Optional<Problem> excess(Message message) {
    if (message.state().isEmpty()) {
      return Optional.empty();
    }
    Individual state = message.state().get();
    boolean keeps =
        state.isLiveCommand()
            && index.entry(message.id()).filter(LedgerEntry::commands).isPresent();
    if (!keeps && state.names().size() <= SURELY_FIT) {
      return Optional.empty();
    }
    Set<RecordId> names = new HashSet<>(state.names());
    if (keeps) {
      names.addAll(index.commands(message.id(), 2 * IndividualParser.MAX_TUPLES).keySet());
    }
    long bytes = 0;
    for (RecordId id : names) {
      bytes +=
          IndividualParser.utf8Length(id.key().filter())
              + IndividualParser.utf8Length(id.key().object())
              + IndividualParser.utf8Length(id.subject());
    }
    int keys = message.strikes() ? KEYS_OF_A_STRIKE : KEYS_OF_A_STATE;
    long each = (long) prefixBytes + KEY_OVERHEAD + IndividualParser.utf8Length(message.id());
    bytes = keys * (bytes + each * names.size()) + 2L * state.content().length;
    return names.size() <= IndividualParser.MAX_TUPLES && bytes <= MAX_BYTES
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.BAD_REQUEST, "an individual names too many records")
                .at(message.pointer())
                .with("tuples", names.size())
                .with("max", IndividualParser.MAX_TUPLES)
                .with("bytes", bytes)
                .with("maxBytes", MAX_BYTES));
  }
}
