package dev.veridex.http.helidon;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Exchange;
import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.HttpPrologue;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A request that Helidon has read the head of.
final class HelidonExchange implements Exchange {
  private final ServerRequest request;
  private final Connection connection;
  private final String target;
  private final String remoteAddress;
  private Optional<InputStream> opened = Optional.empty();
  private boolean bodyRead;
  private boolean broken;
  private boolean saidLast;

  HelidonExchange(ServerRequest request, Connection connection) {
    this.request = request;
    this.connection = connection;
    // Asked now: a socket that was closed meanwhile has no address any more.
    this.target = target(request.prologue());
    this.remoteAddress = request.remotePeer().host();
  }

  @Override
  public String method() {
    return request.prologue().method().text();
  }

  @Override
  public String target() {
    return target;
  }

  private static String target(HttpPrologue prologue) {
    StringBuilder target = new StringBuilder(prologue.uriPath().rawPath());
    if (!prologue.query().rawValue().isEmpty()) {
      target.append('?').append(prologue.query().rawValue());
    }
    if (prologue.fragment().hasValue()) {
      target.append('#').append(prologue.fragment().rawValue());
    }
    return target.toString();
  }

  @Override
  public Optional<String> header(String name) {
    return request.headers().first(HeaderNames.create(name));
  }

  @Override
  public List<String> headers(String name) {
    HeaderName wanted = HeaderNames.create(name);
    return request.headers().contains(wanted)
        ? request.headers().get(wanted).allValues()
        : List.of();
  }

  @Override
  public SortedMap<String, String> headersBeginning(String prefix) {
    SortedMap<String, String> found = new TreeMap<>();
    for (Header header : request.headers()) {
      String name = header.headerName().lowerCase();
      if (name.startsWith(prefix)) {
        found.put(name, String.join(", ", header.allValues()));
      }
    }
    return found;
  }

  @Override
  public long contentLength() {
    if (request.headers().contains(HeaderNames.TRANSFER_ENCODING)) {
      return -1;
    }
    return request.headers().contentLength().orElse(0);
  }

  @Override
  public InputStream body() {
    connection.move(Connection.Phase.BODY, 0);
    InputStream body = new Body(request.content().inputStream());
    opened = Optional.of(body);
    return body;
  }

  @Override
  public void working() {
    connection.tookBody();
  }

  @Override
  public boolean isArriving() {
    return contentLength() > 0 || connection.isArriving();
  }

  /// Reads the rest of a body that nobody wanted, so that the next request can follow.
  void drain() {
    try (InputStream rest = opened.orElseGet(this::body)) {
      rest.transferTo(OutputStream.nullOutputStream());
    } catch (IOException | VeridexException e) {
      throw new CloseConnectionException("the rest of the body cannot be read", e);
    }
  }

  /// The answer says that the connection is closed after it. A body that comes while the answer
  /// goes may be read to its end after all.
  void sayLast() {
    saidLast = true;
  }

  /// Whether the connection is to be closed after the answer: the client wants it, or was told so.
  boolean isLast() {
    return saidLast || request.headers().containsToken(HeaderValues.CONNECTION_CLOSE);
  }

  /// Whether nobody can say where the body ends, or whether it comes at all: a client that waits to
  /// be asked for it may send it or not, once it has our answer.
  boolean isBroken() {
    return broken || header("Expect").isPresent();
  }

  /// Whether there is nothing left to read.
  boolean isRead() {
    return bodyRead || contentLength() == 0;
  }

  @Override
  public String remoteAddress() {
    return remoteAddress;
  }

  /// The request body; errors of the protocol become problems.
  private final class Body extends InputStream {
    private final InputStream in;

    private Body(InputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      boolean failed = true;
      try {
        if (!bodyRead) {
          connection.awaitBody();
        }
        int read = in.read(bytes, offset, length);
        failed = false;
        if (read < 0) {
          bodyRead = true;
          connection.move(Connection.Phase.WORKING, 0);
        }
        return read;
      } catch (CloseConnectionException e) {
        throw new EOFException("the client is gone");
      } catch (RequestException e) {
        throw new VeridexException(ConnectionProblems.problem(e.status().code(), ""), e);
      } catch (VeridexException e) {
        throw e;
      } catch (RuntimeException e) {
        // Helidon's parser has many names for it.
        throw new VeridexException(
            Problem.of(ErrorCode.BAD_REQUEST, "the body is not framed as HTTP says"), e);
      } finally {
        broken |= failed;
      }
    }
  }
}
