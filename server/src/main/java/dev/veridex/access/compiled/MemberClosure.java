package dev.veridex.access.compiled;

import java.util.Arrays;

/// Gathers ids, and with each all that is in it, directly or through others: who could be affected
/// by what is said of the first ones.
final class MemberClosure {
  private static final String FOLDERS = "s3://";

  private final CompiledIndex index;
  private final IdDictionary.Order order;
  private final int limit;
  private final IdValues gathered = new IdValues();
  private int followed;
  private boolean everything;

  /// @param order of names, which is another one when names were added
  /// @param limit to give up beyond
  MemberClosure(CompiledIndex index, IdDictionary.Order order, int limit) {
    this.index = index;
    this.order = order;
    this.limit = limit;
  }

  void add(int id) {
    if (!isTooMany() && gathered.find(id) < 0) {
      gathered.add(id, 0);
    }
  }

  /// There is no use in gathering.
  void addEverything() {
    everything = true;
  }

  void addAll(RecordSet set) {
    if (set.size() > limit) {
      addEverything();
      return;
    }
    set.forEach(record -> add(PackedRecord.id(record)));
  }

  /// Adds what is in something that was added.
  ///
  /// @param folders whether also what lies below a folder of an object store
  void follow(boolean folders) {
    for (; followed < gathered.size() && !isTooMany(); followed++) {
      int id = gathered.id(followed);
      addAll(index.entry(id).members());
      String name = index.dictionary().name(id);
      if (folders && name.startsWith(FOLDERS) && name.endsWith("/")) {
        addBelow(name);
      }
    }
  }

  private void addBelow(String folder) {
    int[] ids = order.ids();
    for (int i = index.dictionary().firstAfter(order, folder);
        i < ids.length && !isTooMany();
        i++) {
      if (!index.dictionary().name(ids[i]).startsWith(folder)) {
        return;
      }
      add(ids[i]);
    }
  }

  boolean isTooMany() {
    return everything || gathered.size() > limit;
  }

  int size() {
    return gathered.size();
  }

  int id(int position) {
    return gathered.id(position);
  }

  /// The positions of what was gathered in the order of names.
  int[] positions() {
    int[] positions = new int[gathered.size()];
    int[] all = order.positions();
    for (int i = 0; i < positions.length; i++) {
      positions[i] = all[gathered.id(i)];
    }
    Arrays.sort(positions);
    return positions;
  }
}
