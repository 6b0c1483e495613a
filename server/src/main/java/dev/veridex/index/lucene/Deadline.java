package dev.veridex.index.lucene;

import java.time.Duration;
import java.util.function.LongSupplier;

/// The deadline of a search, for those parts of it that Lucene does not end by itself. It belongs
/// to one search, hence to one thread.
final class Deadline {
  private final LongSupplier nanos;
  private final long end;
  private boolean missed;

  Deadline(Duration timeout, LongSupplier nanos) {
    this.nanos = nanos;
    this.end = nanos.getAsLong() + timeout.toNanos();
  }

  boolean isOver() {
    return nanos.getAsLong() - end > 0;
  }

  /// Whether to leave out the rest of the work: then the answer is not complete.
  boolean stops() {
    missed |= isOver();
    return missed;
  }

  /// Whether something was left out.
  boolean wasMissed() {
    return missed;
  }
}
