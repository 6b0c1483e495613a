package dev.veridex.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/// The compression of answers for clients that accept gzip.
final class Compression {
  private static final int WORTH_IT = 1024;

  /// What is larger than this would take as much memory again, and long.
  private static final int TOO_MUCH = 1 << 20;

  private Compression() {}

  static Response apply(Response response, Optional<String> acceptEncoding) {
    boolean worth =
        response.payload() instanceof Payload.Bytes(_, byte[] bytes)
            && bytes.length >= WORTH_IT
            && bytes.length <= TOO_MUCH;
    if (!worth) {
      return response;
    }
    Response varying = response.with("Vary", "Accept-Encoding");
    return accepts(acceptEncoding.orElse("")) ? zipped(varying) : varying;
  }

  private static boolean accepts(String acceptEncoding) {
    for (String coding : acceptEncoding.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] parts = coding.strip().split(";", 2);
      boolean refused = parts.length == 2 && parts[1].replace(" ", "").matches("q=0(\\.0*)?");
      if (parts[0].strip().equals("gzip") && !refused) {
        return true;
      }
    }
    return false;
  }

  private static Response zipped(Response response) {
    if (!(response.payload() instanceof Payload.Bytes(String contentType, byte[] bytes))) {
      return response;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 2);
    try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
      zip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Response(
            response.status(),
            response.headers(),
            new Payload.Bytes(contentType, out.toByteArray()))
        .with("Content-Encoding", "gzip");
  }
}
