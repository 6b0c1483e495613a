package dev.veridex.buckets;

import dev.veridex.common.Scope;
import dev.veridex.store.Reader;

/// The rights of a subject on a single resource, in buckets with `itemAccess`.
@FunctionalInterface
public interface ResourceRights {
  /// A right on a resource.
  enum Right {
    CREATE,
    READ,
    UPDATE,
    DELETE
  }

  /// Whether a subject has a right on a resource in a bucket, as a reader sees it. In a
  /// transaction, the answer still holds at its commit.
  boolean has(
      Reader reader, Scope scope, String bucket, String subject, String resource, Right right);

  /// Where nothing was ever stated: nobody has any right on anything.
  ResourceRights NOTHING_STATED = (_, _, _, _, _, _) -> false;
}
