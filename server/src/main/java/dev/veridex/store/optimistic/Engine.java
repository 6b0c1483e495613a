package dev.veridex.store.optimistic;

import java.util.OptionalLong;

/// The part of a store that differs between engines with snapshots.
public interface Engine {
  /// The newest state, held for a transaction until [#end].
  View begin();

  /// Makes the writes of a transaction durable and visible, unless its reads no longer hold.
  ///
  /// @param view the one it read
  /// @param attempt how often it was refused before; the more often, the earlier it is served
  /// @return its sequence, or nothing if it must run again
  OptionalLong commit(View view, ReadSet reads, WriteSet writes, int attempt);

  /// Lets go of a view, whether its transaction was committed or not.
  void end(View view);
}
