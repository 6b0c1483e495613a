package dev.veridex.access.ledger;

import dev.veridex.common.RecordKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Records that are read many at a time before they are needed, and written once at the end: the
/// messages of a batch meet the same records again and again.
final class BufferedRecords implements AccessRecords.Mutable {
  private final AccessRecords.Mutable records;
  private final Map<RecordKind, Buffer> buffers = new EnumMap<>(RecordKind.class);

  BufferedRecords(AccessRecords.Mutable records) {
    this.records = records;
  }

  /// A key that finds its place by its bytes.
  private record Key(byte[] bytes) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Key(byte[] others) && Arrays.equals(bytes, others);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }
  }

  /// A buffered record.
  private static final class Slot {
    private final byte[] key;
    private Optional<byte[]> value;
    private boolean changed;

    private Slot(byte[] key, Optional<byte[]> value) {
      this.key = key;
      this.value = value;
    }
  }

  /// The buffered records of one kind.
  private final class Buffer {
    private final RecordKind kind;
    private final Map<Key, Slot> slots = new HashMap<>();
    private final List<Slot> changed = new ArrayList<>();

    private Buffer(RecordKind kind) {
      this.kind = kind;
    }

    private Optional<byte[]> get(byte[] key) {
      Slot slot = slots.get(new Key(key));
      if (slot == null) {
        slot = new Slot(key, records.get(kind, key));
        slots.put(new Key(key), slot);
      }
      return slot.value;
    }

    private void read(List<byte[]> keys) {
      List<byte[]> missing = new ArrayList<>(keys.size());
      for (byte[] key : keys) {
        if (!slots.containsKey(new Key(key))) {
          missing.add(key);
        }
      }
      if (!missing.isEmpty()) {
        List<Optional<byte[]>> found = records.getAll(kind, missing);
        for (int i = 0; i < missing.size(); i++) {
          slots.putIfAbsent(new Key(missing.get(i)), new Slot(missing.get(i), found.get(i)));
        }
      }
    }

    private void change(byte[] key, Optional<byte[]> value) {
      Key named = new Key(key);
      Slot slot = slots.get(named);
      if (slot == null) {
        slot = new Slot(key, value);
        slots.put(named, slot);
      }
      slot.value = value;
      if (!slot.changed) {
        slot.changed = true;
        changed.add(slot);
      }
    }

    private void flush() {
      for (Slot slot : changed) {
        slot.changed = false;
        slot.value.ifPresentOrElse(
            value -> records.put(kind, slot.key, value), () -> records.delete(kind, slot.key));
      }
      changed.clear();
    }
  }

  private Buffer of(RecordKind kind) {
    Buffer buffer = buffers.get(kind);
    if (buffer == null) {
      buffer = new Buffer(kind);
      buffers.put(kind, buffer);
    }
    return buffer;
  }

  @Override
  public Optional<byte[]> get(RecordKind kind, byte[] key) {
    return of(kind).get(key);
  }

  @Override
  public List<Optional<byte[]>> getAll(RecordKind kind, List<byte[]> keys) {
    read(kind, keys);
    return keys.stream().map(key -> get(kind, key)).toList();
  }

  /// Reads what is not known yet, all at once.
  void read(RecordKind kind, List<byte[]> keys) {
    of(kind).read(keys);
  }

  @Override
  public void scan(RecordKind kind, byte[] prefix, byte[] from, Visitor visitor) {
    of(kind).flush();
    records.scan(kind, prefix, from, visitor);
  }

  @Override
  public void remember(RecordKind kind, byte[] key, byte[] value) {
    records.remember(kind, key, value);
  }

  @Override
  public void append(RecordKind kind, byte[] value) {
    records.append(kind, value);
  }

  @Override
  public int prefixBytes() {
    return records.prefixBytes();
  }

  @Override
  public void put(RecordKind kind, byte[] key, byte[] value) {
    if (isReadByKey(kind)) {
      of(kind).change(key, Optional.of(value));
    } else {
      records.put(kind, key, value);
    }
  }

  @Override
  public void delete(RecordKind kind, byte[] key) {
    if (isReadByKey(kind)) {
      of(kind).change(key, Optional.empty());
    } else {
      records.delete(kind, key);
    }
  }

  /// Whether it is worth knowing records of a kind: others are only scanned.
  private static boolean isReadByKey(RecordKind kind) {
    return switch (kind) {
      case ACCESS_CONTRIBUTION, ACCESS_BY_SUBJECT, ACCESS_LOGIN, ACCESS_COMMAND -> false;
      default -> true;
    };
  }

  /// Writes what was changed.
  void flush() {
    buffers.values().forEach(Buffer::flush);
  }
}
