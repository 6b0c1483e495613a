package dev.veridex.buckets;

import dev.veridex.common.BucketLocation;
import dev.veridex.store.Reader;
import java.time.Duration;
import java.util.Optional;

/// The settings of a bucket whose content is searched: documents, or objects.
public sealed interface IndexedSettings extends BucketSettings
    permits DocumentSettings, ObjectSettings {
  /// How long it is remembered that something is gone; absent: for ever.
  Optional<Duration> tombstoneRetention();

  /// The field whose values are the resources of what is in it; absent: its key tells.
  Optional<String> resourceField();

  /// Whether a bucket is searched.
  static boolean isIndexed(Bucket bucket) {
    return bucket.wanted().settings() instanceof IndexedSettings;
  }

  /// The settings of a bucket that is searched.
  static IndexedSettings of(Bucket bucket) {
    return (IndexedSettings) bucket.wanted().settings();
  }

  /// The settings of the bucket at a location, if there is one that is searched.
  static Optional<IndexedSettings> in(BucketLookup lookup, Reader reader, BucketLocation location) {
    return lookup
        .at(reader, location)
        .map(BucketLookup.LocatedBucket::bucket)
        .filter(IndexedSettings::isIndexed)
        .map(IndexedSettings::of);
  }
}
