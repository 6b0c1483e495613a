package dev.veridex.buckets;

import java.util.Optional;

/// The settings of a bucket of items.
public record ItemSettings(boolean itemAccess, String resourcePrefix, Retention retention)
    implements BucketSettings {

  public static final ItemSettings USUAL = new ItemSettings(false, "", new Retention.All());

  /// The settings of a bucket of items.
  public static ItemSettings of(Bucket bucket) {
    return (ItemSettings) bucket.wanted().settings();
  }

  /// Items go through no queue.
  @Override
  public Optional<Integer> shards() {
    return Optional.empty();
  }

  @Override
  public ItemSettings withShards(Optional<Integer> other) {
    return this;
  }
}
