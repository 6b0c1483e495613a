package dev.veridex.objects.event;

import java.time.Instant;
import java.util.Optional;

/// The facts that an event tells of an object, besides its identity.
///
/// @param eTag with its quotes
/// @param archiveStatus the archive tier of an object that moves between tiers by itself
/// @param ingestId follows an object that is moved
public record ObjectFacts(
    Optional<Long> size,
    Optional<String> sha256,
    Optional<Instant> lastModified,
    Optional<String> eTag,
    Optional<String> storageClass,
    Optional<String> archiveStatus,
    Optional<String> ingestId) {
  public static final ObjectFacts NONE =
      new ObjectFacts(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  /// The facts of two events of the same identity: a value beats none, of two the smaller counts.
  public ObjectFacts merged(ObjectFacts other) {
    return new ObjectFacts(
        smaller(size, other.size),
        smaller(sha256, other.sha256),
        smaller(lastModified, other.lastModified),
        smaller(eTag, other.eTag),
        smaller(storageClass, other.storageClass),
        smaller(archiveStatus, other.archiveStatus),
        smaller(ingestId, other.ingestId));
  }

  private static <T extends Comparable<T>> Optional<T> smaller(Optional<T> one, Optional<T> other) {
    return one.isPresent() && other.isPresent()
        ? (one.get().compareTo(other.get()) <= 0 ? one : other)
        : one.or(() -> other);
  }

  /// The same; what it does not tell, another one does. An archive tier is one of the storage class
  /// that it was told with: where another class is told, nothing is left of it.
  public ObjectFacts or(ObjectFacts other) {
    return new ObjectFacts(
        size.or(other::size),
        sha256.or(other::sha256),
        lastModified.or(other::lastModified),
        eTag.or(other::eTag),
        storageClass.or(other::storageClass),
        storageClass.isPresent() ? archiveStatus : archiveStatus.or(other::archiveStatus),
        ingestId.or(other::ingestId));
  }
}
