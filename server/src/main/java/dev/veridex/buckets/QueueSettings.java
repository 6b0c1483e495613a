package dev.veridex.buckets;

import java.time.Duration;
import java.util.Optional;

/// The settings of a bucket that is a queue.
///
/// @param groupTtl how long a group of readers is kept that nobody uses
/// @param retention how long messages are kept while there is no group at all; absent: for ever
public record QueueSettings(
    Optional<Integer> shards, Duration groupTtl, Optional<Duration> retention)
    implements BucketSettings {
  /// The name of the type.
  public static final String TYPE = "queue";

  public static final QueueSettings USUAL =
      new QueueSettings(Optional.empty(), Duration.ofDays(30), Optional.empty());

  /// The settings of a queue.
  public static QueueSettings of(Bucket bucket) {
    return (QueueSettings) bucket.wanted().settings();
  }

  /// Messages have no rights of their own.
  @Override
  public boolean itemAccess() {
    return false;
  }

  @Override
  public String resourcePrefix() {
    return "";
  }

  @Override
  public QueueSettings withShards(Optional<Integer> other) {
    return new QueueSettings(other, groupTtl, retention);
  }
}
