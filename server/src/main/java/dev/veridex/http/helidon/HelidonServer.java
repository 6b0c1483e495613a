package dev.veridex.http.helidon;

import dev.veridex.common.Agent;
import dev.veridex.http.Gateway;
import dev.veridex.http.HttpConfig;
import dev.veridex.http.Payload;
import dev.veridex.http.Response;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.function.LongSupplier;

/// Listens on a port and hands every request to the [Gateway].
public final class HelidonServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(HelidonServer.class.getName());
  private static final int MAX_HEAD_BYTES = 16 << 10;

  /// So much of a body that nobody wanted is read and thrown away to keep the connection.
  private static final int WORTH_KEEPING = 64 << 10;

  private static final long MAX_BODY_BYTES = 64 << 20;

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
  public static HelidonServer start(HttpConfig config, Gateway gateway, LongSupplier nanoTime) {
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
            .maxPayloadSize(MAX_BODY_BYTES)
            .shutdownHook(false)
            .featuresDiscoverServices(false)
            .protocolsDiscoverServices(false)
            .addConnectionSelector(connections)
            .directHandlers(ConnectionProblems.handlers())
            .errorHandling(errors -> errors.includeEntity(true))
            .connectionOptions(options -> options.tcpNoDelay(true))
            .routing(
                HttpRouting.builder()
                    .any((request, response) -> handle(gateway, request, response)))
            .build()
            .start();
    return new HelidonServer(server, connections, config);
  }

  public int port() {
    return server.port();
  }

  /// What closes connections whose client takes too long; to be run about every second.
  public Agent watch() {
    return connections;
  }

  public int connections() {
    return connections.count();
  }

  private static void handle(Gateway gateway, ServerRequest request, ServerResponse response) {
    Connection connection = Connections.CURRENT.get();
    connection.move(Connection.Phase.WORKING, 0);
    HelidonExchange exchange = new HelidonExchange(request, connection);
    gateway.handle(exchange, answer -> send(answer, exchange, response, connection));
    connection.move(Connection.Phase.IDLE, 0);
    if (isUnwanted(exchange)) {
      throw new CloseConnectionException("the rest of the body is not worth reading");
    }
  }

  private static boolean isUnwanted(HelidonExchange exchange) {
    return !exchange.isRead()
        && (exchange.contentLength() < 0 || exchange.contentLength() > WORTH_KEEPING);
  }

  private static void send(
      Response answer, HelidonExchange exchange, ServerResponse response, Connection connection) {
    response.status(Status.create(answer.status()));
    response.header(HeaderNames.CONTENT_TYPE, answer.payload().contentType());
    answer.headers().forEach((name, value) -> response.header(HeaderNames.create(name), value));
    if (isUnwanted(exchange)) {
      response.header(HeaderValues.CONNECTION_CLOSE);
    }
    boolean headOnly = exchange.method().equals("HEAD");
    switch (answer.payload()) {
      case Payload.Bytes(_, byte[] bytes) -> {
        connection.move(Connection.Phase.ANSWERING, bytes.length);
        if (headOnly) {
          response.header(HeaderNames.CONTENT_LENGTH, String.valueOf(bytes.length));
        }
        response.send(headOnly ? new byte[0] : bytes);
      }
      case Payload.Streamed(_, Payload.Source source) -> {
        if (headOnly) {
          response.send(new byte[0]);
        } else {
          stream(source, response, connection);
        }
      }
    }
  }

  private static void stream(
      Payload.Source source, ServerResponse response, Connection connection) {
    OutputStream out = response.outputStream();
    try {
      source.writeTo(new Sending(out, connection));
      out.close();
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "an answer could not be finished", e);
      // Not closed properly: a client sees that the last chunk is missing.
      throw new CloseConnectionException("the answer could not be finished", e);
    }
  }

  /// Waits for the client while it writes, and for us in between.
  private static final class Sending extends OutputStream {
    private final OutputStream out;
    private final Connection connection;

    private Sending(OutputStream out, Connection connection) {
      this.out = out;
      this.connection = connection;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      connection.move(Connection.Phase.ANSWERING, length);
      out.write(bytes, offset, length);
      connection.move(Connection.Phase.WORKING, 0);
    }

    @Override
    public void flush() throws IOException {
      connection.move(Connection.Phase.ANSWERING, 0);
      out.flush();
      connection.move(Connection.Phase.WORKING, 0);
    }
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
