package dev.veridex.search;

import dev.veridex.access.AccessVisibility.Sight;
import dev.veridex.accounts.Place;
import dev.veridex.common.Revision;
import java.util.Optional;

/// How searches come by the state of rights that they are answered in.
@FunctionalInterface
public interface Sights {
  /// Opens the newest state of a place.
  ///
  /// @param atLeast how fresh it has to be
  /// @param explained whether it will be asked why
  Sight open(Place place, Optional<Revision> atLeast, boolean explained);
}
