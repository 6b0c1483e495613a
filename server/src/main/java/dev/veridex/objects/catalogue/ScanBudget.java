package dev.veridex.objects.catalogue;

import java.util.function.LongConsumer;

/// The work that one request may cost: objects that are looked at, and events that are read.
public final class ScanBudget {
  /// So much takes some tens of milliseconds.
  public static final long USUAL = 40_000;

  /// About what an event takes in memory besides its attributes.
  private static final int EVENT_BYTES = 600;

  /// What a byte takes that is read as JSON.
  private static final int WEIGHT = 8;

  private static final long AT_ONCE = 64 << 10;

  private final LongConsumer room;
  private long left;
  private long waiting;

  /// @param room sets memory aside for events, or refuses
  public ScanBudget(long units, LongConsumer room) {
    this.left = units;
    this.room = room;
  }

  /// What costs about as much as so many objects of which only the name is read.
  public void use(long units) {
    left -= units;
  }

  /// An event is kept in memory until the answer is sent.
  ///
  /// @param stored its bytes as it is stored
  void keep(int stored) {
    left -= 1 + stored / EVENT_BYTES;
    waiting += EVENT_BYTES + (long) WEIGHT * stored;
    if (waiting > AT_ONCE) {
      room.accept(waiting);
      waiting = 0;
    }
  }

  /// Whether there is none left.
  public boolean isUsedUp() {
    return left <= 0;
  }
}
