package dev.veridex.access.compiled;

import dev.veridex.common.Expiry;
import java.util.Arrays;

/// The ends of membership relationships, the next one first. Those of memberships that were taken
/// back or extended meanwhile stay in it: whoever takes one out looks whether it still is one.
public final class EndQueue {
  private long[] ends = new long[16];
  private long[] pairs = new long[16];
  private int size;

  /// Adds the end of a membership.
  ///
  /// @param end in microseconds
  public void add(long end, int member, int group) {
    if (end == Expiry.NEVER) {
      return;
    }
    if (size == ends.length) {
      ends = Arrays.copyOf(ends, 2 * size);
      pairs = Arrays.copyOf(pairs, 2 * size);
    }
    ends[size] = end;
    pairs[size] = (long) member << Integer.SIZE | group;
    size++;
    for (int i = size - 1; i > 0 && ends[(i - 1) / 2] > ends[i]; i = (i - 1) / 2) {
      swap(i, (i - 1) / 2);
    }
  }

  /// The first end in microseconds; [Expiry#NEVER] if there is none.
  public long first() {
    return size == 0 ? Expiry.NEVER : ends[0];
  }

  /// Takes out the membership that ends first.
  ///
  /// @return the member in the upper half, the group in the lower one
  public long remove() {
    long first = pairs[0];
    size--;
    swap(0, size);
    int i = 0;
    while (true) {
      int least = i;
      for (int child = 2 * i + 1; child <= 2 * i + 2 && child < size; child++) {
        least = ends[child] < ends[least] ? child : least;
      }
      if (least == i) {
        return first;
      }
      swap(i, least);
      i = least;
    }
  }

  public static int member(long pair) {
    return (int) (pair >>> Integer.SIZE);
  }

  public static int group(long pair) {
    return (int) pair;
  }

  private void swap(int one, int other) {
    long end = ends[one];
    ends[one] = ends[other];
    ends[other] = end;
    long pair = pairs[one];
    pairs[one] = pairs[other];
    pairs[other] = pair;
  }
}
