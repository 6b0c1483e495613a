package dev.veridex.search;

import dev.veridex.common.CursorSeal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.index.IndexView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// Places in lists of hits, and the views that they are places in. A view is kept for a while after
/// it was last used; of too many in a scope the one that was not used for longest goes.
final class Cursors {
  private static final Duration KEPT = Duration.ofMinutes(5);
  private static final int MAX_IN_SCOPE = 1000;

  private final CursorSeal seal;
  private final Map<Long, Pinned> pinned = new HashMap<>();
  private final AtomicLong ids;

  /// @param first a number that no earlier process began at
  Cursors(CursorSeal seal, long first) {
    this.seal = seal;
    this.ids = new AtomicLong(first);
  }

  /// A view that is kept for whoever asks for the next page.
  static final class Pinned implements AutoCloseable {
    private final Scope scope;
    private final IndexView view;
    private Instant usedAt;
    private int users;
    private boolean dropped;

    private Pinned(Scope scope, IndexView view, Instant usedAt) {
      this.scope = scope;
      this.view = view;
      this.usedAt = usedAt;
    }

    IndexView view() {
      return view;
    }

    private synchronized boolean hold(Instant now) {
      if (dropped) {
        return false;
      }
      users++;
      usedAt = now;
      return true;
    }

    private synchronized void drop() {
      dropped = true;
      if (users == 0) {
        view.close();
      }
    }

    private synchronized Instant usedAt() {
      return usedAt;
    }

    /// The asker is done with it for now.
    @Override
    public synchronized void close() {
      users--;
      if (dropped && users == 0) {
        view.close();
      }
    }
  }

  /// A cursor that was given.
  ///
  /// @param place of the last hit
  record Given(long id, Pinned pinned, byte[] place) implements AutoCloseable {
    @Override
    public void close() {
      pinned.close();
    }
  }

  /// Opens a cursor.
  ///
  /// @param list whose list it must be of
  Given open(byte[] list, String cursor, Instant now) {
    KeyReader reader;
    try {
      reader = new KeyReader(seal.open(list, cursor));
    } catch (VeridexException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_CURSOR, "this search never gave out such a cursor")
              .at("/cursor"),
          e);
    }
    long id = reader.unsigned();
    byte[] place = reader.bytes();
    sweep(now);
    Pinned found;
    synchronized (this) {
      found = pinned.get(id);
    }
    if (found == null || !found.hold(now)) {
      throw new VeridexException(
          Problem.of(ErrorCode.CURSOR_EXPIRED, "the cursor was not used for too long")
              .at("/cursor"));
    }
    return new Given(id, found, place);
  }

  /// Keeps a view, and gives out the first cursor in it. The view is the cursors' own from now on.
  String pin(Scope scope, IndexView view, byte[] list, byte[] place, Instant now) {
    long id = ids.incrementAndGet();
    List<Pinned> gone = new ArrayList<>();
    synchronized (this) {
      pinned.put(id, new Pinned(scope, view, now));
      List<Map.Entry<Long, Pinned>> own =
          pinned.entrySet().stream()
              .filter(each -> each.getValue().scope.equals(scope))
              .sorted(
                  Comparator.comparing((Map.Entry<Long, Pinned> each) -> each.getValue().usedAt()))
              .toList();
      for (int i = 0; i < own.size() - MAX_IN_SCOPE; i++) {
        gone.add(own.get(i).getValue());
        pinned.remove(own.get(i).getKey());
      }
    }
    gone.forEach(Pinned::drop);
    sweep(now);
    return text(id, list, place);
  }

  /// The next cursor in a view that is kept.
  String text(long id, byte[] list, byte[] place) {
    return seal.seal(list, new KeyWriter().unsigned(id).bytes(place).toKey());
  }

  /// Lets go of what was not used for long.
  void sweep(Instant now) {
    List<Pinned> gone = new ArrayList<>();
    synchronized (this) {
      pinned
          .values()
          .removeIf(
              each -> {
                boolean old = !each.usedAt().plus(KEPT).isAfter(now);
                if (old) {
                  gone.add(each);
                }
                return old;
              });
    }
    gone.forEach(Pinned::drop);
  }

  /// Lets go of everything.
  void close() {
    List<Pinned> all;
    synchronized (this) {
      all = List.copyOf(pinned.values());
      pinned.clear();
    }
    all.forEach(Pinned::drop);
  }
}
