package dev.veridex.documents;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Bodies as they are stored: those that are large are compressed.
final class Packing {
  private static final int PLAIN = 0;
  private static final int ZSTD = 1;

  /// Smaller ones would win little: what they have in common is not in them.
  private static final int LARGE = 4096;

  /// Fast; the higher levels cost more than the disk that they save.
  private static final int LEVEL = 1;

  /// No document is larger.
  private static final int MAX_BYTES = Intake.MAX_BYTES;

  private Packing() {}

  static byte[] pack(byte[] body) {
    if (body.length >= LARGE) {
      byte[] compressed = Zstd.compress(body, LEVEL);
      if (compressed.length < body.length) {
        return ByteBuffer.allocate(1 + Integer.BYTES + compressed.length)
            .put((byte) ZSTD)
            .putInt(body.length)
            .put(compressed)
            .array();
      }
    }
    return ByteBuffer.allocate(1 + body.length).put((byte) PLAIN).put(body).array();
  }

  static byte[] unpack(byte[] packed) {
    if (packed.length < (packed.length > 0 && packed[0] == ZSTD ? 1 + Integer.BYTES : 1)) {
      throw Registry.corrupt("the body of a document is cut short");
    }
    ByteBuffer in = ByteBuffer.wrap(packed);
    return switch (in.get()) {
      case PLAIN -> Arrays.copyOfRange(packed, 1, packed.length);
      case ZSTD -> {
        int length = in.getInt();
        if (length < 0 || length > MAX_BYTES) {
          throw Registry.corrupt("the body of a document claims to be larger than any");
        }
        try {
          byte[] body =
              Zstd.decompress(Arrays.copyOfRange(packed, in.position(), packed.length), length);
          if (body.length == length) {
            yield body;
          }
        } catch (ZstdException e) {
          // Told below.
        }
        throw Registry.corrupt("the body of a document cannot be decompressed");
      }
      default -> throw Registry.corrupt("the body of a document is packed in an unknown way");
    };
  }
}
