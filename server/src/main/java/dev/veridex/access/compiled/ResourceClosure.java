package dev.veridex.access.compiled;

import java.util.Arrays;
import java.util.function.LongConsumer;

/// Step 2 of the check: everything as which a resource passes. Restrictions add up along a way,
/// ways are united.
///
/// A work space: it allocates nothing once it has grown, and belongs to one thread at a time.
final class ResourceClosure {
  /// Flag of a group: its own groups do not count.
  private static final int NOT_FOLLOWED = 0x10;

  private final CompiledIndex index;
  private final IdValues resources = new IdValues();
  private int[] open = new int[16];
  private int openSize;
  private int reached;

  // Made once, for a check allocates nothing.
  private final LongConsumer reaching = this::reach;

  ResourceClosure(CompiledIndex index) {
    this.index = index;
  }

  /// The resource and its groups, with the rights that reach it as each of them.
  IdValues ids() {
    return resources;
  }

  /// The rights that reach the resource as the one at a position.
  int rightsAt(int position) {
    return resources.value(position) & CompiledCheck.ALL;
  }

  /// Moves on to a resource.
  ///
  /// @param resource [IdDictionary#UNKNOWN] if none of the records speaks of it by name
  /// @param implicit what it is in without any statement
  /// @param size how many of them count
  void moveTo(int resource, IdRecords own, int[] implicit, int size) {
    resources.clear();
    if (resource != IdDictionary.UNKNOWN) {
      resources.add(resource, CompiledCheck.ALL);
    }
    if (resource != index.everything()) {
      resources.add(index.everything(), CompiledCheck.ALL | NOT_FOLLOWED);
    }
    for (int i = 0; i < size; i++) {
      if (resources.find(implicit[i]) < 0) {
        resources.add(implicit[i], CompiledCheck.ALL | NOT_FOLLOWED);
      }
    }
    openSize = 0;
    reached = CompiledCheck.ALL;
    own.forEachMembership(reaching);
    while (openSize > 0) {
      int position = open[--openSize];
      reached = rightsAt(position);
      index.entry(resources.id(position)).forEachMembership(reaching);
    }
  }

  private void reach(long record) {
    int rights = PackedRecord.reach(record) & reached;
    if (rights == 0) {
      return;
    }
    int group = PackedRecord.id(record);
    int position = resources.find(group);
    if (position < 0) {
      push(resources.size());
      resources.add(group, rights);
      return;
    }
    int before = resources.value(position);
    if ((rights & ~before) != 0) {
      resources.set(position, before | rights);
      if ((before & NOT_FOLLOWED) == 0) {
        push(position);
      }
    }
  }

  private void push(int value) {
    if (openSize == open.length) {
      open = Arrays.copyOf(open, 2 * openSize);
    }
    open[openSize++] = value;
  }

  /// About how much memory it takes.
  long bytes() {
    return resources.bytes();
  }
}
