package dev.veridex.items;

import dev.veridex.common.BucketLocation;
import dev.veridex.items.local.LocalItemStore;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// Another layout of items, for tests of upgrades: it keeps bytes the other way round.
public final class ReversedItemStore implements ItemStore {
  private final ItemStore kept = new LocalItemStore();

  /// The usual first version, and this as the second.
  public static ItemVersions asSecondVersion() {
    SortedMap<Integer, ItemStore> versions = new TreeMap<>();
    versions.put(1, new LocalItemStore());
    versions.put(2, new ReversedItemStore());
    return new ItemVersions(versions);
  }

  private static byte[] reversed(byte[] bytes) {
    byte[] other = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      other[bytes.length - 1 - i] = bytes[i];
    }
    return other;
  }

  @Override
  public Optional<ItemRevision> current(Reader reader, BucketLocation location, String key) {
    return kept.current(reader, location, key);
  }

  @Override
  public Optional<ItemRevision> revision(
      Reader reader, BucketLocation location, String key, UUID id) {
    return kept.revision(reader, location, key, id);
  }

  @Override
  public Optional<ItemRevision> at(
      Reader reader, BucketLocation location, String key, Instant time) {
    return kept.at(reader, location, key, time);
  }

  @Override
  public Optional<byte[]> value(Reader reader, BucketLocation location, String key, UUID id) {
    return kept.value(reader, location, key, id).map(ReversedItemStore::reversed);
  }

  @Override
  public List<ItemRevision> revisions(
      Reader reader, BucketLocation location, String key, Optional<UUID> before, int limit) {
    return kept.revisions(reader, location, key, before, limit);
  }

  @Override
  public List<KeyedRevision> list(
      Reader reader, BucketLocation location, String prefix, Optional<String> after, int limit) {
    return kept.list(reader, location, prefix, after, limit);
  }

  @Override
  public List<String> keys(
      Reader reader, BucketLocation location, Optional<String> after, int limit) {
    return kept.keys(reader, location, after, limit);
  }

  @Override
  public void putCurrent(
      Transaction transaction,
      BucketLocation location,
      String key,
      ItemRevision revision,
      Optional<byte[]> value) {
    kept.putCurrent(transaction, location, key, revision, value.map(ReversedItemStore::reversed));
  }

  @Override
  public void putPast(
      Transaction transaction,
      BucketLocation location,
      String key,
      ItemRevision revision,
      Optional<byte[]> value) {
    kept.putPast(transaction, location, key, revision, value.map(ReversedItemStore::reversed));
  }

  @Override
  public void removePast(Transaction transaction, BucketLocation location, String key, UUID id) {
    kept.removePast(transaction, location, key, id);
  }
}
