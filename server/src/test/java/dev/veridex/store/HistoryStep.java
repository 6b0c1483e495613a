package dev.veridex.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/// One thing that a transaction of a random history does; done to a store and to the model alike.
sealed interface HistoryStep {
  record Get(byte[] key) implements HistoryStep {}

  record GetAll(List<byte[]> keys) implements HistoryStep {}

  record Scan(KeyRange range, Direction direction, int limit) implements HistoryStep {}

  record ReadCounter(byte[] key) implements HistoryStep {}

  record ReadCounters(KeyRange range) implements HistoryStep {}

  record IsAtMost(byte[] counter, long max) implements HistoryStep {}

  record Put(byte[] key, String text, Optional<Duration> life) implements HistoryStep {}

  record Delete(byte[] key) implements HistoryStep {}

  record DeleteRange(KeyRange range) implements HistoryStep {}

  record Append(byte[] prefix, String text) implements HistoryStep {}

  record Add(byte[] key, long delta) implements HistoryStep {}

  /// Does it and says what was seen.
  default String run(Transaction transaction) {
    return switch (this) {
      case Get(byte[] key) -> text(transaction.get(key));
      case GetAll(List<byte[]> keys) ->
          transaction.getAll(keys).stream().map(HistoryStep::text).collect(Collectors.joining(" "));
      case Scan(KeyRange range, Direction direction, int limit) ->
          scan(transaction, range, direction, limit);
      case ReadCounter(byte[] key) -> String.valueOf(transaction.counter(key));
      case ReadCounters(KeyRange range) ->
          transaction.counters(range).stream()
              .filter(counter -> counter.sum() != 0)
              .map(counter -> Arrays.toString(counter.key()) + counter.sum())
              .collect(Collectors.joining(" "));
      case IsAtMost(byte[] counter, long max) -> String.valueOf(transaction.isAtMost(counter, max));
      case Put(byte[] key, String text, Optional<Duration> life) -> {
        byte[] value = text.getBytes(UTF_8);
        life.ifPresentOrElse(
            ttl -> transaction.put(key, value, transaction.now().plus(ttl)),
            () -> transaction.put(key, value));
        yield "";
      }
      case Delete(byte[] key) -> {
        transaction.delete(key);
        yield "";
      }
      case DeleteRange(KeyRange range) -> {
        transaction.deleteRange(range);
        yield "";
      }
      case Append(byte[] prefix, String text) -> {
        transaction.append(prefix, text.getBytes(UTF_8));
        yield "";
      }
      case Add(byte[] key, long delta) -> {
        transaction.add(key, delta);
        yield "";
      }
    };
  }

  /// Does it to the model. Appends come last, when the transaction's sequence is known.
  default String run(HistoryModel model, Instant now) {
    return switch (this) {
      case Get(byte[] key) -> model.get(key, now);
      case GetAll(List<byte[]> keys) ->
          keys.stream().map(key -> model.get(key, now)).collect(Collectors.joining(" "));
      case Scan(KeyRange range, Direction direction, int limit) ->
          model.scan(range, direction, limit, now);
      case ReadCounter(byte[] key) -> model.counter(key);
      case ReadCounters(KeyRange range) -> model.counters(range);
      case IsAtMost(byte[] counter, long max) ->
          String.valueOf(Long.parseLong(model.counter(counter)) <= max);
      case Put(byte[] key, String text, Optional<Duration> life) -> {
        model.put(key, text, life.map(now::plus));
        yield "";
      }
      case Delete(byte[] key) -> {
        model.delete(key);
        yield "";
      }
      case DeleteRange(KeyRange range) -> {
        model.deleteRange(range);
        yield "";
      }
      case Append _ -> "";
      case Add(byte[] key, long delta) -> {
        model.add(key, delta);
        yield "";
      }
    };
  }

  private static String text(Optional<byte[]> value) {
    return value.map(bytes -> new String(bytes, UTF_8)).orElse("-");
  }

  private static String scan(Reader reader, KeyRange range, Direction direction, int limit) {
    List<String> found = new ArrayList<>();
    try (Cursor cursor = reader.scan(range, direction)) {
      while (found.size() < limit && cursor.next()) {
        found.add(Arrays.toString(cursor.key()) + new String(cursor.value(), UTF_8));
      }
    }
    return String.join(" ", found);
  }

  /// A random step on few keys below a prefix, so that transactions get into each other's way.
  static HistoryStep random(RandomGenerator random, byte[] prefix) {
    byte[] key = randomKey(random, prefix);
    return switch (random.nextInt(22)) {
      case 0, 1, 2 -> new Get(key);
      case 3 -> new GetAll(List.of(key, randomKey(random, prefix), randomKey(random, prefix)));
      case 4, 5, 6, 7 ->
          new Scan(
              randomRange(random, prefix),
              random.nextBoolean() ? Direction.FORWARD : Direction.REVERSE,
              random.nextInt(5) == 0 ? 1 : 100);
      case 8 -> new ReadCounter(key);
      case 9 -> new ReadCounters(randomRange(random, prefix));
      case 10, 11, 12 -> new Put(key, randomText(random), Optional.empty());
      case 13, 14, 15 -> new Put(key, randomText(random), Optional.of(randomLife(random)));
      case 16 -> new Delete(key);
      case 17 -> new DeleteRange(randomRange(random, prefix));
      case 18 -> new Append(key, randomText(random));
      case 19, 20 -> new IsAtMost(key, random.nextInt(-4, 5));
      default -> new Add(key, random.nextInt(-5, 6));
    };
  }

  private static String randomText(RandomGenerator random) {
    return String.valueOf(random.nextInt(1_000_000));
  }

  private static Duration randomLife(RandomGenerator random) {
    return switch (random.nextInt(4)) {
      case 0 -> Duration.ofDays(3);
      case 1 -> Duration.ofDays(90);
      default -> Duration.ofSeconds(random.nextInt(1, 20));
    };
  }

  private static byte[] randomKey(RandomGenerator random, byte[] prefix) {
    byte[] suffix = KEYS.get(random.nextInt(KEYS.size()));
    byte[] key = Arrays.copyOf(prefix, prefix.length + suffix.length);
    System.arraycopy(suffix, 0, key, prefix.length, suffix.length);
    return key;
  }

  private static KeyRange randomRange(RandomGenerator random, byte[] prefix) {
    if (random.nextInt(3) == 0) {
      return KeyRange.prefix(prefix);
    }
    return KeyRange.between(randomKey(random, prefix), randomKey(random, prefix));
  }

  List<byte[]> KEYS =
      List.of(
          new byte[] {0},
          new byte[] {0, 0},
          new byte[] {1},
          new byte[] {1, -1},
          new byte[] {2},
          new byte[] {127},
          new byte[] {-128},
          new byte[] {-1},
          new byte[] {-1, -1});
}
