package dev.veridex.store.rocks;

import dev.veridex.common.ErrorCode;
import dev.veridex.store.StoreException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The views that somebody looks at, and the door through which new readers come.
///
/// The door can be shut, because a database may only be closed when nobody reads it any more.
final class Views {
  /// The admission state of new readers.
  private enum Door {
    OPEN,
    /// Wait, it will not take long.
    PAUSED,
    /// There is no database at the moment.
    DOWN,
    CLOSED
  }

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private volatile Door door = Door.DOWN;
  private volatile @Nullable RocksView current;
  private volatile long lastSequence;

  /// Views that may still be held, oldest first, the current one last; the committer's own.
  private final Deque<RocksView> live = new ArrayDeque<>();

  /// The newest view, held for the caller.
  RocksView hold() {
    while (true) {
      awaitDoor();
      RocksView view = current;
      if (view != null && view.hold()) {
        // Looked at again after the hold: whoever shuts the door counts holds after shutting it.
        if (door == Door.OPEN) {
          return view;
        }
        view.letGo();
      }
    }
  }

  /// The sequence of the newest view, also when the door is shut.
  long sequence() {
    RocksView view = current;
    return view == null ? lastSequence : Math.max(view.sequence(), lastSequence);
  }

  /// Makes a view the newest one. For the committer.
  void publish(RocksView view) {
    RocksView before = current;
    live.addLast(view);
    current = view;
    lastSequence = view.sequence();
    if (before != null) {
      before.letGo();
    }
  }

  /// The newest view. For the committer, which alone replaces it.
  RocksView current() {
    return Objects.requireNonNull(current);
  }

  /// The oldest sequence that a running transaction reads. For the committer.
  long oldestTransaction() {
    long oldest = Long.MAX_VALUE;
    Iterator<RocksView> views = live.iterator();
    while (views.hasNext()) {
      RocksView view = views.next();
      if (view.isReleased()) {
        views.remove();
      } else if (view == current || view.transactions().get() > 0) {
        oldest = Math.min(oldest, view.sequence());
      }
    }
    return oldest;
  }

  /// Lets readers in.
  void open() {
    turn(Door.OPEN);
  }

  /// Makes new readers wait.
  void pause() {
    turn(Door.PAUSED);
  }

  /// Tells new readers that there is nothing to read for now.
  void down() {
    turn(Door.DOWN);
  }

  /// Tells new readers that it is over, once and for all.
  void close() {
    turn(Door.CLOSED);
  }

  private synchronized void turn(Door to) {
    // Whoever closes the store does so while the committer may be about to open the door again.
    if (door != Door.CLOSED) {
      door = to;
      notifyAll();
    }
  }

  /// Waits until nobody holds a view, then lets go of the last one. For the committer, behind a
  /// shut door.
  ///
  /// @param meanwhile called again and again: whoever waits for the committer holds a view
  /// @return false if it took too long
  boolean drain(long nanos, Runnable meanwhile) {
    long deadline = System.nanoTime() + nanos;
    while (!isDrained()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      meanwhile.run();
      LockSupport.parkNanos(this, POLL_NANOS);
    }
    RocksView last = current;
    current = null;
    live.clear();
    if (last != null) {
      last.letGo();
      // Somebody may just have held it, to find the door shut and let go again.
      while (!last.isReleased()) {
        LockSupport.parkNanos(this, POLL_NANOS);
      }
    }
    return true;
  }

  private boolean isDrained() {
    return live.stream().allMatch(view -> view == current ? view.holds() == 1 : view.isReleased());
  }

  private void awaitDoor() {
    if (door == Door.OPEN) {
      return;
    }
    synchronized (this) {
      boolean interrupted = false;
      while (door == Door.PAUSED) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      switch (door) {
        case CLOSED -> throw StoreException.of(ErrorCode.CLOSED, "the store is closed");
        case DOWN ->
            throw StoreException.of(
                ErrorCode.UNAVAILABLE, "the store is down until its disk works again");
        case OPEN, PAUSED -> {}
      }
    }
  }
}
