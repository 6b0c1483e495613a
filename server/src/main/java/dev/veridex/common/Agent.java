package dev.veridex.common;

/// A piece of background work; a loop that owns a thread calls it, and so do tests.
@FunctionalInterface
public interface Agent {
  /// Does what is due now and returns.
  ///
  /// @return whether there was anything to do
  boolean runOnce();
}
