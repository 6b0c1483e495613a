package dev.veridex.items;

import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ContentIntegrity.Contents;
import dev.veridex.common.BucketLocation;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Reader;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/// Integrity scan of items: every revision of every item has its bytes.
public final class ItemIntegrity implements Contents {
  private static final int KEYS_AT_ONCE = 1000;

  private final ItemVersions versions;

  public ItemIntegrity(ItemVersions versions) {
    this.versions = versions;
  }

  @Override
  public void look(
      Reader reader,
      BucketLookup.LocatedBucket found,
      UsageCounters.Delta held,
      Consumer<String> drift,
      Runnable looked) {
    Bucket bucket = found.bucket();
    ItemStore store = versions.of(bucket.side());
    BucketLocation location = found.data(bucket.side());
    Optional<String> after = Optional.empty();
    List<String> keys;
    do {
      keys = store.keys(reader, location, after, KEYS_AT_ONCE);
      for (String key : keys) {
        item(reader, store, location, key, held, drift);
        looked.run();
        after = Optional.of(key);
      }
    } while (keys.size() == KEYS_AT_ONCE);
  }

  private static void item(
      Reader reader,
      ItemStore store,
      BucketLocation location,
      String key,
      UsageCounters.Delta held,
      Consumer<String> drift) {
    Optional<UUID> before = Optional.empty();
    List<ItemRevision> revisions;
    do {
      revisions = store.revisions(reader, location, key, before, KEYS_AT_ONCE);
      for (ItemRevision revision : revisions) {
        before = Optional.of(revision.id());
        revision(reader, store, location, key, revision, held, drift);
      }
    } while (revisions.size() == KEYS_AT_ONCE);
  }

  private static void revision(
      Reader reader,
      ItemStore store,
      BucketLocation location,
      String key,
      ItemRevision revision,
      UsageCounters.Delta held,
      Consumer<String> drift) {
    if (revision.deleted()) {
      return;
    }
    if (revision.replacedAt().isEmpty()) {
      held.add(Quota.ITEMS, revision.expiresAt(), 1);
    }
    held.add(Quota.BYTES, revision.expiresAt(), revision.held());
    int length = store.value(reader, location, key, revision.id()).map(v -> v.length).orElse(-1);
    if (length != revision.bytes()) {
      drift.accept(
          "revision %s of an item in bucket %s of %s has %d bytes instead of %d"
              .formatted(
                  revision.id(),
                  location.bucket(),
                  location.scope().text(),
                  length,
                  revision.bytes()));
    }
  }
}
