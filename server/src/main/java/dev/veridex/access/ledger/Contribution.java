package dev.veridex.access.ledger;

import dev.veridex.access.statement.BitOperations;
import dev.veridex.access.statement.Marker;

/// The contribution of one individual to one record.
///
/// @param named whether its newest state names the record
/// @param live whether it contributes at all; a deleted state only names
/// @param ops the bits it contributes, each with the operation that named it
public record Contribution(boolean named, boolean live, BitOperations ops, Marker marker) {

  /// What is left of it where others struck. Named bits that are all struck leave nothing, while
  /// one that never named a bit is there all the same.
  public Effect under(BitOperations strikes) {
    int bits = live ? ops.notStruckBy(strikes) : 0;
    boolean present = live && (bits != 0 || ops.bits() == 0);
    return new Effect(named, present, bits, present ? marker : Marker.NONE);
  }

  /// The effect of a contribution on its record, strikes considered.
  public record Effect(boolean named, boolean present, int bits, Marker marker) {
    public static final Effect NONE = new Effect(false, false, 0, Marker.NONE);
  }
}
