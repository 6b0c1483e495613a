package dev.veridex.common;

/// Lets other requests pass in the middle of long work.
public final class Fairness {
  private Fairness() {}

  /// Gives the carrier of the calling virtual thread to others for a moment.
  ///
  /// A platform thread goes on: the system interrupts it anyway, and what it gave up would go to
  /// whatever else runs on the machine.
  @SuppressWarnings("ThreadPriorityCheck") // Fairness only: nothing depends on it.
  public static void pause() {
    if (Thread.currentThread().isVirtual()) {
      Thread.yield();
    }
  }
}
