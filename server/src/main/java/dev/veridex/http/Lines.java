package dev.veridex.http;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/// A body that comes line by line, and may go on for ever.
public final class Lines {
  private final Exchange exchange;
  private final InputStream body;
  private final Admission admission;
  private final String account;
  private final int maxBytes;
  private final int weight;
  private final byte[] chunk = new byte[64 << 10];
  private final ByteArrayOutputStream begun = new ByteArrayOutputStream(0);
  private long reserved;
  private boolean ended;
  private boolean closed;

  /// @param account whose stream it is
  /// @param maxBytes of one line
  /// @param weight what a byte of it takes while it is used
  Lines(
      Exchange exchange,
      InputStream body,
      Admission admission,
      String account,
      int maxBytes,
      int weight) {
    this.exchange = exchange;
    this.body = body;
    this.admission = admission;
    this.account = account;
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
    List<byte[]> lines = new ArrayList<>();
    try {
      while (lines.isEmpty() && !ended) {
        int read = body.read(chunk);
        if (read < 0) {
          ended = true;
          end(lines);
        } else {
          split(read, lines);
        }
      }
    } catch (IOException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "the body could not be read"), e);
    }
    if (!ended) {
      exchange.working();
    }
    return lines;
  }

  /// Gives back the memory of what was read last.
  void release() {
    long kept = (long) weight * begun.size();
    admission.release(reserved - kept);
    reserved = kept;
  }

  /// Gives back its memory and its place.
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
    admission.reserve((long) weight * read);
    reserved += (long) weight * read;
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
      throw new VeridexException(
          Problem.of(ErrorCode.BODY_TOO_LARGE, "a line is too large").with("max", maxBytes));
    }
  }

  /// Blank lines are none.
  private void end(List<byte[]> lines) {
    byte[] line = begun.toByteArray();
    begun.reset();
    for (byte b : line) {
      if (b != ' ' && b != '\t' && b != '\r') {
        lines.add(line);
        return;
      }
    }
  }
}
