package dev.veridex.http;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A body that comes line by line, or message by message, while the answer goes out.
public final class LineStream {
  /// The framing of a stream: lines or length-delimited messages.
  enum Framing {
    NEWLINES,
    /// The length of each, as a varint, stands before it.
    LENGTHS
  }

  private static final int MAX_LENGTH_BYTES = 5;

  /// The most lines that are worked on together.
  private static final int ENOUGH = 500;

  private static final int ENOUGH_BYTES = 1 << 20;

  private final Exchange exchange;
  private final InputStream body;
  private final Admission admission;
  private final String account;
  private final Framing framing;
  private final int maxBytes;
  private final int weight;
  private final byte[] chunk = new byte[64 << 10];
  private final ByteArrayOutputStream begun = new ByteArrayOutputStream(0);
  private long reserved;

  /// How many bytes it takes until there is a whole message.
  private long needed;

  private boolean ended;
  private Optional<Problem> failure = Optional.empty();
  private boolean closed;

  /// @param account whose stream it is
  /// @param maxBytes of one line
  /// @param weight what a byte of it takes while it is used
  LineStream(
      Exchange exchange,
      InputStream body,
      Admission admission,
      String account,
      Framing framing,
      int maxBytes,
      int weight) {
    this.exchange = exchange;
    this.body = body;
    this.admission = admission;
    this.account = account;
    this.framing = framing;
    this.maxBytes = maxBytes;
    this.weight = weight;
  }

  /// The lines that have arrived, at least one; waits if there is none yet. What came before is
  /// done with.
  ///
  /// @return none at the end
  /// @throws VeridexException `BODY_TOO_LARGE` if a line is, `OVERLOADED`
  public List<byte[]> next() {
    release();
    failure.ifPresent(
        problem -> {
          throw new VeridexException(problem);
        });
    List<byte[]> lines = new ArrayList<>();
    try {
      while (!ended && failure.isEmpty() && (lines.isEmpty() || gathers(lines))) {
        read(lines);
        if (lines.isEmpty()) {
          // Blank lines are not kept, however many there are.
          release();
        }
      }
    } catch (IOException e) {
      fail(lines, Problem.of(ErrorCode.BAD_REQUEST, "the body could not be read"));
    } catch (VeridexException e) {
      fail(lines, e.problem());
    }
    if (!ended) {
      exchange.working();
    }
    return lines;
  }

  private void read(List<byte[]> lines) throws IOException {
    int read = body.read(chunk);
    if (read < 0) {
      ended = true;
      end(lines);
      return;
    }
    admission.reserve((long) weight * read);
    reserved += (long) weight * read;
    switch (framing) {
      case NEWLINES -> split(read, lines);
      case LENGTHS -> cut(read, lines);
    }
  }

  /// Whether to wait for more, since what is worked on together costs less. Not where the client
  /// may be waiting for an answer first.
  private boolean gathers(List<byte[]> lines) {
    return exchange.isArriving()
        && lines.size() < ENOUGH
        && reserved < (long) weight * ENOUGH_BYTES;
  }

  /// Gives back the memory of what was read last.
  void release() {
    long kept = (long) weight * begun.size();
    admission.release(reserved - kept);
    reserved = kept;
  }

  /// Gives back its memory and its slot.
  void close() {
    begun.reset();
    release();
    if (!closed) {
      closed = true;
      admission.leaveStream(account);
      closeBody();
    }
  }

  /// What unzips it holds memory outside of the heap.
  private void closeBody() {
    try {
      body.close();
    } catch (IOException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "the body could not be closed"), e);
    }
  }

  private void split(int read, List<byte[]> lines) {
    int from = 0;
    for (int i = 0; i < read; i++) {
      if (chunk[i] == '\n') {
        begun.write(chunk, from, i - from);
        end(lines);
        from = i + 1;
      }
    }
    begun.write(chunk, from, read - from);
    if (begun.size() > maxBytes) {
      tooLarge(lines);
    }
  }

  /// What was whole before it is still taken: it must not matter what arrived together.
  private void tooLarge(List<byte[]> before) {
    fail(
        before,
        Problem.of(ErrorCode.BODY_TOO_LARGE, "a line or message is too large")
            .with("max", maxBytes));
  }

  private void fail(List<byte[]> before, Problem problem) {
    if (before.isEmpty()) {
      throw new VeridexException(problem);
    }
    failure = Optional.of(problem);
  }

  /// Takes whole messages off what has arrived.
  private void cut(int read, List<byte[]> messages) {
    begun.write(chunk, 0, read);
    if (begun.size() < needed) {
      return;
    }
    byte[] arrived = begun.toByteArray();
    int from = 0;
    while (from < arrived.length) {
      int at = from;
      long length = 0;
      boolean whole = false;
      while (!whole && at < arrived.length && at - from < MAX_LENGTH_BYTES) {
        length |= (arrived[at] & 0x7FL) << (7 * (at - from));
        whole = arrived[at++] >= 0;
      }
      if (length > maxBytes || (!whole && at - from == MAX_LENGTH_BYTES)) {
        tooLarge(messages);
        return;
      }
      if (!whole || arrived.length - at < length) {
        needed = whole ? at - from + length : 0;
        break;
      }
      messages.add(Arrays.copyOfRange(arrived, at, at + (int) length));
      from = at + (int) length;
      needed = 0;
    }
    begun.reset();
    begun.write(arrived, from, arrived.length - from);
  }

  /// Blank lines are none.
  private void end(List<byte[]> lines) {
    byte[] line = begun.toByteArray();
    begun.reset();
    if (framing == Framing.LENGTHS && line.length > 0) {
      fail(lines, Problem.of(ErrorCode.BAD_REQUEST, "the body ends in the middle of a message"));
      return;
    }
    for (byte b : line) {
      if (b != ' ' && b != '\t' && b != '\r') {
        lines.add(line);
        return;
      }
    }
  }
}
