package dev.veridex.access.compiled;

import dev.veridex.common.Utf8Order;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The ids of an index as small numbers.
///
/// Numbers are only ever added, by one thread at a time, so all states of an index share one. Those
/// who look something up take no lock: whatever their state knows was entered before it was made,
/// and stands before the first empty slot of its run; of what is entered meanwhile they may see
/// nothing or all, and their state has nothing on it anyway.
public final class IdDictionary {
  /// An id that is not known.
  public static final int UNKNOWN = -1;

  private static final int PAGE_SHIFT = 10;
  private static final int PAGE = 1 << PAGE_SHIFT;
  private static final int FIRST_SLOTS = 64;
  private static final int STRING_BYTES = 60;

  /// The names before ours, of which the first `base` count.
  private final @Nullable IdDictionary parent;

  private final int base;

  /// Numbers from our first one on plus one; 0 is an empty slot.
  private volatile int[] slots = new int[FIRST_SLOTS];

  private volatile String[][] pages = new String[0][];
  private volatile int own;
  private volatile long bytes;
  private volatile Order order = new Order(new int[0], new int[0]);

  IdDictionary() {
    this.parent = null;
    this.base = 0;
  }

  private IdDictionary(IdDictionary parent) {
    this.parent = parent;
    this.base = parent.size();
  }

  /// The same names, to which others are added than to these.
  IdDictionary fork() {
    return new IdDictionary(this);
  }

  /// Numbers in the order of their names, and each number's position in it.
  record Order(int[] ids, int[] positions) {}

  /// The number of a name, or [#UNKNOWN].
  public int find(String name) {
    if (parent != null) {
      int known = parent.find(name);
      if (known != UNKNOWN && known < base) {
        return known;
      }
    }
    int[] table = slots;
    int slot = slot(name, table);
    while (true) {
      int entry = table[slot];
      if (entry == 0) {
        return UNKNOWN;
      }
      if (name.equals(nameOrNull(entry - 1))) {
        return base + entry - 1;
      }
      slot = (slot + 1) & (table.length - 1);
    }
  }

  private static int slot(String name, int[] table) {
    int hash = name.hashCode() * 0x9E3779B9;
    return (hash ^ hash >>> 15) & (table.length - 1);
  }

  @SuppressWarnings("NullAway") // A number that was just entered may have no name for us yet.
  private String nameOrNull(int number) {
    String[][] all = pages;
    int page = number >>> PAGE_SHIFT;
    return page < all.length ? all[page][number & (PAGE - 1)] : null;
  }

  public String name(int id) {
    return parent != null && id < base ? parent.name(id) : ownName(id - base);
  }

  private String ownName(int number) {
    return pages[number >>> PAGE_SHIFT][number & (PAGE - 1)];
  }

  public int size() {
    return base + own;
  }

  /// About how much memory it takes.
  long bytes() {
    return bytes + 4L * slots.length + 8L * own;
  }

  /// The number of a name, which is entered if it is new.
  synchronized int intern(String name) {
    int found = find(name);
    if (found != UNKNOWN) {
      return found;
    }
    if (2 * (own + 1) > slots.length) {
      grow();
    }
    int number = own;
    if (number >>> PAGE_SHIFT == pages.length) {
      String[][] more = Arrays.copyOf(pages, pages.length + 1);
      more[pages.length] = new String[PAGE];
      pages = more;
    }
    pages[number >>> PAGE_SHIFT][number & (PAGE - 1)] = name;
    enter(slots, number);
    bytes += STRING_BYTES + name.length();
    own = number + 1;
    return base + number;
  }

  private void grow() {
    int[] more = new int[2 * slots.length];
    for (int number = 0; number < own; number++) {
      enter(more, number);
    }
    slots = more;
  }

  private void enter(int[] table, int number) {
    int slot = slot(ownName(number), table);
    while (table[slot] != 0) {
      slot = (slot + 1) & (table.length - 1);
    }
    table[slot] = number + 1;
  }

  /// The first position in an order of names that is after a text.
  int firstAfter(Order all, String text) {
    int low = 0;
    int high = all.ids.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Utf8Order.INSTANCE.compare(name(all.ids[middle]), text) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// All names that there are, in their order.
  Order order() {
    Order known = order;
    return known.ids.length == size() ? known : extend();
  }

  /// The order of the first so many names; positions are not in it.
  private Order upTo(int count) {
    return new Order(Arrays.stream(order().ids).filter(id -> id < count).toArray(), new int[0]);
  }

  private synchronized Order extend() {
    int count = size();
    if (order.ids.length == count) {
      return order;
    }
    Order known = order.ids.length == 0 && parent != null ? parent.upTo(base) : order;
    Integer[] added = new Integer[count - known.ids.length];
    Arrays.setAll(added, i -> known.ids.length + i);
    // Most come in long runs that are in order already, which this way of sorting makes use of.
    Arrays.sort(added, (one, other) -> Utf8Order.INSTANCE.compare(name(one), name(other)));
    int[] ids = new int[count];
    int next = 0;
    for (int i = 0, from = 0; i < count; i++) {
      boolean old =
          next == added.length
              || (from < known.ids.length
                  && Utf8Order.INSTANCE.compare(name(known.ids[from]), name(added[next])) < 0);
      ids[i] = old ? known.ids[from++] : added[next++];
    }
    int[] positions = new int[count];
    for (int i = 0; i < count; i++) {
      positions[ids[i]] = i;
    }
    order = new Order(ids, positions);
    return order;
  }
}
