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

/// What the program says about itself, one line each, on standard error.
final class Logging {
  private Logging() {}

  static void install(PrintStream err) {
    LogManager.getLogManager().reset();
    Logger root = Logger.getLogger("");
    root.setLevel(Level.INFO);
    root.addHandler(new Lines(err));
    // The web server's own start and stop are ours to tell.
    root.getHandlers()[0].setFilter(
        record ->
            record.getLevel().intValue() >= Level.WARNING.intValue()
                || !String.valueOf(record.getLoggerName()).startsWith("io.helidon"));
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
