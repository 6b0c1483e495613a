package dev.veridex.http.helidon;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Payload;
import dev.veridex.http.Problems;
import dev.veridex.http.Response;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/// The phase of a client's connection and its start, so that slow clients can be answered and
/// closed.
///
/// The thread that serves the connection moves it from phase to phase, the watch looks from
/// another. Whoever changes the phase first has the word: after [#overdue] closed it, no answer is
/// begun.
final class Connection {
  /// A slow client is given as long as this rate takes, in bytes a second.
  private static final long SLOWEST_RATE = 8 << 10;

  private static final long MAX_BUFFERED_BYTES = 256 << 20;
  private static final long MAX_CHUNK_BYTES = 8 << 20;

  /// The phase of a connection.
  enum Phase {
    /// The client, to begin a request.
    IDLE,
    /// The client, to finish the head of one.
    HEAD,
    /// The client, to send more of a body.
    BODY,
    /// Us.
    WORKING,
    /// The client, to take our answer.
    ANSWERING,
    /// The client, to stop sending what nobody will read.
    LINGERING,
    /// Nothing any more.
    CLOSED
  }

  /// A phase and what its deadline depends on.
  private record State(Phase phase, long sinceNanos, long bytes) {}

  private final ConnectionContext context;
  private final Timeouts timeouts;
  private final LongSupplier nanoTime;
  private final AtomicReference<State> state;
  private final DataReader reader = DataReader.create(this::read);
  private final AtomicLong buffered;
  private long held;
  private volatile boolean ended;

  /// How long a body was waited for, and how much of it came.
  private long bodyWaited;

  private long bodyBytes;

  /// Whether a part of the answer was sent: then nothing else can be said.
  private volatile boolean begun;

  /// Whether the client may still be sending what nobody will read.
  private boolean suspect;

  /// @param buffered the bytes that the readers of all connections hold
  Connection(
      ConnectionContext context, Timeouts timeouts, LongSupplier nanoTime, AtomicLong buffered) {
    this.context = context;
    this.buffered = buffered;
    this.timeouts = timeouts;
    this.nanoTime = nanoTime;
    this.state = new AtomicReference<>(new State(Phase.IDLE, nanoTime.getAsLong(), 0));
  }

  /// A reader of the same bytes that notes when they come.
  DataReader reader() {
    return reader;
  }

  /// A request is answered: the next one is awaited, or has begun to arrive.
  void answered() {
    hold(0);
    suspect = reader.available() > 0;
    begun = false;
    bodyWaited = 0;
    bodyBytes = 0;
    move(reader.available() > 0 ? Phase.HEAD : Phase.IDLE, 0);
  }

  private byte[] read() {
    byte[] bytes = receive();
    if (bytes.length == 0) {
      throw new CloseConnectionException("the client is gone");
    }
    State now = state.get();
    switch (now.phase) {
      case IDLE -> {
        suspect = true;
        move(Phase.HEAD, 0);
      }
      case BODY -> {
        hold(reader.available() + bytes.length);
        // The longer a body is, the longer it may take; a trickle is no body.
        state.compareAndSet(now, new State(Phase.BODY, now.sinceNanos, now.bytes + bytes.length));
      }
      case HEAD, WORKING, ANSWERING, LINGERING, CLOSED -> {}
    }
    return bytes;
  }

  /// Accounts for what the reader holds. It takes in a whole chunk before it gives any of it away,
  /// and the line that says how long one is has no limit.
  private void hold(long bytes) {
    boolean fits = buffered.addAndGet(bytes - held) <= MAX_BUFFERED_BYTES;
    held = bytes;
    if (bytes > 0 && (!fits || bytes > MAX_CHUNK_BYTES)) {
      throw new VeridexException(
          fits
              ? Problem.of(ErrorCode.BODY_TOO_LARGE, "a chunk of the body is too large")
              : Problem.of(ErrorCode.OVERLOADED, "the server has too many large requests in hand"));
    }
  }

  /// Whether something has come that nobody has read yet.
  boolean isArriving() {
    return reader.available() > 0;
  }

  /// More of a body is awaited. Its time goes on where it stood: it does not run while we work on
  /// what came, and begins anew when a part of the answer was sent.
  void awaitBody() {
    if (state.get().phase == Phase.WORKING) {
      go(new State(Phase.BODY, nanoTime.getAsLong() - bodyWaited, bodyBytes));
    }
  }

  /// Some of a body has come, and we work on it.
  void tookBody() {
    State now = state.get();
    if (now.phase == Phase.BODY) {
      bodyWaited = nanoTime.getAsLong() - now.sinceNanos;
      bodyBytes = now.bytes;
    }
    move(Phase.WORKING, 0);
  }

  /// What the client sends next; nothing if there will be no more.
  private byte[] receive() {
    try {
      byte[] bytes = context.serverSocket().get();
      ended = bytes == null;
      return bytes == null ? new byte[0] : bytes;
    } catch (UncheckedIOException e) {
      // Reset by the client, or closed by the watch.
      ended = true;
      return new byte[0];
    }
  }

  /// Goes on to another phase.
  ///
  /// @param bytes how many the client has to take
  /// @throws CloseConnectionException if the connection was given up meanwhile
  void move(Phase next, long bytes) {
    if (next == Phase.ANSWERING) {
      begun = true;
      bodyWaited = 0;
      bodyBytes = 0;
    }
    go(new State(next, nanoTime.getAsLong(), bytes));
  }

  private void go(State then) {
    State before = state.getAndUpdate(now -> now.phase == Phase.CLOSED ? now : then);
    if (before.phase == Phase.CLOSED) {
      throw new CloseConnectionException("the connection was given up");
    }
  }

  /// Reads what the client still sends after we said that we close. Closing at once would make its
  /// system throw our answer away before the client has read it.
  void linger() {
    hold(0);
    if (ended || !suspect || state.get().phase == Phase.CLOSED) {
      return;
    }
    move(Phase.LINGERING, 0);
    while (!ended) {
      receive();
    }
  }

  /// Closes the connection if the client takes too long.
  ///
  /// @return whether it did
  boolean overdue() {
    State now = state.get();
    long waited = nanoTime.getAsLong() - now.sinceNanos;
    if (waited <= limit(now)
        || !state.compareAndSet(now, new State(Phase.CLOSED, nanoTime.getAsLong(), 0))) {
      return false;
    }
    if (now.phase == Phase.HEAD || (now.phase == Phase.BODY && !begun)) {
      // Not by the watch itself: a client that does not read would keep it from all others. If this
      // thread is kept instead, the watch closes the connection under it.
      Thread.startVirtualThread(
          () -> {
            sayTimeout();
            close();
          });
    } else {
      close();
    }
    return true;
  }

  private long limit(State now) {
    return switch (now.phase) {
      case IDLE -> timeouts.idle().toNanos();
      case HEAD -> timeouts.head().toNanos();
      case BODY, ANSWERING ->
          timeouts.stall().toNanos() + now.bytes * 1_000_000_000L / SLOWEST_RATE;
      case LINGERING, CLOSED -> timeouts.linger().toNanos();
      case WORKING -> Long.MAX_VALUE;
    };
  }

  private void sayTimeout() {
    Response response =
        Problems.response(
            Problem.of(ErrorCode.REQUEST_TIMEOUT, "the request took too long to arrive"));
    if (response.payload() instanceof Payload.Bytes(String contentType, byte[] bytes)) {
      String text =
          "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(contentType, bytes.length, new String(bytes, StandardCharsets.UTF_8));
      try {
        context.dataWriter().writeNow(BufferData.create(text));
      } catch (RuntimeException e) {
        // The client is gone: there is nobody to tell.
        ended = true;
      }
    }
  }

  void close() {
    try {
      context.serverSocket().close();
    } catch (RuntimeException e) {
      ended = true;
    }
  }
}
