package dev.veridex.buckets;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import java.util.Optional;

/// The rules that the definition of a bucket must keep, whoever gives it.
final class BucketRules {
  private BucketRules() {}

  static Optional<Problem> badName(String name) {
    return Bucket.isName(name)
        ? Optional.empty()
        : Optional.of(
            Problem.of(
                    ErrorCode.INVALID_NAME,
                    "a bucket's name has up to 64 of a-z, 0-9, underscore and dash")
                .with("parameter", "bucket"));
  }

  static Optional<Problem> badPrefix(String prefix) {
    boolean good =
        prefix.length() <= BucketSettings.MAX_PREFIX && !BucketSettings.isReserved(prefix);
    return good
        ? Optional.empty()
        : Optional.of(
            Problem.of(
                    ErrorCode.BAD_KEY,
                    "a prefix has up to 256 characters and does not begin with bucket: or s3://")
                .at("/settings/resourcePrefix"));
  }

  static Optional<Problem> badField(BucketSettings settings) {
    return settings instanceof DocumentSettings documents
        ? documents
            .resourceField()
            .filter(name -> name.isEmpty() || name.startsWith("_"))
            .map(
                _ ->
                    Problem.of(ErrorCode.INVALID_NAME, "no field can have this name")
                        .at("/settings/resourceField"))
        : Optional.empty();
  }

  /// A catalogue forgets nothing.
  static Optional<Problem> forgets(Bucket.Definition wanted) {
    return wanted.settings() instanceof ObjectSettings && wanted.ttl().isPresent()
        ? Optional.of(
            Problem.of(
                    ErrorCode.BAD_REQUEST,
                    "A bucket of objects takes no ttl: rows of a catalogue are never lost.")
                .at("/ttl"))
        : Optional.empty();
  }

  /// Settings in which everything is settled that stays for ever.
  ///
  /// @param before those of the bucket as it is; the same if it is new
  static BucketSettings settled(
      BucketSettings wanted, BucketSettings before, ObjectSettings.Mode usual) {
    return wanted instanceof ObjectSettings objects
        ? objects
            .orIn(before instanceof ObjectSettings known ? known.mode() : Optional.empty())
            .orIn(Optional.of(usual))
        : wanted;
  }

  static Optional<Problem> otherType(Bucket bucket, String given, BucketType wanted) {
    boolean same = bucket.type().equals(wanted) || bucket.type().name().equals(given);
    return same
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.CONFLICT, "a bucket keeps its type; another version is an upgrade")
                .at("/type")
                .with("type", bucket.type().text()));
  }
}
