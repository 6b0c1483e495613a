package dev.veridex.http;

import dev.veridex.common.Agent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// The access log: one line per request, in the form `key=value`.
///
/// Lines are collected; a loop runs it as an [Agent] that writes them. A request never waits for
/// whoever reads the log: if they do not keep up, lines are dropped, and their number is told.
public final class AccessLog implements Agent, AutoCloseable {
  private static final int MAX_COLLECTED = 8 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final int MAX_TARGET = 500;

  private final OutputStream out;
  private StringBuilder lines = new StringBuilder();
  private long dropped;

  public AccessLog(OutputStream out) {
    this.out = out;
  }

  /// A line of the access log.
  ///
  /// @param token the id of the caller's token, never its secret
  record Line(
      Instant time,
      String method,
      String target,
      int status,
      long nanos,
      String remoteAddress,
      Optional<String> token,
      TraceContext trace) {}

  synchronized void write(Line line) {
    if (lines.length() > MAX_COLLECTED) {
      dropped++;
      return;
    }
    lines
        .append("time=")
        .append(line.time)
        .append(" status=")
        .append(line.status)
        .append(" method=")
        .append(quoted(line.method))
        .append(" target=")
        .append(quoted(line.target))
        .append(" ms=")
        .append(String.format(Locale.ROOT, "%.3f", (double) line.nanos / 1e6))
        .append(" remote=")
        .append(line.remoteAddress);
    line.token.ifPresent(id -> lines.append(" token=").append(quoted(id)));
    lines
        .append(" trace=")
        .append(line.trace.traceId())
        .append(" span=")
        .append(line.trace.spanId())
        .append('\n');
  }

  /// A client chooses the method and the target: whatever could end a line or a value is escaped.
  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < Math.min(text.length(), MAX_TARGET); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append(text.length() > MAX_TARGET ? "…\"" : "\"").toString();
  }

  @Override
  public boolean runOnce() {
    String collected = take();
    if (collected.isEmpty()) {
      return false;
    }
    try {
      out.write(collected.getBytes(StandardCharsets.UTF_8));
      out.flush();
    } catch (IOException e) {
      // Whoever reads the log is gone. Requests go on: a log is no reason to refuse anybody.
      return false;
    }
    return true;
  }

  private synchronized String take() {
    if (dropped > 0) {
      lines.append("dropped=").append(dropped).append('\n');
      dropped = 0;
    }
    String collected = lines.toString();
    lines = new StringBuilder();
    return collected;
  }

  /// Writes what is left, if somebody takes it.
  @Override
  public void close() {
    Thread last = Thread.ofPlatform().daemon(true).start(this::runOnce);
    try {
      last.join(PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
