package dev.veridex.documents.registry;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.common.BucketLocation;
import dev.veridex.index.Schema;
import dev.veridex.store.Reader;
import java.util.Map;
import java.util.function.Function;

/// The registries of all buckets that are searched.
///
/// @param kinds of registries, by type of bucket
public record Registries(BucketLookup lookup, Map<String, Kind> kinds) {
  /// The registry of documents.
  public static final Kind DOCUMENTS =
      new Kind(found -> new DocumentRegistry(found.data(found.bucket().side())), Schema.EMPTY);

  /// A kind of registries.
  ///
  /// @param first the schema of a bucket in which nothing was ever stored
  public record Kind(Function<BucketLookup.LocatedBucket, Registry> registry, Schema first) {}

  public Registries {
    kinds = Map.copyOf(kinds);
  }

  /// The registry of a bucket.
  public Registry of(BucketLookup.LocatedBucket found) {
    return kind(found).registry.apply(found);
  }

  /// The registry at a location; where there is no bucket any more, nothing is in it.
  public Registry at(Reader reader, BucketLocation location) {
    return lookup
        .at(reader, location)
        .map(this::of)
        .orElseGet(() -> new DocumentRegistry(location));
  }

  /// The epochs of the bucket at a location, with their schemas also while nothing was ever stored.
  public Epochs epochs(Epochs.Store stored, Reader reader, BucketLocation location) {
    Epochs epochs = stored.read(reader, location);
    Epochs.Epoch serving = epochs.serving();
    return serving.schemaVersion() > 0
        ? epochs
        : lookup
            .at(reader, location)
            .map(found -> epochs.with(serving.with(kind(found).first, 0)))
            .orElse(epochs);
  }

  private Kind kind(BucketLookup.LocatedBucket found) {
    return kinds.getOrDefault(found.bucket().type().name(), DOCUMENTS);
  }
}
