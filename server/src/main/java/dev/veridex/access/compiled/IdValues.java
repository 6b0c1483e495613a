package dev.veridex.access.compiled;

import java.util.Arrays;

/// A set of ids with a value each, in the order in which they came. It is used again and again, so
/// it is emptied by what is in it and never given back.
public final class IdValues {
  private static final int FIRST = 32;

  private int[] slots = new int[4 * FIRST];
  private int[] ids = new int[FIRST];
  private int[] values = new int[FIRST];
  private int size;

  public int size() {
    return size;
  }

  /// About how much memory it takes.
  public long bytes() {
    return 64 + 4L * (slots.length + ids.length + values.length);
  }

  public int id(int position) {
    return ids[position];
  }

  int value(int position) {
    return values[position];
  }

  void set(int position, int value) {
    values[position] = value;
  }

  /// The value of an id; 0 if it is not there.
  int valueOf(int id) {
    int position = find(id);
    return position < 0 ? 0 : values[position];
  }

  /// The position of an id, or -1.
  public int find(int id) {
    int slot = slot(id);
    while (true) {
      int entry = slots[slot];
      if (entry == 0) {
        return -1;
      }
      if (ids[entry - 1] == id) {
        return entry - 1;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
  }

  /// Adds an id without a value, if it is not there.
  public void put(int id) {
    if (find(id) < 0) {
      add(id, 0);
    }
  }

  /// Adds an id that is not there.
  void add(int id, int value) {
    if (size == ids.length) {
      grow();
    }
    ids[size] = id;
    values[size] = value;
    size++;
    enter(size - 1);
  }

  private void grow() {
    ids = Arrays.copyOf(ids, 2 * ids.length);
    values = Arrays.copyOf(values, 2 * values.length);
    slots = new int[4 * ids.length];
    for (int i = 0; i < size; i++) {
      enter(i);
    }
  }

  private void enter(int position) {
    int slot = slot(ids[position]);
    while (slots[slot] != 0) {
      slot = (slot + 1) & (slots.length - 1);
    }
    slots[slot] = position + 1;
  }

  private int slot(int id) {
    int hash = id * 0x9E3779B9;
    return hash >>> 7 & (slots.length - 1);
  }

  void clear() {
    if (size > slots.length / 8) {
      Arrays.fill(slots, 0);
    } else {
      // In the opposite order, so that no run is broken before what stands behind is gone.
      for (int i = size - 1; i >= 0; i--) {
        int slot = slot(ids[i]);
        while (slots[slot] != i + 1) {
          slot = (slot + 1) & (slots.length - 1);
        }
        slots[slot] = 0;
      }
    }
    size = 0;
  }
}
