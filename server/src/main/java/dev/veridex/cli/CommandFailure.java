package dev.veridex.cli;

/// A command came to nothing; the message is for a person.
public final class CommandFailure extends RuntimeException {
  private final int exit;

  public CommandFailure(int exit, String message) {
    super(message);
    this.exit = exit;
  }

  public int exit() {
    return exit;
  }
}
