package dev.veridex.http;

import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/// A request as the network side hands it over: nothing is decoded yet but the header lines.
public interface Exchange {
  String method();

  /// The path and query, byte for byte as they came.
  String target();

  /// The value of a header; the first, if it came several times.
  Optional<String> header(String name);

  /// All values of a header that may come several times.
  List<String> headers(String name);

  /// The headers whose names begin with a prefix, by name in lower case; values of the same name
  /// are joined by commas.
  SortedMap<String, String> headersBeginning(String prefix);

  /// The announced length of the body, -1 if it comes in chunks, 0 if there is none.
  long contentLength();

  /// The body, to be read once.
  ///
  /// Reading it fails with a [dev.veridex.common.VeridexException] if the client breaks the rules
  /// of the protocol.
  InputStream body();

  /// What has come of the body is being worked on: until it is read again, nobody waits for the
  /// client.
  void working();

  /// Whether more of the body has begun to arrive, so that whoever reads on will not wait long:
  /// what a client has begun to send, a chunk as well as a body of a length that it told, it sends.
  boolean isArriving();

  /// The address of whoever is connected.
  String remoteAddress();
}
