package dev.veridex.access;

import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.identity.Caller;
import dev.veridex.store.Reader;
import java.util.List;
import java.util.Optional;

/// Lists what is stored in buckets, by the ids that it has as resources.
@FunctionalInterface
public interface StoredResources {
  /// The ids of what a caller may know of, some of each bucket.
  ///
  /// @param bucket the only one that counts; absent for all of the namespace
  /// @param after only ids that come after this one, by their bytes
  /// @return ids in order, and the one to go on after
  List<Page<String>> list(
      Reader reader,
      Caller caller,
      Namespace namespace,
      Optional<String> bucket,
      String after,
      int limit);
}
