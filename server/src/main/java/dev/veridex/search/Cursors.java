package dev.veridex.search;

import dev.veridex.buckets.Generation;
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

/// Places in lists of hits, and the views that they are places in. Views are kept for a while after
/// they were last used; of too many in a scope those go that were not used for longest.
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

  /// What a bucket's index showed when the first page was asked for.
  record Shown(String bucket, Generation generation, IndexView view) {}

  /// Views that are kept for whoever asks for the next page.
  static final class Pinned implements AutoCloseable {
    private final Scope scope;
    private final List<Shown> shown;
    private Instant usedAt;
    private int users;
    private boolean dropped;

    private Pinned(Scope scope, List<Shown> shown, Instant usedAt) {
      this.scope = scope;
      this.shown = List.copyOf(shown);
      this.usedAt = usedAt;
    }

    List<Shown> shown() {
      return shown;
    }

    private void letGo() {
      shown.forEach(each -> each.view.close());
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
        letGo();
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
        letGo();
      }
    }
  }

  /// A cursor that was given.
  record Given(long id, Pinned pinned, Together.Last last) implements AutoCloseable {
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
    Together.Last last = new Together.Last((int) reader.unsigned(), reader.bytes());
    sweep(now);
    Pinned found;
    synchronized (this) {
      found = pinned.get(id);
    }
    if (found == null || !found.hold(now)) {
      throw expired("the cursor was not used for too long");
    }
    return new Given(id, found, last);
  }

  static VeridexException expired(String why) {
    return new VeridexException(Problem.of(ErrorCode.CURSOR_EXPIRED, why).at("/cursor"));
  }

  /// Keeps views, and gives out the first cursor in them. They are the cursors' own from now on.
  String pin(Scope scope, List<Shown> shown, byte[] list, Together.Last last, Instant now) {
    long id = ids.incrementAndGet();
    List<Pinned> gone = new ArrayList<>();
    synchronized (this) {
      pinned.put(id, new Pinned(scope, shown, now));
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
    return text(id, list, last);
  }

  /// The next cursor in views that are kept.
  String text(long id, byte[] list, Together.Last last) {
    return seal.seal(
        list, new KeyWriter().unsigned(id).unsigned(last.source()).bytes(last.place()).toKey());
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
