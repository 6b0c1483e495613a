package dev.veridex.benchmarks;

import dev.veridex.common.KeyWriter;
import dev.veridex.common.Scope;
import dev.veridex.store.KeyRange;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/// Folders, stores, keys and values that the benchmarks share.
final class Data {
  static final int VALUE_BYTES = 200;
  private static final Scope SCOPE = new Scope.TenantEnvironment("acme", "prod");
  private static final byte[] OTHER_PREFIX = new KeyWriter().scope(4, SCOPE, 0).toKey();
  private static final byte[] PREFIX = new KeyWriter().scope(3, SCOPE, 0).toKey();

  /// The end of the range in which the scoped keys lie, as every scan of the product has one.
  static final byte[] END = KeyRange.prefix(PREFIX).to().orElseThrow();

  private Data() {}

  static Path folder() {
    try {
      return Files.createTempDirectory("veridex-bench-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static RocksStore store(Path folder, InstantSource clock) {
    return store(folder, clock, RocksSettings.DEFAULT);
  }

  static RocksStore store(Path folder, InstantSource clock, RocksSettings settings) {
    return RocksStore.open(folder, settings, clock, clock, new SplittableRandom(1));
  }

  /// An id as users have them, with nothing around it: what somebody would use on RocksDB itself.
  static byte[] rawKey(long n) {
    return id(n).getBytes(StandardCharsets.UTF_8);
  }

  /// The same id as a record of a scope.
  static byte[] scopedKey(long n) {
    return KeyWriter.after(PREFIX).string(id(n)).toKey();
  }

  /// The same id as a record of another kind.
  static byte[] otherKey(long n) {
    return KeyWriter.after(OTHER_PREFIX).string(id(n)).toKey();
  }

  private static String id(long n) {
    return "document-%012d".formatted(n);
  }

  /// A value that compresses about as well as JSON does: words, and digits that differ.
  static byte[] value(long n) {
    SplittableRandom random = new SplittableRandom(n);
    StringBuilder text = new StringBuilder(VALUE_BYTES);
    while (text.length() < VALUE_BYTES) {
      text.append("{\"field").append(random.nextInt(10)).append("\":\"");
      text.append(Long.toString(random.nextLong() >>> 1, 36)).append("\"},");
    }
    text.setLength(VALUE_BYTES);
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /// The bytes of all sorted files of a folder.
  static long tableBytes(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".sst"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
