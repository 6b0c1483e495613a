package dev.veridex.access;

/// What one individual says about one record.
///
/// @param named whether its newest state names the record
/// @param live whether it contributes at all; a deleted state only names
/// @param ops the bits it contributes, each with the operation that named it
public record Contribution(boolean named, boolean live, BitOps ops, Marker marker) {

  /// What is left of it where others struck. Named bits that are all struck leave nothing, while
  /// one that never named a bit is there all the same.
  Effect under(BitOps strikes) {
    int bits = live ? ops.notStruckBy(strikes) : 0;
    boolean present = live && (bits != 0 || ops.bits() == 0);
    return new Effect(named, present, bits, present ? marker : Marker.NONE);
  }

  /// What a contribution adds to its record.
  record Effect(boolean named, boolean present, int bits, Marker marker) {
    static final Effect NONE = new Effect(false, false, 0, Marker.NONE);
  }
}
