package dev.veridex.search.query;

import dev.veridex.access.AccessSnapshot;
import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
import java.util.Optional;

/// Opens the access snapshots from which searches are answered.
@FunctionalInterface
public interface AccessSnapshots {
  /// Opens the newest state of a namespace.
  ///
  /// @param atLeast how fresh it has to be
  /// @param explained whether it will be asked why
  AccessSnapshot open(Namespace namespace, Optional<Revision> atLeast, boolean explained);
}
