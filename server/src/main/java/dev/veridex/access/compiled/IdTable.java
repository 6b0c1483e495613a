package dev.veridex.access.compiled;

import java.util.Arrays;

/// A value for each of some ids. It never changes: [Edit] makes the next one, which shares all
/// pages with it but those that a change touches.
///
/// @param <T> the type of the values
final class IdTable<T> {
  private static final int SHIFT = CompiledIndex.PAGE_SHIFT;
  private static final int PAGE = CompiledIndex.PAGE;

  private final T none;
  private final Object[][] pages;

  private IdTable(T none, Object[][] pages) {
    this.none = none;
    this.pages = pages;
  }

  /// One without values.
  ///
  /// @param none the value of all ids that have none
  static <T> IdTable<T> empty(T none) {
    return new IdTable<>(none, new Object[0][]);
  }

  /// The value of an id, which may be one that is not known.
  @SuppressWarnings("unchecked") // Nothing else is put into pages.
  T get(int id) {
    int page = id >> SHIFT;
    if (id < 0 || page >= pages.length || pages[page] == null) {
      return none;
    }
    Object found = pages[page][id & (PAGE - 1)];
    return found == null ? none : (T) found;
  }

  /// All ids that may have a value are below this.
  int bound() {
    return pages.length << SHIFT;
  }

  /// About how much memory it takes without its values.
  long bytes() {
    return 8L * pages.length + 4L * PAGE * Arrays.stream(pages).filter(p -> p != null).count();
  }

  /// An edit that makes the next state.
  Edit edit() {
    return new Edit();
  }

  /// Makes the next state: copies the pages that it touches, each once.
  final class Edit {
    private Object[][] next = pages.clone();
    private boolean[] own = new boolean[pages.length];

    @SuppressWarnings("unchecked") // Nothing else is put into pages.
    T get(int id) {
      int page = id >> SHIFT;
      Object found = page < next.length && next[page] != null ? next[page][id & (PAGE - 1)] : null;
      return found == null ? none : (T) found;
    }

    void set(int id, T value) {
      int page = id >> SHIFT;
      if (page >= next.length) {
        int length = Math.max(page + 1, next.length + next.length / 4);
        next = Arrays.copyOf(next, length);
        own = Arrays.copyOf(own, length);
      }
      if (!own[page]) {
        next[page] = next[page] == null ? new Object[PAGE] : next[page].clone();
        own[page] = true;
      }
      // What has none is like what never had one.
      next[page][id & (PAGE - 1)] = value;
    }

    IdTable<T> done() {
      return new IdTable<>(none, next);
    }
  }
}
