package dev.veridex.access;

import dev.veridex.common.Scope;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The wake-up signals for readers of access index changes.
public final class ChangeSignals {
  private final ConcurrentMap<Scope, Set<Signal>> listening = new ConcurrentHashMap<>();

  /// Hears of changes from the moment it is made.
  public final class Signal implements AutoCloseable {
    private final Scope scope;
    private final Semaphore changes = new Semaphore(0);

    private Signal(Scope scope) {
      this.scope = scope;
    }

    /// Waits for a change since it last waited, or for as long as that.
    ///
    /// @return whether there was one
    public boolean await(Duration most) {
      try {
        boolean changed = changes.tryAcquire(most.toNanos(), TimeUnit.NANOSECONDS);
        int _ = changes.drainPermits();
        return changed;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    @Override
    public void close() {
      listening.computeIfPresent(
          scope,
          (_, others) -> {
            others.remove(this);
            return others.isEmpty() ? null : others;
          });
    }
  }

  /// Somebody who hears of changes of an index until it is closed.
  Signal listen(Scope scope) {
    Signal signal = new Signal(scope);
    listening.compute(
        scope,
        (_, others) -> {
          Set<Signal> all = others == null ? ConcurrentHashMap.newKeySet() : others;
          all.add(signal);
          return all;
        });
    return signal;
  }

  /// Tells that an index was changed.
  void changed(Scope scope) {
    Set<Signal> signals = listening.get(scope);
    if (signals != null) {
      signals.forEach(signal -> signal.changes.release());
    }
  }
}
