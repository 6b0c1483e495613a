package dev.veridex.http.helidon;

import dev.veridex.http.Gateway;
import dev.veridex.http.Payload;
import dev.veridex.http.Response;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/// Hands a request to the [Gateway] and its answer to the network.
record RequestHandler(Gateway gateway, System.Logger faults) implements Handler {
  /// So much of a body that nobody wanted is read and thrown away to keep the connection.
  private static final int WORTH_KEEPING = 64 << 10;

  @Override
  public void handle(ServerRequest request, ServerResponse response) {
    Connection connection = Connections.CURRENT.get();
    connection.move(Connection.Phase.WORKING, 0);
    HelidonExchange exchange = new HelidonExchange(request, connection);
    try {
      gateway.handle(exchange, answer -> send(answer, exchange, response, connection));
    } catch (CloseConnectionException e) {
      // The client is gone.
      throw e;
    } catch (RuntimeException e) {
      faults.log(System.Logger.Level.ERROR, "an answer could not be sent", e);
      throw new CloseConnectionException("the answer could not be sent", e);
    }
    if (isUnwanted(exchange)) {
      commit(response);
      throw new CloseConnectionException("the rest of the body is not worth reading");
    }
    if (!exchange.isRead()) {
      exchange.drain();
    }
    connection.answered();
    if (exchange.isLast()) {
      commit(response);
      throw new CloseConnectionException("the client asked for it, or was told so");
    }
  }

  /// Ends an answer in pieces. Helidon does it by itself only where the connection goes on.
  private static void commit(ServerResponse response) {
    if (response instanceof RoutingResponse routed) {
      routed.commit();
    }
  }

  private static boolean isUnwanted(HelidonExchange exchange) {
    boolean endless = exchange.contentLength() < 0 || exchange.contentLength() > WORTH_KEEPING;
    return !exchange.isRead() && (endless || exchange.isBroken());
  }

  private void send(
      Response answer, HelidonExchange exchange, ServerResponse response, Connection connection) {
    response.status(Status.create(answer.status()));
    response.header(HeaderNames.CONTENT_TYPE, answer.payload().contentType());
    answer.headers().forEach((name, value) -> response.header(HeaderNames.create(name), value));
    if (isUnwanted(exchange)) {
      exchange.sayLast();
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

  private void stream(Payload.Source source, ServerResponse response, Connection connection) {
    OutputStream out = response.outputStream();
    try {
      source.writeTo(new TimedOutput(out, connection));
      connection.move(Connection.Phase.ANSWERING, 0);
      out.close();
    } catch (ClientGoneException e) {
      throw new CloseConnectionException("the client is gone", e);
    } catch (IOException | RuntimeException e) {
      faults.log(System.Logger.Level.WARNING, "an answer could not be finished", e);
      // Not closed properly: a client sees that the last chunk is missing.
      throw new CloseConnectionException("the answer could not be finished", e);
    }
  }

  /// Nobody takes the answer any more: no fault of ours, and usual where answers go on for hours.
  private static final class ClientGoneException extends IOException {
    private static final long serialVersionUID = 1;

    private ClientGoneException(Exception cause) {
      super(cause);
    }
  }

  /// Waits for the client while it writes, and for us in between.
  private static final class TimedOutput extends OutputStream {
    private final OutputStream out;
    private final Connection connection;

    private TimedOutput(OutputStream out, Connection connection) {
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
      try {
        out.write(bytes, offset, length);
      } catch (IOException | UncheckedIOException e) {
        throw new ClientGoneException(e);
      }
      connection.move(Connection.Phase.WORKING, 0);
    }

    @Override
    public void flush() throws IOException {
      connection.move(Connection.Phase.ANSWERING, 0);
      try {
        out.flush();
      } catch (IOException | UncheckedIOException e) {
        throw new ClientGoneException(e);
      }
      connection.move(Connection.Phase.WORKING, 0);
    }
  }
}
