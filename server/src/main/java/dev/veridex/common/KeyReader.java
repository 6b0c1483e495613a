package dev.veridex.common;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/// Reads back the elements of a key that a [KeyWriter] wrote, in the same order.
///
/// It accepts exactly the bytes a writer can produce and refuses all others with `BAD_REQUEST`, so
/// a key that reads as a tuple is that tuple's only key.
public final class KeyReader {
  private static final int NANOS_PER_SECOND = 1_000_000_000;

  private final byte[] key;
  private int position;

  /// 0xFF while descending elements are read, else 0.
  private int mask;

  public KeyReader(byte[] key) {
    this(key, 0);
  }

  /// Reads from `position` on, to skip a prefix that is known.
  public KeyReader(byte[] key, int position) {
    this.key = key;
    this.position = position;
  }

  /// The beginning of a scoped record's key.
  public record ScopePrefix(int space, Scope scope, long incarnation) {}

  public ScopePrefix scope() {
    int space = octet();
    int variant = octet();
    int count = octet() << 8 | octet();
    List<String> parts = new ArrayList<>(Math.min(count, Scope.MAX_BYTES));
    for (int i = 0; i < count; i++) {
      parts.add(string());
    }
    Scope scope;
    try {
      scope = scope(variant, parts);
    } catch (VeridexException e) {
      throw malformed("the key names no scope");
    }
    return new ScopePrefix(space, scope, unsigned());
  }

  private static Scope scope(int variant, List<String> parts) {
    int expected =
        switch (variant) {
          case KeyWriter.GLOBAL -> 0;
          case KeyWriter.TENANT, KeyWriter.ENVIRONMENT -> 1;
          case KeyWriter.TENANT_ENVIRONMENT -> 2;
          default -> parts.size();
        };
    if (parts.size() != expected) {
      throw malformed("the key's scope has another number of parts");
    }
    return switch (variant) {
      case KeyWriter.GLOBAL -> new Scope.Global();
      case KeyWriter.TENANT -> new Scope.Tenant(parts.getFirst());
      case KeyWriter.ENVIRONMENT -> new Scope.Environment(parts.getFirst());
      case KeyWriter.TENANT_ENVIRONMENT ->
          new Scope.TenantEnvironment(parts.getFirst(), parts.getLast());
      case KeyWriter.CUSTOM -> new Scope.Custom(parts);
      default -> throw malformed("the key names no scope");
    };
  }

  public int octet() {
    if (position >= key.length) {
      throw malformed("the key ends inside an element");
    }
    return (key[position++] ^ mask) & 0xFF;
  }

  public String string() {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes())).toString();
    } catch (CharacterCodingException e) {
      throw malformed("text in the key is not UTF-8");
    }
  }

  public byte[] bytes() {
    byte[] value = new byte[key.length - position];
    int length = 0;
    while (true) {
      int b = octet();
      if (b == 0) {
        int escape = octet();
        if (escape == 0) {
          return Arrays.copyOf(value, length);
        }
        if (escape != 0xFF) {
          throw malformed("a zero byte in the key is not escaped");
        }
      }
      value[length++] = (byte) b;
    }
  }

  public long unsigned() {
    long value = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      value = value << 8 | octet();
    }
    return value;
  }

  public long signed() {
    return unsigned() ^ Long.MIN_VALUE;
  }

  public Instant instant() {
    long seconds = signed();
    long nanos = (long) octet() << 24 | octet() << 16 | octet() << 8 | octet();
    if (nanos >= NANOS_PER_SECOND
        || seconds < Instant.MIN.getEpochSecond()
        || seconds > Instant.MAX.getEpochSecond()) {
      throw malformed("the key holds no point in time");
    }
    return Instant.ofEpochSecond(seconds, nanos);
  }

  /// Elements that were written in descending order.
  public <T> T descending(Function<KeyReader, T> elements) {
    mask ^= 0xFF;
    try {
      return elements.apply(this);
    } finally {
      mask ^= 0xFF;
    }
  }

  /// The bytes that are left, as they are.
  public byte[] rest() {
    byte[] left = Arrays.copyOfRange(key, position, key.length);
    position = key.length;
    return left;
  }

  /// Whether all of the key was read.
  public boolean atEnd() {
    return position == key.length;
  }

  /// Checks that all of the key was read.
  public void end() {
    if (!atEnd()) {
      throw malformed("the key goes on after its last element");
    }
  }

  private static VeridexException malformed(String detail) {
    return new VeridexException(Problem.of(ErrorCode.BAD_REQUEST, detail));
  }
}
