package dev.veridex.buckets;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import java.time.Duration;
import java.util.Optional;

/// The settings of a bucket of documents.
///
/// @param tombstoneRetention how long it is remembered that a document was deleted or expired;
///   absent: for ever
/// @param rejectsLate whether documents are refused that are older than what is remembered, since
///   they might have been deleted
/// @param resourceField the field whose values are a document's resources; absent: its key is
public record DocumentSettings(
    boolean itemAccess,
    String resourcePrefix,
    Optional<Integer> shards,
    Optional<Duration> tombstoneRetention,
    boolean rejectsLate,
    Optional<String> resourceField)
    implements IndexedSettings {
  /// The name of the type.
  public static final String TYPE = "documents";

  public static final DocumentSettings USUAL =
      new DocumentSettings(
          true, "", Optional.empty(), Optional.of(Duration.ofDays(30)), false, Optional.empty());

  /// The settings of a bucket of documents.
  public static DocumentSettings of(Bucket bucket) {
    return (DocumentSettings) bucket.wanted().settings();
  }

  @Override
  public DocumentSettings withShards(Optional<Integer> other) {
    return new DocumentSettings(
        itemAccess, resourcePrefix, other, tombstoneRetention, rejectsLate, resourceField);
  }

  /// What a document's resources are is settled for ever: search indexes go by it, and one that is
  /// made anew would show what it must not until it is.
  @Override
  public Optional<Problem> contradicts(BucketSettings before) {
    return IndexedSettings.super
        .contradicts(before)
        .or(
            () ->
                before instanceof DocumentSettings settled
                        && !(settled.resourcePrefix.equals(resourcePrefix)
                            && settled.resourceField.equals(resourceField))
                    ? Optional.of(
                        Problem.of(
                                ErrorCode.CONFLICT,
                                "what is a document's resource is settled when a bucket is made")
                            .at(
                                settled.resourcePrefix.equals(resourcePrefix)
                                    ? "/settings/resourceField"
                                    : "/settings/resourcePrefix"))
                    : Optional.empty());
  }
}
