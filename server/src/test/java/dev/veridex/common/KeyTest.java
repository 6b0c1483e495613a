package dev.veridex.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

final class KeyTest {
  @Test
  void aKeyHasTheDocumentedBytes() {
    byte[] key =
        new KeyWriter()
            .scope(9, new Scope.TenantEnvironment("a", "b"), 1)
            .string("x\0y")
            .signed(-1)
            .unsigned(-1)
            .descending(writer -> writer.octet(1))
            .toKey();
    assertThat(HexFormat.of().formatHex(key))
        .isEqualTo(
            "09"
                + "04"
                + "0002"
                + "610000"
                + "620000"
                + "0000000000000001"
                + "7800ff790000"
                + "7fffffffffffffff"
                + "ffffffffffffffff"
                + "fe");
  }

  /// An element of a random tuple: knows its order, how to write it and how to read it back.
  sealed interface Element {
    record Text(String value) implements Element {}

    record Bytes(byte[] value) implements Element {}

    record Unsigned(long value) implements Element {}

    record Signed(long value) implements Element {}

    record Time(Instant value) implements Element {}

    record Descending(Element element) implements Element {}

    default void write(KeyWriter writer) {
      switch (this) {
        case Text(String value) -> writer.string(value);
        case Bytes(byte[] value) -> writer.bytes(value);
        case Unsigned(long value) -> writer.unsigned(value);
        case Signed(long value) -> writer.signed(value);
        case Time(Instant value) -> writer.instant(value);
        case Descending(Element element) -> writer.descending(element::write);
      }
    }

    default Element read(KeyReader reader) {
      return switch (this) {
        case Text _ -> new Text(reader.string());
        case Bytes _ -> new Bytes(reader.bytes());
        case Unsigned _ -> new Unsigned(reader.unsigned());
        case Signed _ -> new Signed(reader.signed());
        case Time _ -> new Time(reader.instant());
        case Descending(Element element) -> new Descending(reader.descending(element::read));
      };
    }

    /// The order that the bytes must have, from the values alone.
    static int compare(Element one, Element other) {
      return switch (one) {
        case Text(String value) -> compareCodePoints(value, ((Text) other).value);
        case Bytes(byte[] value) -> Arrays.compareUnsigned(value, ((Bytes) other).value);
        case Unsigned(long value) -> Long.compareUnsigned(value, ((Unsigned) other).value);
        case Signed(long value) -> Long.compare(value, ((Signed) other).value);
        case Time(Instant value) -> value.compareTo(((Time) other).value);
        case Descending(Element element) -> compare(((Descending) other).element, element);
      };
    }

    private static int compareCodePoints(String one, String other) {
      return Arrays.compare(one.codePoints().toArray(), other.codePoints().toArray());
    }
  }

  @Test
  void bytesAreOrderedAsTuplesAreAndReadBackAsThemselves() {
    Seeds.forEach(
        20_000,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          List<Integer> shape = new ArrayList<>();
          int length = random.nextInt(1, 4);
          for (int i = 0; i < length; i++) {
            shape.add(random.nextInt(10));
          }
          List<Element> one = tuple(shape, random);
          List<Element> other = random.nextInt(4) == 0 ? one : tuple(shape, random);
          byte[] oneKey = key(one);
          byte[] otherKey = key(other);
          int expected = compare(one, other);
          assertThat(Integer.signum(Arrays.compareUnsigned(oneKey, otherKey)))
              .as("%s against %s", one, other)
              .isEqualTo(Integer.signum(expected));
          if (expected != 0) {
            assertThat(isPrefix(oneKey, otherKey)).as("%s begins %s", one, other).isFalse();
          }
          assertThat(compare(readBack(one, oneKey), one)).isZero();
        });
  }

  @Test
  void scopesAreReadBackAndKeptApart() {
    Seeds.forEach(
        20_000,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          Scope one = ScopeTest.randomScope(random);
          Scope other = ScopeTest.randomScope(random);
          byte[] onePrefix = new KeyWriter().scope(1, one, 7).toKey();
          byte[] otherKey =
              new KeyWriter().scope(1, other, 7).string(HostileText.random(random)).toKey();
          KeyReader reader = new KeyReader(onePrefix);
          assertThat(reader.scope()).isEqualTo(new KeyReader.ScopePrefix(1, one, 7));
          reader.end();
          assertThat(isPrefix(onePrefix, otherKey)).isEqualTo(one.equals(other));
        });
  }

  @Test
  void aWriterCanGoOnAfterAPrefix() {
    byte[] prefix = new KeyWriter().string("a").toKey();
    assertThat(KeyWriter.after(prefix).unsigned(1).toKey())
        .isEqualTo(new KeyWriter().string("a").unsigned(1).toKey());
    KeyReader rest = new KeyReader(KeyWriter.after(prefix).unsigned(1).toKey(), prefix.length);
    assertThat(rest.unsigned()).isEqualTo(1);
    assertThat(rest.atEnd()).isTrue();
  }

  @Test
  void unpairedSurrogatesAreRefused() {
    for (String text : List.of("\uD800", "\uDC00", "a\uD800", "\uD800a", "\uDC00\uD800")) {
      assertThatExceptionOfType(VeridexException.class)
          .isThrownBy(() -> new KeyWriter().string(text))
          .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_KEY));
    }
  }

  @Test
  void bytesThatNoWriterMakesAreRefused() {
    assertMalformed("", KeyReader::octet);
    assertMalformed("61", KeyReader::bytes);
    assertMalformed("6100", KeyReader::bytes);
    assertMalformed("610001", KeyReader::bytes);
    assertMalformed("ff0000", KeyReader::string);
    assertMalformed("00000000000000", KeyReader::unsigned);
    assertMalformed("80000000000000003b9aca00", KeyReader::instant);
    assertMalformed("ffffffffffffffff00000000", KeyReader::instant);
    assertMalformed("0106" + "0000" + "0000000000000000", KeyReader::scope);
    assertMalformed("0101" + "0001" + "610000" + "0000000000000000", KeyReader::scope);
    assertMalformed("0105" + "0000" + "0000000000000000", KeyReader::scope);
    assertThatExceptionOfType(VeridexException.class)
        .isThrownBy(() -> new KeyReader(new byte[1]).end());
  }

  private static void assertMalformed(String hex, Consumer<KeyReader> read) {
    assertThatExceptionOfType(VeridexException.class)
        .isThrownBy(() -> read.accept(new KeyReader(HexFormat.of().parseHex(hex))))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST));
  }

  private static List<Element> tuple(List<Integer> shape, RandomGenerator random) {
    return shape.stream().map(kind -> element(kind, random)).toList();
  }

  private static Element element(int kind, RandomGenerator random) {
    return switch (kind) {
      case 0 -> new Element.Text(HostileText.random(random));
      case 1 -> new Element.Bytes(randomBytes(random));
      case 2 -> new Element.Unsigned(randomLong(random));
      case 3 -> new Element.Signed(randomLong(random));
      case 4 ->
          new Element.Time(
              Instant.ofEpochSecond(random.nextLong(-3, 3), random.nextInt(0, 1_000_000_000)));
      default -> new Element.Descending(element(kind - 5, random));
    };
  }

  private static byte[] randomBytes(RandomGenerator random) {
    byte[] bytes = new byte[random.nextInt(4)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(4) - 2);
    }
    return bytes;
  }

  private static long randomLong(RandomGenerator random) {
    return switch (random.nextInt(3)) {
      case 0 -> random.nextLong(-2, 3);
      case 1 -> Long.MAX_VALUE + random.nextLong(-1, 3);
      default -> random.nextLong();
    };
  }

  private static byte[] key(List<Element> tuple) {
    KeyWriter writer = new KeyWriter();
    tuple.forEach(element -> element.write(writer));
    return writer.toKey();
  }

  private static List<Element> readBack(List<Element> shape, byte[] key) {
    KeyReader reader = new KeyReader(key);
    List<Element> read = shape.stream().map(element -> element.read(reader)).toList();
    reader.end();
    return read;
  }

  private static int compare(List<Element> one, List<Element> other) {
    Comparator<Element> order = Element::compare;
    for (int i = 0; i < one.size(); i++) {
      int result = order.compare(one.get(i), other.get(i));
      if (result != 0) {
        return result;
      }
    }
    return 0;
  }

  private static boolean isPrefix(byte[] prefix, byte[] key) {
    return key.length >= prefix.length
        && Arrays.equals(prefix, 0, prefix.length, key, 0, prefix.length);
  }
}
