package dev.veridex.buckets;

import java.time.Duration;
import java.util.Optional;

/// What a bucket of documents settles for itself.
///
/// @param tombstoneRetention how long it is remembered that a document was deleted or expired;
///   absent: for ever
/// @param rejectsLate whether documents are refused that are older than what is remembered, since
///   they might have been deleted
public record DocumentSettings(
    boolean itemAccess,
    String resourcePrefix,
    Optional<Integer> shards,
    Optional<Duration> tombstoneRetention,
    boolean rejectsLate)
    implements BucketSettings {
  /// The name of the type.
  public static final String TYPE = "documents";

  public static final DocumentSettings USUAL =
      new DocumentSettings(true, "", Optional.empty(), Optional.of(Duration.ofDays(30)), false);

  /// What a bucket of documents has settled.
  public static DocumentSettings of(Bucket bucket) {
    return (DocumentSettings) bucket.wanted().settings();
  }

  @Override
  public DocumentSettings withShards(Optional<Integer> other) {
    return new DocumentSettings(itemAccess, resourcePrefix, other, tombstoneRetention, rejectsLate);
  }
}
