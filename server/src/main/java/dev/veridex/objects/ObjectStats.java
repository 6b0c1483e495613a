package dev.veridex.objects;

import dev.veridex.objects.catalogue.ObjectCount;
import dev.veridex.objects.catalogue.ObjectRow;
import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The number of objects and of their bytes: in all, and by storage class, reason and prefix.
public final class ObjectStats {
  /// More prefixes are not told apart: who asks can narrow down.
  private static final int MAX_PREFIXES = 1000;

  private final Sum all = new Sum();
  private final SortedMap<String, Sum> byClass = new TreeMap<>();
  private final SortedMap<String, Sum> byReason = new TreeMap<>();
  private final SortedMap<String, Sum> byPrefix = new TreeMap<>();
  private boolean complete = true;

  /// A number of objects and their bytes.
  private static final class Sum {
    private long count;
    private long bytes;

    private void add(long objects, long moreBytes) {
      count += objects;
      // Sizes are as large as stores say.
      bytes = bytes > Long.MAX_VALUE - Math.max(0, moreBytes) ? Long.MAX_VALUE : bytes + moreBytes;
    }
  }

  /// A group of objects.
  public record Group(String name, long count, long bytes) {}

  void add(ObjectCount counted) {
    long count = counted.bytes() ? 0 : counted.sum();
    // The sizes of two objects may be more than a counter holds.
    long bytes = counted.bytes() ? counted.sum() < 0 ? Long.MAX_VALUE : counted.sum() : 0;
    all.add(count, bytes);
    sum(byClass, counted.storageClass()).add(count, bytes);
    sum(byReason, counted.reason().text()).add(count, bytes);
  }

  /// @param prefix the length of the prefix that all keys have
  void add(ObjectRow row, int prefix, Optional<String> delimiter) {
    add(
        row.object(),
        row.facts().size().orElse(0L),
        row.facts().storageClass().orElse(""),
        row.reason(),
        prefix,
        delimiter);
  }

  /// @param prefix the length of the prefix that all keys have
  void add(
      ObjectKey object,
      long bytes,
      String storageClass,
      EventReason reason,
      int prefix,
      Optional<String> delimiter) {
    all.add(1, bytes);
    sum(byClass, storageClass).add(1, bytes);
    sum(byReason, reason.text()).add(1, bytes);
    delimiter.ifPresent(
        end -> {
          String key = object.key();
          int at = key.indexOf(end, Math.min(prefix, key.length()));
          String name = at < 0 ? key.substring(0, prefix) : key.substring(0, at + end.length());
          if (byPrefix.containsKey(name) || byPrefix.size() < MAX_PREFIXES) {
            sum(byPrefix, name).add(1, bytes);
          } else {
            complete = false;
          }
        });
  }

  private static Sum sum(Map<String, Sum> groups, String name) {
    return groups.computeIfAbsent(name, _ -> new Sum());
  }

  void complete(boolean all) {
    complete &= all;
  }

  public boolean isComplete() {
    return complete;
  }

  public long count() {
    return all.count;
  }

  public long bytes() {
    return all.bytes;
  }

  public List<Group> byClass() {
    return groups(byClass);
  }

  public List<Group> byReason() {
    return groups(byReason);
  }

  public List<Group> byPrefix() {
    return groups(byPrefix);
  }

  private static List<Group> groups(SortedMap<String, Sum> sums) {
    List<Group> groups = new ArrayList<>();
    sums.forEach(
        (name, sum) -> {
          if (sum.count != 0) {
            groups.add(new Group(name, sum.count, sum.bytes));
          }
        });
    return groups;
  }
}
