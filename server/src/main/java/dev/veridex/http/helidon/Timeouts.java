package dev.veridex.http.helidon;

import dev.veridex.http.HttpConfig;
import java.time.Duration;

/// Time-outs of the phases of a connection.
///
/// @param linger how long it may go on sending after our last answer
record Timeouts(Duration idle, Duration head, Duration stall, Duration linger) {
  private static final Duration LINGER = Duration.ofSeconds(1);

  static Timeouts of(HttpConfig config) {
    Duration stall = config.stallTimeout();
    Duration linger = stall.compareTo(LINGER) < 0 ? stall : LINGER;
    return new Timeouts(config.idleTimeout(), config.headTimeout(), stall, linger);
  }
}
