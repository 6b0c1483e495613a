package dev.veridex.cli.client;

/// The failure of a command, with a message for people.
public final class CommandFailure extends RuntimeException {
  private final int exit;
  private final String code;

  public CommandFailure(int exit, String message) {
    this(exit, "", message);
  }

  /// A server said why.
  ///
  /// @param code of its problem
  public CommandFailure(int exit, String code, String message) {
    super(message);
    this.exit = exit;
    this.code = code;
  }

  public int exit() {
    return exit;
  }

  /// The code of the server's problem; empty if it was not the server's.
  String code() {
    return code;
  }
}
