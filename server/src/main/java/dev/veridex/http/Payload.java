package dev.veridex.http;

import java.io.IOException;
import java.io.OutputStream;

/// The payload of an answer.
public sealed interface Payload {
  String contentType();

  /// A payload in memory.
  record Bytes(String contentType, byte[] bytes) implements Payload {}

  /// A payload that is produced while it is sent.
  record Streamed(String contentType, Source source) implements Payload {}

  /// Writes what is to be sent. What it cannot finish it must throw, so that the client sees that
  /// the answer is cut.
  @FunctionalInterface
  interface Source {
    void writeTo(OutputStream out) throws IOException;
  }
}
