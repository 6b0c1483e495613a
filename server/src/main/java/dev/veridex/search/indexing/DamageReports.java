package dev.veridex.search.indexing;

import dev.veridex.common.IndexGeneration;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.SearchIndex;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/// The damage to an index that is known: reported by whoever looks at it, or found by reading all
/// of it.
///
/// That takes long: whoever can make searches fail must not have it done again and again.
final class DamageReports {
  private static final long EVERY_NANOS = Duration.ofMinutes(10).toNanos();

  private final LongSupplier nanos;
  private Optional<Long> checkedAt = Optional.empty();

  /// How many were closed: a report about one that is gone is not one about the index that took its
  /// place.
  private int closed;

  private boolean reported;

  DamageReports(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /// The index that is open now.
  synchronized OpenedIndex opened(IndexGeneration generation) {
    return new OpenedIndex(generation, closed);
  }

  synchronized boolean isOpen(OpenedIndex source) {
    return source.closed() == closed;
  }

  /// Somebody found an index damaged.
  ///
  /// @return whether it is still open
  synchronized boolean report(OpenedIndex source) {
    reported |= isOpen(source);
    return isOpen(source);
  }

  synchronized boolean isReported() {
    return reported;
  }

  /// The index was closed.
  synchronized void close() {
    closed++;
    reported = false;
  }

  /// Whether an index is damaged; no, if one was read a short while ago or was closed meanwhile.
  boolean isFoundIn(SearchIndex index) {
    if (!isDue()) {
      return false;
    }
    try {
      index.scan();
      return false;
    } catch (DamagedIndexException | Error e) {
      // Reading it took all memory, or worse: a length that is none.
      return true;
    } catch (RuntimeException e) {
      // It was closed meanwhile.
      return false;
    }
  }

  /// Another index takes the place of the one that was read.
  synchronized void forget() {
    checkedAt = Optional.empty();
  }

  private synchronized boolean isDue() {
    long now = nanos.getAsLong();
    if (checkedAt.filter(last -> now - last < EVERY_NANOS).isPresent()) {
      return false;
    }
    checkedAt = Optional.of(now);
    return true;
  }
}
