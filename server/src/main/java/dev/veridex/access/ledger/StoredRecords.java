package dev.veridex.access.ledger;

import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The records of an index in a store.
///
/// Derived records stand under a generation, so that they can be derived anew beside those in use.
public class StoredRecords implements AccessRecords {
  private final Reader reader;
  private final Scope scope;
  private final long incarnation;
  private final long generation;
  private final Map<RecordKind, byte[]> prefixes = new EnumMap<>(RecordKind.class);

  public StoredRecords(Reader reader, Scope scope, long incarnation, long generation) {
    this.reader = reader;
    this.scope = scope;
    this.incarnation = incarnation;
    this.generation = generation;
  }

  /// The kinds of records that are derived from the others.
  public static final List<RecordKind> DERIVED =
      List.of(
          RecordKind.ACCESS_CONTRIBUTION,
          RecordKind.ACCESS_RECORD,
          RecordKind.ACCESS_BY_SUBJECT,
          RecordKind.ACCESS_LOGIN);

  public static boolean isDerived(RecordKind kind) {
    return DERIVED.contains(kind);
  }

  /// The prefix of the keys of a kind of record.
  public byte[] prefix(RecordKind kind) {
    return prefixes.computeIfAbsent(
        kind,
        _ -> {
          KeyWriter prefix = new KeyWriter().scope(kind.code(), scope, incarnation);
          return isDerived(kind) ? prefix.unsigned(generation).toKey() : prefix.toKey();
        });
  }

  /// The whole key of a record.
  public byte[] key(RecordKind kind, byte[] key) {
    byte[] prefix = prefix(kind);
    byte[] whole = Arrays.copyOf(prefix, prefix.length + key.length);
    System.arraycopy(key, 0, whole, prefix.length, key.length);
    return whole;
  }

  @Override
  public int prefixBytes() {
    return prefix(RecordKind.ACCESS_RECORD).length;
  }

  @Override
  public Optional<byte[]> get(RecordKind kind, byte[] key) {
    return reader.get(key(kind, key));
  }

  @Override
  public List<Optional<byte[]>> getAll(RecordKind kind, List<byte[]> keys) {
    List<byte[]> whole = new ArrayList<>(keys.size());
    keys.forEach(key -> whole.add(key(kind, key)));
    return reader.getAll(whole);
  }

  @Override
  public void scan(RecordKind kind, byte[] prefix, byte[] from, Visitor visitor) {
    int length = prefix(kind).length;
    KeyRange range = new KeyRange(key(kind, from), KeyRange.prefix(key(kind, prefix)).to());
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      boolean more = true;
      while (more && cursor.next()) {
        byte[] key = cursor.key();
        more = visitor.visit(Arrays.copyOfRange(key, length, key.length), cursor.value());
      }
    }
  }
}
