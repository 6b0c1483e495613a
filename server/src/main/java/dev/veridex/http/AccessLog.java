package dev.veridex.http;

import dev.veridex.common.Agent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// One line per request, in the form `key=value`.
///
/// Lines are collected and written together; a loop runs it as an [Agent], so that none waits for
/// long.
public final class AccessLog implements Agent, AutoCloseable {
  private static final int ENOUGH = 16 << 10;
  private static final int MAX_TARGET = 500;

  private final OutputStream out;
  private final StringBuilder lines = new StringBuilder();

  public AccessLog(OutputStream out) {
    this.out = out;
  }

  /// What there is to say about a request.
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
    if (lines.length() >= ENOUGH) {
      flush();
    }
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
  public synchronized boolean runOnce() {
    boolean any = !lines.isEmpty();
    flush();
    return any;
  }

  private void flush() {
    byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
    lines.setLength(0);
    try {
      out.write(bytes);
      out.flush();
    } catch (IOException e) {
      // Whoever reads the log is gone. Requests go on: a log is no reason to refuse anybody.
      lines.setLength(0);
    }
  }

  @Override
  public void close() {
    runOnce();
  }
}
