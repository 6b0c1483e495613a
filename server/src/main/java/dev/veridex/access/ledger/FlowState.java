package dev.veridex.access.ledger;

import dev.veridex.access.statement.Message;
import dev.veridex.access.statement.Op;
import java.util.Optional;

/// The progress of the flow of messages.
///
/// @param largest the largest number that a message brought, if any did
/// @param n how many messages without a number followed it
/// @param changes how often the ledger was changed
/// @param struck whether there ever was a strike: most indexes never see one, and need not look
public record FlowState(Optional<Long> largest, long n, long changes, boolean struck) {
  /// Of an index that nothing came to.
  public static final FlowState NONE = new FlowState(Optional.empty(), 0, 0, false);

  /// How far a number may be beyond the largest one: a wrong one must not shut out all others.
  static final long MAX_STEP = 1L << 32;

  /// Whether the same messages came, whatever else changed.
  public boolean hasSameMessages(FlowState other) {
    return largest.equals(other.largest) && n == other.n && struck == other.struck;
  }

  /// Whether a number is too far ahead to be believed.
  boolean isTooFar(long opId) {
    return largest.isPresent() && opId - largest.get() > MAX_STEP;
  }

  /// Whether a place was not given out yet.
  public boolean isBefore(Op op) {
    return op.isAfter(new Op(largest.orElse(0L), n));
  }

  /// The place of a message.
  Op opOf(Message message) {
    return message
        .opId()
        .map(opId -> new Op(opId, 0))
        .orElseGet(() -> new Op(largest.orElse(0L), n + 1));
  }

  /// The flow after a message that took a place.
  FlowState after(Op op) {
    boolean ahead = op.n() == 0 && (largest.isEmpty() || op.opId() > largest.get());
    if (ahead) {
      // Those that came before any number stand after 0 already.
      return new FlowState(
          Optional.of(op.opId()), op.opId() > largest.orElse(0L) ? 0 : n, changes, struck);
    }
    return op.n() > n ? new FlowState(largest, op.n(), changes, struck) : this;
  }

  public FlowState changed() {
    return new FlowState(largest, n, changes + 1, struck);
  }

  FlowState withStrike() {
    return new FlowState(largest, n, changes, true);
  }
}
