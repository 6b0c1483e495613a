package dev.veridex.store.optimistic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Expiry;
import dev.veridex.common.Seeds;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ConflictWindowTest {
  private static final int KEYS = 12;

  /// What one commit wrote.
  private record Written(long sequence, WriteSet writes) {}

  @Test
  void agreesWithAListOfAllWritesAsFarAsItReachesBack() {
    Seeds.forEach(2_000, ConflictWindowTest::check);
  }

  private static void check(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int capacity = random.nextInt(5, 60);
    ConflictWindow window = new ConflictWindow(0, capacity, random.nextInt(1, 5));
    List<Written> all = new ArrayList<>();
    long forgotten = 0;
    for (long sequence = 1; sequence <= 60; sequence++) {
      WriteSet writes = randomWrites(random);
      window.add(writes, sequence);
      all.add(new Written(sequence, writes));
      if (random.nextInt(10) == 0) {
        forgotten = Math.max(forgotten, random.nextLong(sequence));
        window.forget(forgotten);
      }
      KeyRange range = randomRange(random);
      byte[] key = randomKey(random);
      long snapshot = random.nextLong(sequence + 1);
      ReadSet reads = new ReadSet();
      boolean ofRange = random.nextBoolean();
      if (ofRange) {
        reads.range(range, Direction.FORWARD).exhausted();
      } else {
        reads.key(key);
      }
      boolean changed =
          all.stream()
              .filter(written -> written.sequence > snapshot)
              .anyMatch(written -> ofRange ? touches(written, range) : touches(written, key));
      boolean holds = reads.hold(window, snapshot, 0, _ -> 0);
      if (changed) {
        assertThat(holds).as("a change since %s is never overlooked", snapshot).isFalse();
      } else if (!window.isForgotten(snapshot)) {
        assertThat(holds).as("nothing changed since %s", snapshot).isTrue();
      }
      assertThat(window.isForgotten(sequence)).as("the newest is known").isFalse();
      if (snapshot < forgotten) {
        assertThat(holds).as("what is forgotten cannot be vouched for").isFalse();
      }
    }
  }

  @Test
  void remembersNoMoreThanItsCapacity() {
    ConflictWindow window = new ConflictWindow(0, 10);
    for (long sequence = 1; sequence <= 100; sequence++) {
      WriteSet writes = new WriteSet();
      writes.put(new byte[] {(byte) sequence}, new byte[0], Expiry.NEVER);
      window.add(writes, sequence);
    }
    ReadSet reads = new ReadSet();
    reads.key(new byte[] {1});
    assertThat(reads.hold(window, 89, 0, _ -> 0)).isFalse();
    assertThat(reads.hold(window, 90, 0, _ -> 0)).isTrue();
  }

  @Test
  void aReadOfALivingRecordHoldsUntilItExpires() {
    ConflictWindow window = new ConflictWindow(0, 10);
    ReadSet reads = new ReadSet();
    reads.alive(100);
    assertThat(reads.hold(window, 0, 99, _ -> 0)).isTrue();
    assertThat(reads.hold(window, 0, 100, _ -> 0)).isFalse();
  }

  private static boolean touches(Written written, KeyRange range) {
    for (byte i = 0; i < KEYS; i++) {
      byte[] key = {i};
      if (range.contains(key) && touches(written, key)) {
        return true;
      }
    }
    return false;
  }

  private static boolean touches(Written written, byte[] key) {
    return written.writes.of(key) != null || written.writes.isRangeDeleted(key);
  }

  private static WriteSet randomWrites(SplittableRandom random) {
    WriteSet writes = new WriteSet();
    if (random.nextInt(8) == 0) {
      writes.deleteRange(randomRange(random));
    }
    int puts = random.nextInt(1, 4);
    for (int i = 0; i < puts; i++) {
      writes.put(randomKey(random), new byte[0], Expiry.NEVER);
    }
    return writes;
  }

  private static byte[] randomKey(SplittableRandom random) {
    return new byte[] {(byte) random.nextInt(KEYS)};
  }

  private static KeyRange randomRange(SplittableRandom random) {
    return random.nextInt(4) == 0
        ? KeyRange.from(randomKey(random))
        : KeyRange.between(randomKey(random), randomKey(random));
  }
}
