package dev.veridex.search.indexing;

import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.SearchIndex;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/// Reads all of an index to see whether it is damaged.
///
/// That takes long: whoever can make searches fail must not have it done again and again.
final class DamageCheck {
  private static final long EVERY_NANOS = Duration.ofMinutes(10).toNanos();

  private final LongSupplier nanos;
  private Optional<Long> checkedAt = Optional.empty();

  DamageCheck(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /// Whether an index is damaged; no, if one was read a short while ago or was closed meanwhile.
  boolean isFoundIn(SearchIndex index) {
    if (!isDue()) {
      return false;
    }
    try {
      index.check();
      return false;
    } catch (DamagedIndexException e) {
      return true;
    } catch (RuntimeException e) {
      // It was closed meanwhile.
      return false;
    }
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
