package dev.veridex.http;

import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// A log that a test reads.
public final class RecordingLogger implements System.Logger {
  private final List<String> messages = new CopyOnWriteArrayList<>();

  public List<String> messages() {
    return messages;
  }

  @Override
  public String getName() {
    return "recording";
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String message,
      @Nullable Throwable thrown) {
    messages.add(level + " " + message + " " + thrown);
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String format,
      @Nullable Object... parameters) {
    messages.add(level + " " + format);
  }
}
