package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/// A Redis of the machine's own packages that syncs every write, in a process of its own.
record Redis(Process process, int port) implements AutoCloseable {

  /// Starts one, if there is one to start.
  static Optional<Redis> start(Path folder) {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      Process process =
          new ProcessBuilder(
                  "redis-server",
                  "--port",
                  String.valueOf(port),
                  "--bind",
                  "127.0.0.1",
                  "--dir",
                  folder.toString(),
                  "--save",
                  "",
                  "--appendonly",
                  "yes",
                  "--appendfsync",
                  "always")
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      Redis redis = new Redis(process, port);
      redis.await();
      return Optional.of(redis);
    } catch (IOException e) {
      System.err.println("no redis-server here, its columns stay empty");
      return Optional.empty();
    }
  }

  private void await() {
    while (process.isAlive()) {
      try (Loopback client = new Loopback(port)) {
        client.redis("*1\r\n$4\r\nPING\r\n".getBytes(US_ASCII));
        return;
      } catch (UncheckedIOException e) {
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      }
    }
  }

  static byte[] set(String key, byte[] value) {
    byte[] head =
        "*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n"
            .formatted(key.length(), key, value.length)
            .getBytes(US_ASCII);
    return Loopback.joined(head, value, "\r\n".getBytes(US_ASCII));
  }

  static byte[] get(String key) {
    return "*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n".formatted(key.length(), key).getBytes(US_ASCII);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
