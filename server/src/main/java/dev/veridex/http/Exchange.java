package dev.veridex.http;

import java.io.InputStream;
import java.util.Optional;

/// A request as the network side hands it over: nothing is decoded yet but the header lines.
public interface Exchange {
  String method();

  /// The path and query, byte for byte as they came.
  String target();

  /// The value of a header; the first, if it came several times.
  Optional<String> header(String name);

  /// The announced length of the body, -1 if it comes in chunks, 0 if there is none.
  long contentLength();

  /// The body, to be read once.
  ///
  /// Reading it fails with a [dev.veridex.common.VeridexException] if the client breaks the rules
  /// of the protocol.
  InputStream body();

  /// The address of whoever is connected.
  String remoteAddress();
}
