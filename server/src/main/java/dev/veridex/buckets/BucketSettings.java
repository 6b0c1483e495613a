package dev.veridex.buckets;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import java.util.Optional;

/// The settings of a bucket, by type.
public sealed interface BucketSettings permits ItemSettings, IndexedSettings, QueueSettings {
  /// The most characters of a prefix.
  int MAX_PREFIX = 256;

  /// The most shards of a queue.
  int MAX_SHARDS = 256;

  /// How many shards a queue has if nothing is said.
  int USUAL_SHARDS = 4;

  /// Whether each thing in it is shown and changed by the rights that the subject has on it.
  boolean itemAccess();

  /// The prefix of a key in the id of its resource.
  String resourcePrefix();

  /// The resource whose rights decide who may read what has a key.
  default String resource(String key) {
    return resourcePrefix() + key;
  }

  /// Into how many shards its queues are split, if somebody said so.
  Optional<Integer> shards();

  /// The same with another number of shards.
  BucketSettings withShards(Optional<Integer> other);

  /// Into how many shards its queues are split.
  default int shardCount() {
    return shards().orElse(USUAL_SHARDS);
  }

  /// Whether the id of a resource stands for something else than what is in a bucket.
  static boolean isReserved(String resource) {
    return resource.startsWith("bucket:") || resource.startsWith("s3://");
  }

  /// The default settings of a type.
  static BucketSettings usual(String type) {
    return switch (type) {
      case DocumentSettings.TYPE -> DocumentSettings.USUAL;
      case ObjectSettings.TYPE -> ObjectSettings.USUAL;
      case QueueSettings.TYPE -> QueueSettings.USUAL;
      default -> ItemSettings.USUAL;
    };
  }

  /// Why settings cannot take the place of others: what is in a queue lies where its number of
  /// shards has put it.
  default Optional<Problem> contradicts(BucketSettings before) {
    return shards().filter(count -> count != before.shardCount()).isEmpty()
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.CONFLICT, "the number of shards is settled when a bucket is made")
                .at("/settings/shards")
                .with("shards", before.shardCount()));
  }
}
