package dev.veridex.store;

/// The order in which a scan visits keys.
public enum Direction {
  FORWARD,
  REVERSE
}
