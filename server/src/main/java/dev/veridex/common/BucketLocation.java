package dev.veridex.common;

/// The location of a bucket's records: scope, incarnation, name and side.
///
/// @param incarnation of the scope
/// @param side the number of the side
public record BucketLocation(Scope scope, long incarnation, String bucket, long side) {

  /// The prefix of all its records of a kind.
  public KeyWriter prefix(RecordKind kind) {
    return new KeyWriter().scope(kind.code(), scope, incarnation).string(bucket).unsigned(side);
  }
}
