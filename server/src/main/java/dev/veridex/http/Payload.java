package dev.veridex.http;

import java.io.IOException;
import java.io.OutputStream;

/// What an answer carries.
public sealed interface Payload {
  String contentType();

  /// Something that is there.
  record Bytes(String contentType, byte[] bytes) implements Payload {}

  /// Something that is made while it is sent.
  record Streamed(String contentType, Source source) implements Payload {}

  /// Writes what is to be sent. What it cannot finish it must throw, so that the client sees that
  /// the answer is cut.
  @FunctionalInterface
  interface Source {
    void writeTo(OutputStream out) throws IOException;
  }
}
