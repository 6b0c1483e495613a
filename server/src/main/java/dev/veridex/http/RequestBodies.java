package dev.veridex.http;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;

/// Reads bodies into memory, none larger than it may be, and no more of them than there is room.
final class RequestBodies {
  /// The largest body that is taken for one JSON value, also after it was unzipped.
  static final int MAX_BYTES = 8 << 20;

  /// The type of a JSON Patch.
  private static final String PATCH = "application/json-patch+json";

  /// What a byte of JSON takes while it is bytes, text and tree.
  private static final int WEIGHT = 8;

  /// What a byte of protobuf takes: more than JSON, if it is messages of two bytes each.
  private static final int PROTOBUF_WEIGHT = 16;

  private static final int CHUNK = 16 << 10;

  private final Admission admission;

  RequestBodies(Admission admission) {
    this.admission = admission;
  }

  /// Reads a body of JSON and keeps room for it while it is used.
  <T> T json(Exchange exchange, Function<byte[], T> use) {
    if (exchange.contentLength() > MAX_BYTES) {
      throw tooLarge(MAX_BYTES);
    }
    requireJson(exchange.header("Content-Type"));
    return read(exchange, MAX_BYTES, WEIGHT, use);
  }

  /// A body of lines, to be read bit by bit.
  ///
  /// @param account whose streams are counted together
  LineStream lines(Exchange exchange, String account, LineStream.Framing framing) {
    admission.enterStream(account);
    boolean opened = false;
    try {
      LineStream lines =
          new LineStream(
              exchange, decoded(exchange), admission, account, framing, MAX_BYTES, weight(framing));
      opened = true;
      return lines;
    } catch (IOException e) {
      throw unreadable(e);
    } finally {
      if (!opened) {
        admission.leaveStream(account);
      }
    }
  }

  private static int weight(LineStream.Framing framing) {
    return switch (framing) {
      case NEWLINES -> WEIGHT;
      case LENGTHS -> PROTOBUF_WEIGHT;
    };
  }

  /// How the parts of a body that comes bit by bit are told apart; absent if it is one whole.
  static Optional<LineStream.Framing> framing(Exchange exchange) {
    return switch (mediaType(exchange.header("Content-Type")).toLowerCase(Locale.ROOT)) {
      case Reply.LINES -> Optional.of(LineStream.Framing.NEWLINES);
      case Reply.PROTOBUF -> Optional.of(LineStream.Framing.LENGTHS);
      default -> Optional.empty();
    };
  }

  /// Reads a body of bytes and keeps room for it while it is used.
  <T> T bytes(Exchange exchange, int maxBytes, Function<byte[], T> use) {
    if (exchange.contentLength() > maxBytes) {
      throw tooLarge(maxBytes);
    }
    return read(exchange, maxBytes, 2, use);
  }

  /// @param weight what a byte of it takes while it is read and used
  private <T> T read(Exchange exchange, int maxBytes, int weight, Function<byte[], T> use) {
    Reservation reserved = new Reservation(weight);
    try (InputStream body = decoded(exchange)) {
      return use.apply(readAll(body, reserved, exchange.contentLength(), maxBytes));
    } catch (IOException e) {
      throw unreadable(e);
    } finally {
      admission.release(reserved.bytes);
    }
  }

  private static final class Reservation {
    private final int weight;
    private long bytes;

    private Reservation(int weight) {
      this.weight = weight;
    }
  }

  /// @param announced how long it should be, -1 if nobody knows
  private byte[] readAll(InputStream body, Reservation reserved, long announced, int maxBytes)
      throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream(0);
    byte[] chunk = new byte[announced < 0 ? CHUNK : Math.clamp(announced, 1, CHUNK)];
    for (int read = body.read(chunk); read >= 0; read = body.read(chunk)) {
      if (all.size() + read > maxBytes) {
        throw tooLarge(maxBytes);
      }
      admission.reserve((long) reserved.weight * read);
      reserved.bytes += (long) reserved.weight * read;
      all.write(chunk, 0, read);
    }
    return all.toByteArray();
  }

  private static InputStream decoded(Exchange exchange) throws IOException {
    String encoding = exchange.header("Content-Encoding").orElse("identity");
    return switch (encoding.toLowerCase(Locale.ROOT)) {
      case "identity" -> exchange.body();
      case "gzip", "x-gzip" -> new GZIPInputStream(exchange.body(), CHUNK);
      default ->
          throw new VeridexException(
              Problem.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "bodies are plain or gzip"));
    };
  }

  private static void requireJson(Optional<String> contentType) {
    String type = mediaType(contentType);
    // As with patches and problems, whose types say what the JSON is.
    if (!type.equalsIgnoreCase(Reply.JSON) && !type.equalsIgnoreCase(PATCH)) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                  "this route reads JSON: say so with Content-Type: application/json")
              .with("given", type));
    }
  }

  private static String mediaType(Optional<String> contentType) {
    return contentType.orElse(Reply.JSON).split(";", 2)[0].strip();
  }

  private static VeridexException unreadable(IOException e) {
    return new VeridexException(Problem.of(ErrorCode.BAD_REQUEST, "the body could not be read"), e);
  }

  private static VeridexException tooLarge(int maxBytes) {
    return new VeridexException(
        Problem.of(ErrorCode.BODY_TOO_LARGE, "the body is too large").with("max", maxBytes));
  }
}
