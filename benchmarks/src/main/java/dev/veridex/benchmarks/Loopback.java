package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;

/// A connection on this machine that sends one request after the other.
final class Loopback implements AutoCloseable {
  private final Socket socket;
  final InputStream in;
  final OutputStream out;

  Loopback(int port) {
    try {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      in = new BufferedInputStream(socket.getInputStream());
      out = socket.getOutputStream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] request(String method, String target, String token, byte[] body) {
    return requestWith(method, target, "Authorization: Bearer " + token, body);
  }

  /// @param header one besides those that every request has
  static byte[] requestWith(String method, String target, String header, byte[] body) {
    byte[] head =
        "%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\nContent-Length: %d\r\n\r\n"
            .formatted(method, target, header, body.length)
            .getBytes(US_ASCII);
    return joined(head, body);
  }

  static byte[] joined(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] all = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }

  /// Sends a request of HTTP and reads its answer.
  void http(byte[] request) {
    try {
      out.write(request);
      Head head = head();
      if (head.status / 100 != 2) {
        throw new IllegalStateException("answered " + head.status);
      }
      in.skipNBytes(head.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// An answer of HTTP.
  record Reply(int status, byte[] body) {}

  /// Sends a request of HTTP and returns its answer, whatever it is.
  Reply ask(byte[] request) {
    try {
      out.write(request);
      Head head = head();
      return new Reply(head.status, in.readNBytes(head.length));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Head(int status, int length) {}

  private Head head() throws IOException {
    int length = 0;
    String line = line();
    int status = Integer.parseInt(line, 9, 12, 10);
    while (!line.isEmpty()) {
      line = line();
      if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
        length = Integer.parseInt(line.substring(15).strip());
      }
    }
    return new Head(status, length);
  }

  /// Sends a command of Redis and reads its answer.
  void redis(byte[] command) {
    redis(command, 1);
  }

  /// Sends some commands of Redis at once and reads their answers.
  void redis(byte[] commands, int count) {
    try {
      out.write(commands);
      for (int i = 0; i < count; i++) {
        String line = line();
        if (line.startsWith("$")) {
          in.skipNBytes(Integer.parseInt(line.substring(1)) + 2);
        } else if (!line.startsWith("+")) {
          throw new IllegalStateException(line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String line() throws IOException {
    StringBuilder line = new StringBuilder(80);
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("closed");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
