package dev.veridex.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.veridex.common.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// Short words for what tests of a store do all the time.
public final class StoreTesting {
  private StoreTesting() {}

  /// A transaction's work without a result.
  public static Store.Work<Boolean> run(Consumer<Transaction> work) {
    return transaction -> {
      work.accept(transaction);
      return true;
    };
  }

  public static byte[] key(String text) {
    return text.getBytes(UTF_8);
  }

  static String text(Optional<byte[]> value) {
    return value.map(bytes -> new String(bytes, UTF_8)).orElse("-");
  }

  static List<String> texts(List<Optional<byte[]>> values) {
    return values.stream().map(StoreTesting::text).toList();
  }

  public static void put(Store store, String key, String value) {
    store.transact(run(transaction -> transaction.put(key(key), key(value))));
  }

  public static void putExpiring(Store store, String key, String value, Duration life) {
    store.transact(
        run(transaction -> transaction.put(key(key), key(value), transaction.now().plus(life))));
  }

  public static Optional<String> get(Store store, String key) {
    return get(store, key(key));
  }

  public static Optional<String> get(Store store, byte[] key) {
    try (Snapshot snapshot = store.snapshot()) {
      return snapshot.get(key).map(bytes -> new String(bytes, UTF_8));
    }
  }

  static List<String> scan(Reader reader, KeyRange range, Direction direction) {
    List<String> found = new ArrayList<>();
    try (Cursor cursor = reader.scan(range, direction)) {
      while (cursor.next()) {
        found.add(new String(cursor.key(), UTF_8) + "=" + new String(cursor.value(), UTF_8));
      }
    }
    return found;
  }

  static Optional<byte[]> first(Reader reader, KeyRange range, Direction direction) {
    try (Cursor cursor = reader.scan(range, direction)) {
      return cursor.next() ? Optional.of(cursor.key()) : Optional.empty();
    }
  }

  static List<String> keys(Reader reader) {
    List<String> found = new ArrayList<>();
    try (Cursor cursor = reader.scan(KeyRange.ALL, Direction.FORWARD)) {
      while (cursor.next()) {
        found.add(new String(cursor.key(), UTF_8));
      }
    }
    return found;
  }

  static List<String> hexKeys(Reader reader, KeyRange range, Direction direction) {
    List<String> found = new ArrayList<>();
    try (Cursor cursor = reader.scan(range, direction)) {
      while (cursor.next()) {
        found.add(HexFormat.of().formatHex(cursor.key()));
      }
    }
    return found;
  }

  static List<String> counters(Reader reader) {
    return reader.counters(KeyRange.ALL).stream()
        .map(counter -> new String(counter.key(), UTF_8) + "=" + counter.sum())
        .toList();
  }

  static String describe(Change change) {
    HexFormat hex = HexFormat.of();
    return switch (change) {
      case Change.Put(byte[] key) -> "put " + hex.formatHex(key);
      case Change.Delete(byte[] key) -> "delete " + hex.formatHex(key);
      case Change.DeleteRange(KeyRange(byte[] from, Optional<byte[]> to)) ->
          "deleteRange " + hex.formatHex(from) + " " + to.map(hex::formatHex).orElse("-");
      case Change.Add(byte[] key, long delta) -> "add " + hex.formatHex(key) + " " + delta;
    };
  }

  /// How often a transaction has to run if another one commits after its reads.
  static int attemptsAgainst(
      Store store, Consumer<Transaction> reads, Consumer<Transaction> other) {
    AtomicInteger attempts = new AtomicInteger();
    store.transact(
        run(
            transaction -> {
              reads.accept(transaction);
              if (attempts.incrementAndGet() == 1) {
                store.transact(run(other));
              }
              transaction.put(key("unrelated"), key("x"));
            }));
    return attempts.get();
  }

  static void refuses(Store store, ErrorCode code, Consumer<Transaction> work) {
    assertCode(code, () -> store.transact(run(work)));
  }

  public static void assertCode(ErrorCode code, ThrowingCallable call) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(call)
        .satisfies(e -> assertThat(e.code()).isEqualTo(code));
  }

  static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
