package dev.veridex.common;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/// Builds stored keys: tuples whose unsigned byte order is the order of their elements.
///
/// Every element is self-delimiting, so no two different tuples of the same shape have the same
/// key, no key is a prefix of another of its shape, and no id, however hostile, can reach into a
/// neighbour's range. [KeyReader] reads them back; both must name the elements in the same order,
/// for keys carry no type marks.
///
/// ```java
/// byte[] key = new KeyWriter().scope(space, scope, incarnation).string(identity).toKey();
/// ```
///
/// | element | bytes |
/// |---|---|
/// | string, bytes | 0x00 becomes 0x00 0xFF, then the end 0x00 0x00 |
/// | unsigned | 8 bytes, big-endian |
/// | signed | the same with the sign bit flipped |
/// | instant | signed seconds, then 4 bytes of nanoseconds |
/// | descending | the element's bytes, each inverted |
public final class KeyWriter {
  /// Marks of the scope variants in a key; stored, so never renumbered.
  static final int GLOBAL = 1;

  static final int TENANT = 2;
  static final int ENVIRONMENT = 3;
  static final int TENANT_ENVIRONMENT = 4;
  static final int CUSTOM = 5;

  private byte[] buffer;
  private int length;

  public KeyWriter() {
    this.buffer = new byte[64];
  }

  private KeyWriter(byte[] prefix) {
    this.buffer = Arrays.copyOf(prefix, Math.max(64, prefix.length * 2));
    this.length = prefix.length;
  }

  /// A writer that goes on where a finished key or prefix ended.
  public static KeyWriter after(byte[] prefix) {
    return new KeyWriter(prefix);
  }

  /// Begins a key as every scoped record's does: its space, its scope, the scope's incarnation.
  public KeyWriter scope(int space, Scope scope, long incarnation) {
    List<String> parts = scope.parts();
    octet(space);
    octet(variant(scope));
    // Two bytes: a custom scope may have up to 512 parts of one byte each.
    octet(parts.size() >>> 8).octet(parts.size() & 0xFF);
    parts.forEach(this::string);
    return unsigned(incarnation);
  }

  /// One byte, 0 to 255.
  public KeyWriter octet(int value) {
    if ((value & ~0xFF) != 0) {
      throw new IllegalArgumentException("an octet is 0 to 255");
    }
    ensure(1);
    buffer[length++] = (byte) value;
    return this;
  }

  /// Text in the order of its code points.
  ///
  /// @throws VeridexException `INVALID_KEY` if it is not well-formed Unicode: an unpaired surrogate
  ///   has no bytes of its own
  public KeyWriter string(String value) {
    if (!isWellFormed(value)) {
      throw new VeridexException(
          Problem.of(ErrorCode.INVALID_KEY, "text in a key is well-formed Unicode"));
    }
    return bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  /// A byte string, in unsigned order, a prefix before what it begins.
  public KeyWriter bytes(byte[] value) {
    ensure(2 * value.length + 2);
    for (byte b : value) {
      buffer[length++] = b;
      if (b == 0) {
        buffer[length++] = (byte) 0xFF;
      }
    }
    buffer[length++] = 0;
    buffer[length++] = 0;
    return this;
  }

  /// A number read as unsigned.
  public KeyWriter unsigned(long value) {
    ensure(Long.BYTES);
    for (int shift = 56; shift >= 0; shift -= 8) {
      buffer[length++] = (byte) (value >>> shift);
    }
    return this;
  }

  /// A number with its sign.
  public KeyWriter signed(long value) {
    return unsigned(value ^ Long.MIN_VALUE);
  }

  /// A point in time, to the nanosecond.
  public KeyWriter instant(Instant value) {
    signed(value.getEpochSecond());
    int nanos = value.getNano();
    return octet(nanos >>> 24)
        .octet(nanos >>> 16 & 0xFF)
        .octet(nanos >>> 8 & 0xFF)
        .octet(nanos & 0xFF);
  }

  /// The elements that `elements` writes, in descending order.
  public KeyWriter descending(Consumer<KeyWriter> elements) {
    int start = length;
    elements.accept(this);
    for (int i = start; i < length; i++) {
      buffer[i] = (byte) ~buffer[i];
    }
    return this;
  }

  /// The key so far; the writer may go on.
  public byte[] toKey() {
    return Arrays.copyOf(buffer, length);
  }

  /// Whether a text has no unpaired surrogate, so that its UTF-8 bytes stand for it alone.
  public static boolean isWellFormed(String text) {
    int i = 0;
    while (i < text.length()) {
      int codePoint = text.codePointAt(i);
      if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
        return false;
      }
      i += Character.charCount(codePoint);
    }
    return true;
  }

  private static int variant(Scope scope) {
    return switch (scope) {
      case Scope.Global _ -> GLOBAL;
      case Scope.Tenant _ -> TENANT;
      case Scope.Environment _ -> ENVIRONMENT;
      case Scope.TenantEnvironment _ -> TENANT_ENVIRONMENT;
      case Scope.Custom _ -> CUSTOM;
    };
  }

  private void ensure(int more) {
    if (length + more > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
    }
  }
}
