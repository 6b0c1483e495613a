package dev.veridex.common;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;

/// Whatever bytes a reader accepts are exactly those that a writer makes of what was read.
///
/// The build runs the corpus; `JAZZER_FUZZ=1` searches on, see CONTRIBUTING.
@Tag("fuzz")
final class KeyFuzzTest {
  private record Codec<T>(Function<KeyReader, T> read, BiConsumer<KeyWriter, T> write) {
    void check(byte[] data) {
      KeyReader reader = new KeyReader(data);
      KeyWriter writer = new KeyWriter();
      try {
        write.accept(writer, read.apply(reader));
        reader.end();
      } catch (VeridexException e) {
        return;
      }
      if (!Arrays.equals(writer.toKey(), data)) {
        throw new AssertionError("two keys for one tuple");
      }
    }
  }

  private static final List<Codec<?>> CODECS =
      List.of(
          new Codec<>(KeyReader::string, KeyWriter::string),
          new Codec<>(KeyReader::bytes, KeyWriter::bytes),
          new Codec<>(KeyReader::instant, KeyWriter::instant),
          new Codec<>(
              reader -> reader.<String>descending(KeyReader::string),
              (writer, value) -> writer.descending(inner -> inner.string(value))),
          new Codec<>(
              KeyReader::scope,
              (writer, prefix) ->
                  writer.scope(prefix.space(), prefix.scope(), prefix.incarnation())));

  @FuzzTest
  void acceptedBytesAreTheOnlyKeyOfTheirTuple(byte[] data) {
    CODECS.forEach(codec -> codec.check(data));
  }
}
