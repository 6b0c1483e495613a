package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.protobuf.CodedOutputStream;
import dev.veridex.json.JsonText;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import tools.jackson.databind.JsonNode;

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

  /// Where the documents of a stream come from.
  interface Source {
    /// Whether there are no more.
    boolean isOver();

    /// Writes the next one, as it is sent.
    void write(ByteArrayOutputStream out) throws IOException;
  }

  /// What was accepted of a source.
  ///
  /// @param revision at which all of it is there
  record Sent(long documents, String revision) {}

  /// Sends documents for a round.
  ///
  /// @return documents a second, up to the last answer; a document alone has no time of its own
  static Driver.Result drive(int streams, int port, Format format) {
    long begin = System.nanoTime();
    Source source =
        new Source() {
          @Override
          public boolean isOver() {
            return System.nanoTime() - begin >= Driver.ROUND_NANOS;
          }

          @Override
          public void write(ByteArrayOutputStream out) throws IOException {
            format.write(DocumentData.take(1), out);
          }
        };
    long acknowledged =
        send(port, DocumentWorld.TARGET, format.type, Collections.nCopies(streams, source)).stream()
            .mapToLong(Sent::documents)
            .sum();
    double seconds = (System.nanoTime() - begin) / 1e9;
    return new Driver.Result(acknowledged / seconds, -1, -1);
  }

  /// Sends all that there is, each source in streams of its own.
  static List<Sent> send(int port, String target, String type, List<Source> sources) {
    List<FutureTask<Sent>> tasks =
        sources.stream().map(source -> start(() -> streams(port, target, type, source))).toList();
    return tasks.stream().map(DocumentStreams::result).toList();
  }

  private static <T> FutureTask<T> start(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  private static <T> T result(FutureTask<T> task) {
    try {
      return task.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Sent streams(int port, String target, String type, Source source)
      throws IOException {
    Sent all = new Sent(0, "");
    while (!source.isOver()) {
      try (Loopback connection = new Loopback(port)) {
        Sent sent = stream(connection, target, type, source);
        all = new Sent(all.documents + sent.documents, sent.revision);
      }
    }
    return all;
  }

  private static Sent stream(Loopback connection, String target, String type, Source source)
      throws IOException {
    connection.out.write(
        ("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                + "Content-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n")
            .formatted(target, HttpCalls.SECRET, type)
            .getBytes(US_ASCII));
    // Who only sends is not read from any more, once its answers fill the connection.
    FutureTask<Long> sending = start(() -> send(connection, source));
    Sent accepted = accepted(connection);
    long sent = result(sending);
    if (accepted.documents != sent) {
      throw new IllegalStateException(accepted.documents + " of " + sent + " were accepted");
    }
    return accepted;
  }

  private static long send(Loopback connection, Source source) throws IOException {
    ByteArrayOutputStream ready = new ByteArrayOutputStream(CHUNK + 2 * DocumentData.BYTES);
    long documents = 0;
    for (long bytes = 0; bytes < LONGEST && !source.isOver(); bytes += CHUNK) {
      while (ready.size() < CHUNK && !source.isOver()) {
        source.write(ready);
        documents++;
      }
      byte[] some = ready.toByteArray();
      int length = Math.min(CHUNK, some.length);
      if (length > 0) {
        chunk(connection, some, length);
      }
      ready.reset();
      ready.write(some, length, some.length - length);
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
  private static Sent accepted(Loopback connection) throws IOException {
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
    JsonNode revision = JsonText.read(last.getBytes(US_ASCII)).path("revision");
    if (!revision.isString()) {
      throw new IllegalStateException(last);
    }
    return new Sent(acknowledged, revision.asString());
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
