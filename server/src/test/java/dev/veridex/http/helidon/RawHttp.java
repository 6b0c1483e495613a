package dev.veridex.http.helidon;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.json.JsonText;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/// A connection on which a test sends whatever bytes it likes.
public final class RawHttp implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  public RawHttp(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /// What came back.
  public record Reply(int status, Map<String, String> headers, byte[] body) {
    public JsonNode json() {
      return JsonText.read(body);
    }

    public String text() {
      return new String(body, UTF_8);
    }
  }

  public RawHttp send(String text) throws IOException {
    return send(text.getBytes(ISO_8859_1));
  }

  public RawHttp send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
    return this;
  }

  /// Says that nothing more will come.
  public RawHttp finish() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /// The next answer.
  public Reply reply() throws IOException {
    String line = line();
    if (!line.matches("HTTP/1\\.1 \\d{3} .*")) {
      throw new IOException("no status line: " + line);
    }
    int status = Integer.parseInt(line.substring(9, 12));
    Map<String, String> headers = new HashMap<>();
    for (line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    return status == 100 ? reply() : new Reply(status, headers, body(headers));
  }

  private byte[] body(Map<String, String> headers) throws IOException {
    if (!"chunked".equals(headers.get("transfer-encoding"))) {
      return exactly(Integer.parseInt(headers.getOrDefault("content-length", "0")));
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int size = chunk(); size > 0; size = chunk()) {
      body.write(exactly(size));
      line();
    }
    line();
    return body.toByteArray();
  }

  private int chunk() throws IOException {
    return Integer.parseInt(line(), 16);
  }

  private byte[] exactly(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new IOException("cut off");
    }
    return bytes;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("closed after: " + line);
      }
      line.append((char) c);
    }
    return line.toString().stripTrailing();
  }

  /// Whether the server asks for the body.
  public boolean continues() throws IOException {
    boolean asked = line().startsWith("HTTP/1.1 100 ");
    return asked && line().isEmpty();
  }

  /// Everything until the server closes the connection.
  public byte[] remaining() throws IOException {
    return in.readAllBytes();
  }

  /// Whether the answer that comes now has no proper end.
  public boolean endsBrokenOff() {
    try {
      reply();
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /// All answers until the server closes the connection.
  public List<Reply> repliesUntilClosed() throws IOException {
    List<Reply> replies = new ArrayList<>();
    while (!isClosed()) {
      replies.add(reply());
    }
    return replies;
  }

  /// Whether the server has closed the connection; waits until it has or says something.
  public boolean isClosed() throws IOException {
    in.mark(1);
    try {
      int next = in.read();
      in.reset();
      return next < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
