package dev.veridex.http.helidon;

import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Gateway;
import dev.veridex.http.HttpConfig;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import java.time.Duration;
import java.util.function.LongSupplier;

/// Listens on a port and hands every request to the [Gateway].
public final class HelidonServer implements AutoCloseable {
  private static final int MAX_HEAD_BYTES = 16 << 10;

  private final WebServer server;
  private final Connections connections;
  private final HttpConfig config;

  private HelidonServer(WebServer server, Connections connections, HttpConfig config) {
    this.server = server;
    this.connections = connections;
    this.config = config;
  }

  /// Starts listening.
  ///
  /// @param nanoTime what time-outs are measured with
  /// @param faults hears of answers that could not be finished
  /// @throws VeridexException `UNAVAILABLE` if the port cannot be listened on
  public static HelidonServer start(
      HttpConfig config, Gateway gateway, LongSupplier nanoTime, System.Logger faults) {
    RequestHandler handling = new RequestHandler(gateway, faults);
    Http1Config http =
        Http1Config.builder()
            .maxPrologueLength(MAX_HEAD_BYTES)
            .maxHeadersSize(MAX_HEAD_BYTES)
            // Paths are data to us: we decode and judge them ourselves.
            .validatePath(false)
            .validatePrologue(false)
            .build();
    Connections connections =
        new Connections(
            Http1ConnectionSelector.builder().config(http).build(), Timeouts.of(config), nanoTime);
    WebServer server =
        WebServer.builder()
            .host(config.host())
            .port(config.port())
            .maxTcpConnections(config.maxConnections())
            .shutdownHook(false)
            .featuresDiscoverServices(false)
            .protocolsDiscoverServices(false)
            .contentEncoding(new IdentityEncoding())
            .addConnectionSelector(connections)
            .directHandlers(ConnectionProblems.handlers())
            .errorHandling(errors -> errors.includeEntity(true))
            .connectionOptions(options -> options.tcpNoDelay(true))
            .routing(HttpRouting.builder().any(handling))
            .build()
            .start();
    if (!server.isRunning()) {
      // Helidon tells its log and goes on.
      throw new VeridexException(
          Problem.of(ErrorCode.UNAVAILABLE, "the port cannot be listened on")
              .with("host", config.host())
              .with("port", config.port()));
    }
    return new HelidonServer(server, connections, config);
  }

  public int port() {
    return server.port();
  }

  /// The agent that closes connections whose client takes too long; to be run about every second.
  public Agent watch() {
    return connections;
  }

  /// The bytes of requests that were received and not yet handed on.
  public long bufferedBytes() {
    return connections.buffered();
  }

  public int connections() {
    return connections.count();
  }

  /// Stops listening and closes all connections.
  @Override
  public void close() {
    server.stop();
  }

  /// How long requests in flight may take when the server stops.
  public Duration stopTimeout() {
    return config.stopTimeout();
  }
}
