package dev.veridex.documents.registry;

import dev.veridex.acl.Acl.Action;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.store.Reader;
import dev.veridex.tenancy.ChangeResult;
import java.util.Optional;

/// The buckets that are searched, for whoever administers one or works for it.
///
/// @param access to what is in them
public record IndexedBuckets(BucketLookup lookup, ResourceAccess access) {
  /// The bucket that somebody may administer.
  public BucketLookup.LocatedBucket administered(
      Reader reader, ActingCaller actor, Namespace namespace, String bucket) {
    BucketLookup.LocatedBucket found = access.find(reader, actor, namespace, bucket);
    access.bucket(reader, found, actor, Action.ADMIN);
    return found;
  }

  /// The bucket of a name, for those who may have it already.
  public Optional<BucketLookup.LocatedBucket> find(
      Reader reader, Namespace namespace, String bucket) {
    return lookup
        .find(reader, namespace, bucket)
        .filter(found -> IndexedSettings.isIndexed(found.bucket()));
  }

  /// Whether the records at a location still belong to a bucket.
  public boolean isThere(Reader reader, BucketLocation location) {
    return lookup.isThere(reader, location);
  }

  /// The refusal of a bucket of another type.
  public static <T> Optional<ChangeResult<T>> wrongType(BucketLookup.LocatedBucket found) {
    return IndexedSettings.isIndexed(found.bucket())
        ? Optional.empty()
        : Optional.of(
            new ChangeResult.Refused<>(
                Problem.of(ErrorCode.NOT_FOUND, "there is no such bucket of documents")));
  }
}
