package dev.veridex.cli.client;

/// Exit codes of commands.
public final class ExitCode {
  /// Done.
  public static final int OK = 0;

  /// No: refused, not there, or something does not agree.
  public static final int NO = 1;

  /// The command was not understood.
  public static final int USAGE = 2;

  /// The server failed or cannot be reached.
  public static final int FAILURE = 3;

  private ExitCode() {}
}
