package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.protobuf.CodedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/// Documents sent over HTTP in streams, each answered while it goes on.
final class DocumentStreams {
  /// How much of a stream is sent at once, wherever documents begin and end: as much as curl does,
  /// whose buffer of 64 KiB also has to hold the chunk's length and line ends.
  private static final int CHUNK = Integer.getInteger("chunk", (64 << 10) - 12);

  /// No body may be longer than 64 MiB: then another one follows, on a connection of its own, since
  /// the server closes those of streams.
  private static final long LONGEST = 60 << 20;

  private DocumentStreams() {}

  /// In what form documents are sent.
  enum Format {
    LINES("application/x-ndjson"),
    PROTOBUF("application/x-protobuf");

    private final String type;

    Format(String type) {
      this.type = type;
    }

    private void write(long n, ByteArrayOutputStream out) throws IOException {
      switch (this) {
        case LINES -> {
          out.write(DocumentData.json(n));
          out.write('\n');
        }
        case PROTOBUF -> {
          byte[] bytes = DocumentData.bytes(n);
          CodedOutputStream coded = CodedOutputStream.newInstance(out, 16);
          coded.writeUInt32NoTag(bytes.length);
          coded.flush();
          out.write(bytes);
        }
      }
    }
  }

  /// Sends documents for a round.
  ///
  /// @return documents a second, up to the last answer; a document alone has no time of its own
  static Driver.Result drive(int streams, int port, Format format) {
    long begin = System.nanoTime();
    List<FutureTask<Long>> tasks = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      tasks.add(start(() -> streams(port, format, begin)));
    }
    long acknowledged = tasks.stream().mapToLong(DocumentStreams::result).sum();
    double seconds = (System.nanoTime() - begin) / 1e9;
    return new Driver.Result(acknowledged / seconds, -1, -1);
  }

  private static FutureTask<Long> start(Callable<Long> work) {
    FutureTask<Long> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  private static long result(FutureTask<Long> task) {
    try {
      return task.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isOver(long begin) {
    return System.nanoTime() - begin >= Driver.ROUND_NANOS;
  }

  private static long streams(int port, Format format, long begin) throws IOException {
    long acknowledged = 0;
    while (!isOver(begin)) {
      try (Loopback connection = new Loopback(port)) {
        acknowledged += stream(connection, format, begin);
      }
    }
    return acknowledged;
  }

  private static long stream(Loopback connection, Format format, long begin) throws IOException {
    connection.out.write(
        ("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                + "Content-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n")
            .formatted(DocumentWorld.TARGET, HttpCalls.SECRET, format.type)
            .getBytes(US_ASCII));
    // Who only sends is not read from any more, once its answers fill the connection.
    FutureTask<Long> sending = start(() -> send(connection, format, begin));
    long acknowledged = acknowledged(connection);
    long sent = result(sending);
    if (acknowledged != sent) {
      throw new IllegalStateException(acknowledged + " of " + sent + " were accepted");
    }
    return acknowledged;
  }

  private static long send(Loopback connection, Format format, long begin) throws IOException {
    ByteArrayOutputStream ready = new ByteArrayOutputStream(CHUNK + 2 * DocumentData.BYTES);
    long documents = 0;
    for (long bytes = 0; bytes < LONGEST && !isOver(begin); bytes += CHUNK) {
      while (ready.size() < CHUNK) {
        format.write(DocumentData.take(1), ready);
        documents++;
      }
      byte[] some = ready.toByteArray();
      chunk(connection, some, CHUNK);
      ready.reset();
      ready.write(some, CHUNK, some.length - CHUNK);
    }
    if (ready.size() > 0) {
      chunk(connection, ready.toByteArray(), ready.size());
    }
    connection.out.write("0\r\n\r\n".getBytes(US_ASCII));
    return documents;
  }

  private static void chunk(Loopback connection, byte[] bytes, int length) throws IOException {
    connection.out.write(
        Loopback.joined(
            (Integer.toHexString(length) + "\r\n").getBytes(US_ASCII),
            Arrays.copyOf(bytes, length),
            "\r\n".getBytes(US_ASCII)));
  }

  /// Reads the whole answer: a line for each document, and a last one with the revision.
  private static long acknowledged(Loopback connection) throws IOException {
    String line = connection.line();
    if (!line.startsWith("HTTP/1.1 200")) {
      throw new IllegalStateException(line);
    }
    while (!line.isEmpty()) {
      line = connection.line();
    }
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(new Chunks(connection), US_ASCII));
    long acknowledged = 0;
    String last = "";
    for (String next = lines.readLine(); next != null; next = lines.readLine()) {
      last = next;
      if (next.contains("\"ACK\"")) {
        acknowledged++;
      }
    }
    if (!last.contains("\"revision\"")) {
      throw new IllegalStateException(last);
    }
    return acknowledged;
  }

  /// A body that comes in chunks.
  private static final class Chunks extends InputStream {
    private final Loopback connection;
    private int left;
    private boolean ended;

    private Chunks(Loopback connection) {
      this.connection = connection;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      if (left == 0 && !ended) {
        left = Integer.parseInt(connection.line().strip(), 16);
        ended = left == 0;
      }
      if (ended) {
        return -1;
      }
      int read = connection.in.read(bytes, from, Math.min(length, left));
      if (read < 0) {
        throw new IOException("closed");
      }
      left -= read;
      if (left == 0) {
        connection.line();
      }
      return read;
    }
  }
}
