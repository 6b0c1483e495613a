package dev.veridex.access.ledger;

import dev.veridex.common.RecordKind;
import dev.veridex.store.KeyRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The records of an index as they were after an earlier change: those that answers are found by,
/// in both directions, and those that explain them.
///
/// Whenever a record was changed since, what it was before the first such change is kept; else it
/// is what it is now. So looking back costs the records that are looked at and their changes,
/// however large the index is.
public final class PastRecords implements AccessRecords {
  private static final int MAX_CHUNK = 1024;
  private static final byte[] GONE = new byte[0];

  private final AccessRecords now;
  private final long change;

  /// Whether individuals were there, as far as that was asked.
  private final Map<String, Boolean> individuals = new HashMap<>();

  /// @param change the number of the last change that counts
  public PastRecords(AccessRecords now, long change) {
    this.now = now;
    this.change = change;
  }

  @Override
  public Optional<byte[]> get(RecordKind kind, byte[] key) {
    Optional<byte[]> before = before(kind, key);
    return before.isPresent() ? before.filter(value -> value.length > 0) : now.get(kind, key);
  }

  @Override
  public List<Optional<byte[]>> getAll(RecordKind kind, List<byte[]> keys) {
    return keys.stream().map(key -> get(kind, key)).toList();
  }

  @Override
  public int prefixBytes() {
    return now.prefixBytes();
  }

  /// What a record was, if it was changed since; empty if it was not there.
  private Optional<byte[]> before(RecordKind kind, byte[] record) {
    List<byte[]> found = new ArrayList<>(1);
    now.scan(
        past(kind),
        record,
        AccessKeys.past(record, change + 1),
        (_, value) -> {
          found.add(value);
          return false;
        });
    return found.stream().findFirst();
  }

  private static RecordKind past(RecordKind kind) {
    return BeforeImages.past(kind)
        .orElseThrow(() -> new IllegalArgumentException("these records have no past: " + kind));
  }

  @Override
  public void scan(RecordKind kind, byte[] prefix, byte[] from, Visitor visitor) {
    byte[] next = from;
    boolean more = true;
    // Many look at the first one only.
    for (int size = 1; more; size = Math.min(MAX_CHUNK, 2 * size)) {
      Chunk current = chunk(kind, prefix, next, size);
      Chunk past =
          kind == RecordKind.ACCESS_BY_SUBJECT
              ? chunk(RecordKind.ACCESS_PAST_BY_SUBJECT, prefix, next, size)
              : changed(kind, prefix, next, size);
      Optional<byte[]> until = first(current.until, past.until);
      NavigableMap<byte[], byte[]> merged = current.records;
      merged.putAll(past.records);
      if (until.isPresent()) {
        merged = merged.headMap(until.get(), true);
        // Past all that is kept of the last one, too.
        next = KeyRange.prefix(until.get()).to().orElseThrow();
      }
      more = visit(kind, merged, visitor) && until.isPresent();
    }
  }

  /// Whether the individual of a contribution was there: before it came, it contributed nothing.
  private boolean wasThere(byte[] contribution) {
    return individuals.computeIfAbsent(
        AccessKeys.ofContribution(contribution).individual(),
        id -> get(RecordKind.ACCESS_LEDGER, AccessKeys.individual(id)).isPresent());
  }

  private boolean visit(RecordKind kind, Map<byte[], byte[]> merged, Visitor visitor) {
    for (Map.Entry<byte[], byte[]> each : merged.entrySet()) {
      boolean there =
          switch (kind) {
            case ACCESS_BY_SUBJECT ->
                get(
                        RecordKind.ACCESS_RECORD,
                        AccessKeys.record(AccessKeys.ofSubject(each.getKey())))
                    .isPresent();
            case ACCESS_CONTRIBUTION -> each.getValue().length > 0 && wasThere(each.getKey());
            default -> each.getValue().length > 0;
          };
      if (there && !visitor.visit(each.getKey(), each.getValue())) {
        return false;
      }
    }
    return true;
  }

  /// A chunk of records in order.
  ///
  /// @param until the last key that was looked at; absent if there are no more
  private record Chunk(NavigableMap<byte[], byte[]> records, Optional<byte[]> until) {
    private static Chunk of(NavigableMap<byte[], byte[]> records, int size) {
      return new Chunk(
          records, records.size() < size ? Optional.empty() : Optional.of(records.lastKey()));
    }
  }

  private static NavigableMap<byte[], byte[]> records() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  private Chunk chunk(RecordKind kind, byte[] prefix, byte[] from, int size) {
    NavigableMap<byte[], byte[]> records = records();
    now.scan(
        kind,
        prefix,
        from,
        (key, value) -> {
          records.put(key, value);
          return records.size() < size;
        });
    return Chunk.of(records, size);
  }

  /// What records were that have changed since. Goes from record to record, past all changes that
  /// came before or after the one that matters.
  private Chunk changed(RecordKind kind, byte[] prefix, byte[] from, int size) {
    NavigableMap<byte[], byte[]> records = records();
    byte[] next = from;
    while (records.size() < size) {
      List<byte[]> found = new ArrayList<>(1);
      now.scan(
          past(kind),
          prefix,
          next,
          (key, _) -> {
            found.add(AccessKeys.ofPast(key));
            return false;
          });
      if (found.isEmpty()) {
        break;
      }
      byte[] record = found.getFirst();
      records.put(record, before(kind, record).orElseGet(() -> unchanged(kind, record)));
      next = KeyRange.prefix(record).to().orElseThrow();
    }
    return Chunk.of(records, size);
  }

  /// A record that was last changed before.
  private byte[] unchanged(RecordKind kind, byte[] record) {
    return now.get(kind, record).orElse(GONE);
  }

  private static Optional<byte[]> first(Optional<byte[]> one, Optional<byte[]> other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.or(() -> other);
    }
    return Arrays.compareUnsigned(one.get(), other.get()) <= 0 ? one : other;
  }
}
