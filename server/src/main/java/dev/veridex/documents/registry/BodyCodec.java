package dev.veridex.documents.registry;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.google.protobuf.CodedOutputStream;
import dev.veridex.protocol.RawDocument;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Bodies as they are stored: those that are large are compressed.
public final class BodyCodec {
  private static final int PLAIN = 0;
  private static final int ZSTD = 1;

  /// Smaller ones would win little: what they have in common is not in them.
  private static final int LARGE = 4096;

  /// Fast; the higher levels cost more than the disk that they save.
  private static final int LEVEL = 1;

  /// No document is larger.
  public static final int MAX_BYTES = 4 << 20;

  private BodyCodec() {}

  public static byte[] pack(RawDocument document) {
    byte[] plain = new byte[1 + document.getSerializedSize()];
    plain[0] = PLAIN;
    CodedOutputStream out = CodedOutputStream.newInstance(plain, 1, plain.length - 1);
    try {
      document.writeTo(out);
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new IllegalStateException("a document has the size that it says", e);
    }
    return plain.length <= LARGE ? plain : compress(plain);
  }

  private static byte[] compress(byte[] plain) {
    int length = plain.length - 1;
    byte[] compressed = new byte[(int) Zstd.compressBound(length)];
    long size = Zstd.compressByteArray(compressed, 0, compressed.length, plain, 1, length, LEVEL);
    if (Zstd.isError(size) || size >= length) {
      return plain;
    }
    return ByteBuffer.allocate(1 + Integer.BYTES + (int) size)
        .put((byte) ZSTD)
        .putInt(length)
        .put(compressed, 0, (int) size)
        .array();
  }

  static byte[] unpack(byte[] packed) {
    if (packed.length < (packed.length > 0 && packed[0] == ZSTD ? 1 + Integer.BYTES : 1)) {
      throw DocumentRegistry.corrupt("the body of a document is cut short");
    }
    ByteBuffer in = ByteBuffer.wrap(packed);
    return switch (in.get()) {
      case PLAIN -> Arrays.copyOfRange(packed, 1, packed.length);
      case ZSTD -> {
        int length = in.getInt();
        if (length < 0 || length > MAX_BYTES) {
          throw DocumentRegistry.corrupt("the body of a document claims to be larger than any");
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
        throw DocumentRegistry.corrupt("the body of a document cannot be decompressed");
      }
      default ->
          throw DocumentRegistry.corrupt("the body of a document is packed in an unknown way");
    };
  }
}
