package dev.veridex.objects.catalogue;

import java.util.function.LongConsumer;

/// The work that one request may cost: objects that are looked at, and events that are read.
public final class ScanBudget {
  /// So much takes some tens of milliseconds.
  public static final long USUAL = 40_000;

  /// About what an event takes in memory.
  private static final int EVENT_BYTES = 600;

  private static final int AT_ONCE = 100;

  private final LongConsumer room;
  private long left;
  private int events;

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
  void keep() {
    left--;
    if (events++ % AT_ONCE == 0) {
      room.accept((long) EVENT_BYTES * AT_ONCE);
    }
  }

  /// Whether there is none left.
  public boolean isUsedUp() {
    return left <= 0;
  }
}
