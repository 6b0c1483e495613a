package dev.veridex;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// The program's log on standard error, one line each.
final class LogSetup {
  /// It says with a stack trace what we say in a sentence. Held, because the logging system forgets
  /// the level of a logger that nobody holds.
  private static final Logger STARTER = Logger.getLogger("io.helidon.webserver.LoomServer");

  private static final Logger OWN = Logger.getLogger("dev.veridex");
  private static final Logger HELIDON = Logger.getLogger("io.helidon");

  private LogSetup() {}

  /// Lets the program's own lines through from a level on.
  static void level(Config.LogLevel level) {
    OWN.setLevel(
        switch (level) {
          case WARNING -> Level.WARNING;
          case INFO -> Level.INFO;
          case DEBUG -> Level.FINE;
        });
  }

  static void install(PrintStream err) {
    LogManager.getLogManager().reset();
    Logger root = Logger.getLogger("");
    root.setLevel(Level.INFO);
    root.addHandler(new Lines(err));
    // The web server's start and stop are ours to tell.
    HELIDON.setLevel(Level.WARNING);
    STARTER.setLevel(Level.OFF);
  }

  private static final class Lines extends Handler {
    private final PrintStream err;
    private final Formatter formatter = new Line();

    private Lines(PrintStream err) {
      this.err = err;
    }

    @Override
    public void publish(LogRecord record) {
      if (isLoggable(record)) {
        err.print(formatter.format(record));
      }
    }

    @Override
    public void flush() {
      err.flush();
    }

    @Override
    public void close() {
      flush();
    }
  }

  private static final class Line extends Formatter {
    @Override
    public String format(LogRecord record) {
      StringWriter text = new StringWriter();
      text.write(
          "time=%s level=%s message=\"%s\"%n"
              .formatted(
                  record.getInstant(),
                  record.getLevel().getName().toLowerCase(Locale.ROOT),
                  formatMessage(record)
                      .replace("\\", "\\\\")
                      .replace("\"", "\\\"")
                      .replace("\n", "\\n")));
      if (record.getThrown() != null) {
        record.getThrown().printStackTrace(new PrintWriter(text, true));
      }
      return text.toString();
    }
  }
}
