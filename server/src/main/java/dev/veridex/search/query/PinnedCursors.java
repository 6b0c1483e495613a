package dev.veridex.search.query;

import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.common.CursorSeal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.search.indexing.OpenedIndex;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// The open search cursors with the index views that they pin, closed five minutes after their last
/// use.
final class PinnedCursors {
  private static final System.Logger LOG = System.getLogger(PinnedCursors.class.getName());
  private static final Duration KEPT = Duration.ofMinutes(5);
  private static final int MAX_IN_SCOPE = 1000;

  private final CursorSeal seal;

  /// By scope, and there by number, those that were not used for longest first.
  private final Map<Scope, Map<Long, PinnedList>> pinned = new HashMap<>();

  private final AtomicLong ids;

  /// @param first a number that no earlier process began at
  PinnedCursors(CursorSeal seal, long first) {
    this.seal = seal;
    this.ids = new AtomicLong(first);
  }

  /// The view of a bucket's index that was opened for the first page.
  ///
  /// @param source the index that the view is of
  /// @param schema as it was then: what others write later must not change what the list is of
  /// @param asOf everything accepted up to it was there
  record PinnedView(
      String bucket,
      OpenedIndex source,
      Schema schema,
      IndexView view,
      IndexGenerations.Watermark asOf) {
    IndexGeneration generation() {
      return source.generation();
    }

    /// Closes all views, whatever becomes of each.
    static void close(List<PinnedView> all) {
      RuntimeException failed = null;
      for (PinnedView each : all) {
        try {
          each.view.close();
        } catch (RuntimeException e) {
          failed = e;
        }
      }
      if (failed != null) {
        throw failed;
      }
    }
  }

  /// The index views kept open for the next pages of one search.
  static final class PinnedList implements AutoCloseable {
    private final List<PinnedView> shown;
    private Instant usedAt;
    private int users;
    private boolean dropped;

    private PinnedList(List<PinnedView> shown, Instant usedAt) {
      this.shown = List.copyOf(shown);
      this.usedAt = usedAt;
    }

    List<PinnedView> shown() {
      return shown;
    }

    private void letGo() {
      PinnedView.close(shown);
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
  record OpenedCursor(long id, PinnedList pinned, MultiBucketSearch.Last last)
      implements AutoCloseable {
    @Override
    public void close() {
      pinned.close();
    }
  }

  /// Opens a cursor.
  ///
  /// @param list whose list it must be of
  OpenedCursor open(Scope scope, byte[] list, String cursor, Instant now) {
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
    MultiBucketSearch.Last last =
        new MultiBucketSearch.Last((int) reader.unsigned(), reader.bytes());
    sweep(now);
    PinnedList found;
    synchronized (this) {
      found = pinned.getOrDefault(scope, Map.of()).get(id);
    }
    if (found == null || !found.hold(now)) {
      throw expired("the cursor was not used for too long");
    }
    return new OpenedCursor(id, found, last);
  }

  static VeridexException expired(String why) {
    return new VeridexException(Problem.of(ErrorCode.CURSOR_EXPIRED, why).at("/cursor"));
  }

  /// Keeps views, and gives out the first cursor in them. They are the cursors' own from now on.
  String pin(
      Scope scope, List<PinnedView> shown, byte[] list, MultiBucketSearch.Last last, Instant now) {
    long id = ids.incrementAndGet();
    List<PinnedList> gone = new ArrayList<>();
    synchronized (this) {
      Map<Long, PinnedList> own =
          pinned.computeIfAbsent(scope, _ -> new LinkedHashMap<>(16, 0.75f, true));
      own.put(id, new PinnedList(shown, now));
      if (own.size() > MAX_IN_SCOPE) {
        Iterator<PinnedList> oldest = own.values().iterator();
        gone.add(oldest.next());
        oldest.remove();
      }
    }
    drop(gone);
    sweep(now);
    return text(id, list, last);
  }

  /// The next cursor in views that are kept.
  String text(long id, byte[] list, MultiBucketSearch.Last last) {
    return seal.seal(
        list, new KeyWriter().unsigned(id).unsigned(last.source()).bytes(last.position()).toKey());
  }

  /// Lets go of what was not used for long.
  void sweep(Instant now) {
    List<PinnedList> gone = new ArrayList<>();
    synchronized (this) {
      pinned.values().forEach(own -> sweep(own, now, gone));
      pinned.values().removeIf(Map::isEmpty);
    }
    drop(gone);
  }

  private static void sweep(Map<Long, PinnedList> own, Instant now, List<PinnedList> gone) {
    Iterator<PinnedList> oldest = own.values().iterator();
    while (oldest.hasNext()) {
      PinnedList each = oldest.next();
      if (each.usedAt().plus(KEPT).isAfter(now)) {
        return;
      }
      gone.add(each);
      oldest.remove();
    }
  }

  /// Nobody who asks for something else hears of one that cannot be closed; the others are.
  private static void drop(List<PinnedList> gone) {
    for (PinnedList each : gone) {
      try {
        each.drop();
      } catch (RuntimeException e) {
        LOG.log(WARNING, "what a cursor was about cannot be closed", e);
      }
    }
  }

  /// Lets go of everything.
  void close() {
    List<PinnedList> all;
    synchronized (this) {
      all = pinned.values().stream().flatMap(own -> own.values().stream()).toList();
      pinned.clear();
    }
    drop(all);
  }
}
