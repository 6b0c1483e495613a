package dev.veridex.items.local;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.items.ItemRevision;
import dev.veridex.items.ItemStore;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/// Items in the store: a record with what is known about the current revision of each, so that keys
/// are listed without their history; one for each past revision; one for the bytes of each.
///
/// All of a revision's records have the revision's expiry.
public final class LocalItemStore implements ItemStore {

  @Override
  public Optional<ItemRevision> current(Reader reader, BucketLocation location, String key) {
    return reader.get(currentKey(location, key)).map(RevisionCodec::decode);
  }

  @Override
  public Optional<ItemRevision> revision(
      Reader reader, BucketLocation location, String key, UUID id) {
    return current(reader, location, key)
        .filter(current -> current.id().equals(id))
        .or(() -> reader.get(pastKey(location, key, id)).map(RevisionCodec::decode));
  }

  @Override
  public Optional<ItemRevision> at(
      Reader reader, BucketLocation location, String key, Instant time) {
    Optional<ItemRevision> current =
        current(reader, location, key).filter(revision -> !revision.time().isAfter(time));
    if (current.isPresent()) {
      return current;
    }
    try (Cursor past = reader.scan(KeyRange.prefix(pastPrefix(location, key)), Direction.FORWARD)) {
      while (past.next()) {
        ItemRevision revision = RevisionCodec.decode(past.value());
        if (!revision.time().isAfter(time)) {
          // If another was the current one by then, it is no longer kept, or it would be found.
          return Optional.of(revision)
              .filter(found -> found.replacedAt().orElseThrow().isAfter(time));
        }
      }
    }
    return Optional.empty();
  }

  @Override
  public Optional<byte[]> value(Reader reader, BucketLocation location, String key, UUID id) {
    return reader.get(valueKey(location, key, id));
  }

  @Override
  public List<ItemRevision> revisions(
      Reader reader, BucketLocation location, String key, Optional<UUID> before, int limit) {
    List<ItemRevision> found = new ArrayList<>();
    if (before.isEmpty()) {
      current(reader, location, key).ifPresent(found::add);
    }
    byte[] prefix = pastPrefix(location, key);
    byte[] from = before.map(id -> KeyRange.successor(pastKey(location, key, id))).orElse(prefix);
    try (Cursor past =
        reader.scan(new KeyRange(from, KeyRange.prefix(prefix).to()), Direction.FORWARD)) {
      while (found.size() < limit && past.next()) {
        found.add(RevisionCodec.decode(past.value()));
      }
    }
    return found;
  }

  @Override
  public List<KeyedRevision> list(
      Reader reader, BucketLocation location, String prefix, Optional<String> after, int limit) {
    byte[] all = location.prefix(RecordKind.ITEM).toKey();
    // Without its end mark, a text begins the keys of all texts that it begins.
    byte[] encoded = KeyWriter.after(all).string(prefix).toKey();
    KeyRange range = KeyRange.prefix(Arrays.copyOf(encoded, encoded.length - 2));
    byte[] from =
        after.map(key -> KeyRange.successor(currentKey(location, key))).orElse(range.from());
    if (Arrays.compareUnsigned(from, range.from()) < 0) {
      from = range.from();
    }
    List<KeyedRevision> found = new ArrayList<>();
    try (Cursor items = reader.scan(new KeyRange(from, range.to()), Direction.FORWARD)) {
      while (found.size() < limit && items.next()) {
        found.add(
            new KeyedRevision(
                new KeyReader(items.key(), all.length).string(),
                RevisionCodec.decode(items.value())));
      }
    }
    return found;
  }

  @Override
  public List<String> keys(
      Reader reader, BucketLocation location, Optional<String> after, int limit) {
    List<String> keys = new ArrayList<>();
    Optional<String> last = after;
    while (keys.size() < limit) {
      Optional<String> current = firstKey(reader, location, RecordKind.ITEM, last);
      Optional<String> past = firstKey(reader, location, RecordKind.ITEM_REVISION, last);
      last = Stream.concat(current.stream(), past.stream()).min(LocalItemStore::compare);
      if (last.isEmpty()) {
        return keys;
      }
      keys.add(last.get());
    }
    return keys;
  }

  private static Optional<String> firstKey(
      Reader reader, BucketLocation location, RecordKind kind, Optional<String> after) {
    byte[] all = location.prefix(kind).toKey();
    byte[] from =
        after
            .map(
                key -> KeyRange.prefix(KeyWriter.after(all).string(key).toKey()).to().orElseThrow())
            .orElse(all);
    try (Cursor found =
        reader.scan(new KeyRange(from, KeyRange.prefix(all).to()), Direction.FORWARD)) {
      return found.next()
          ? Optional.of(new KeyReader(found.key(), all.length).string())
          : Optional.empty();
    }
  }

  /// As the store orders them, by their UTF-8 bytes.
  private static int compare(String one, String other) {
    return Arrays.compareUnsigned(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void putCurrent(
      Transaction transaction,
      BucketLocation location,
      String key,
      ItemRevision revision,
      Optional<byte[]> value) {
    put(transaction, currentKey(location, key), RevisionCodec.encode(revision), revision);
    value.ifPresent(
        bytes -> put(transaction, valueKey(location, key, revision.id()), bytes, revision));
  }

  @Override
  public void putPast(
      Transaction transaction,
      BucketLocation location,
      String key,
      ItemRevision revision,
      Optional<byte[]> value) {
    put(
        transaction,
        pastKey(location, key, revision.id()),
        RevisionCodec.encode(revision),
        revision);
    value.ifPresent(
        bytes -> put(transaction, valueKey(location, key, revision.id()), bytes, revision));
  }

  @Override
  public void removePast(Transaction transaction, BucketLocation location, String key, UUID id) {
    transaction.delete(pastKey(location, key, id));
    transaction.delete(valueKey(location, key, id));
  }

  private static void put(
      Transaction transaction, byte[] key, byte[] value, ItemRevision revision) {
    revision
        .expiresAt()
        .ifPresentOrElse(
            end -> transaction.put(key, value, end), () -> transaction.put(key, value));
  }

  private static byte[] currentKey(BucketLocation location, String key) {
    return location.prefix(RecordKind.ITEM).string(key).toKey();
  }

  private static byte[] pastPrefix(BucketLocation location, String key) {
    return location.prefix(RecordKind.ITEM_REVISION).string(key).toKey();
  }

  private static byte[] pastKey(BucketLocation location, String key, UUID id) {
    return KeyWriter.after(pastPrefix(location, key)).descending(out -> id(out, id)).toKey();
  }

  private static byte[] valueKey(BucketLocation location, String key, UUID id) {
    KeyWriter out = location.prefix(RecordKind.ITEM_VALUE).string(key);
    id(out, id);
    return out.toKey();
  }

  private static void id(KeyWriter out, UUID id) {
    out.unsigned(id.getMostSignificantBits()).unsigned(id.getLeastSignificantBits());
  }
}
