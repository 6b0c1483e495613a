package dev.veridex.cli.output;

import java.io.PrintStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/// The terminal of a command: output, colours, environment.
///
/// @param interactive whether a person looks at it: colours and progress are for people
/// @param clock tells how long something still lasts
public record Terminal(
    PrintStream out,
    PrintStream err,
    boolean interactive,
    Map<String, String> environment,
    InstantSource clock) {

  public Terminal {
    environment = Map.copyOf(environment);
  }

  /// The time by its clock.
  public Instant now() {
    return clock.instant();
  }

  public Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /// A text in bold, if a person reads it.
  public String bold(String text) {
    return styled("1", text);
  }

  /// A text that stands back, if a person reads it.
  public String faint(String text) {
    return styled("2", text);
  }

  public String green(String text) {
    return styled("32", text);
  }

  public String red(String text) {
    return styled("31", text);
  }

  /// A text that others chose, without what would move the cursor or begin a line: a name in the
  /// audit log must not pass for an entry of its own.
  public static String safe(String text) {
    StringBuilder safe = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              boolean control =
                  Character.isISOControl(c) || Character.getType(c) == Character.FORMAT;
              if (control || c == 0x2028 || c == 0x2029) {
                safe.append("\\u%04x".formatted(c));
              } else {
                safe.appendCodePoint(c);
              }
            });
    return safe.toString();
  }

  private String styled(String code, String text) {
    boolean coloured = interactive && variable("NO_COLOR").isEmpty();
    return coloured ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }

  /// Shows the progress of long work on one line that is written over.
  public void progress(String text) {
    if (interactive) {
      err.print("\r\u001b[2K" + text);
      err.flush();
    }
  }

  /// Takes the last progress away.
  public void endProgress() {
    progress("");
  }
}
