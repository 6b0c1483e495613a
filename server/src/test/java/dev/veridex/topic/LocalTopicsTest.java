package dev.veridex.topic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Scope;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.topic.local.LocalTopics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Topics in the store, on every store that there is.
final class LocalTopicsTest {
  private static final Duration DAY = Duration.ofDays(1);

  abstract static class OnAStore implements TopicContract {
    final MutableClock clock = MutableClock.daysAgo(0);
    private Store store;
    private boolean there = true;

    abstract Store open();

    @BeforeEach
    void start() {
      store = open();
    }

    @AfterEach
    void stop() {
      store.close();
    }

    @Override
    public Topics topics() {
      return new LocalTopics(store, DAY, (_, _) -> there);
    }

    @Override
    public Topics reopened() {
      store.close();
      store = open();
      return topics();
    }

    @Test
    void messagesAreKeptForAWhile() {
      topics().append(TOPIC, 0, new Topics.Producer("p", 1, 1), List.of(message()));
      clock.advance(DAY.minusSeconds(1));
      assertThat(topics().read(TOPIC, 0, 0, 9, 9)).hasSize(1);
      clock.advance(Duration.ofSeconds(1));
      assertThat(topics().read(TOPIC, 0, 0, 9, 9)).isEmpty();
    }

    @Test
    void whatEveryGroupHasPassedIsTrimmedOnceItIsOldEnough() {
      Topics topics = topics();
      for (int i = 1; i <= 3; i++) {
        topics.append(TOPIC, 0, new Topics.Producer("p", 1, i), List.of(message()));
        clock.advance(Duration.ofHours(1));
      }
      List<Long> numbers =
          topics.read(TOPIC, 0, 0, 9, 999).stream().map(Topics.Message::number).toList();
      topics.trim(TOPIC, 0, clock.instant());
      assertThat(topics.read(TOPIC, 0, 0, 9, 999)).as("there is no group").hasSize(3);
      topics.move(TOPIC, 0, "search", 0, numbers.get(2));
      topics.move(TOPIC, 0, "archive", 0, numbers.get(1));
      topics.trim(TOPIC, 0, clock.instant().minus(Duration.ofMinutes(150)));
      assertThat(topics.read(TOPIC, 0, 0, 9, 999)).as("two are too young").hasSize(2);
      topics.trim(TOPIC, 0, clock.instant());
      assertThat(topics.read(TOPIC, 0, 0, 9, 999))
          .as("one is for the archive")
          .extracting(Topics.Message::number)
          .containsExactly(numbers.get(2));
      topics.move(TOPIC, 0, "archive", numbers.get(1), numbers.get(2));
      topics.trim(TOPIC, 0, clock.instant());
      assertThat(topics.read(TOPIC, 0, 0, 9, 999)).isEmpty();
      assertThat(topics.last(TOPIC, 0)).isZero();
    }

    @Test
    void nothingIsLeftWhereNothingIs() {
      there = false;
      topics().append(TOPIC, 0, new Topics.Producer("p", 1, 1), List.of(message()));
      there = true;
      assertThat(topics().read(TOPIC, 0, 0, 9, 9)).isEmpty();
    }

    private static Topics.Outgoing message() {
      return new Topics.Outgoing("k", new byte[1]);
    }
  }

  @Nested
  final class InMemory extends OnAStore {
    private final MemoryDisk disk = new MemoryDisk(new Random(1));

    @Override
    Store open() {
      return new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7));
    }
  }

  @Nested
  final class OnRocks extends OnAStore {
    @TempDir private Path folder;

    @Override
    Store open() {
      return RocksStore.open(
          folder.resolve("store"), RocksSettings.DEFAULT, clock, clock, new Random(1));
    }
  }

  @Test
  void namesTellWhatDiffers() {
    IndexGeneration first =
        new IndexGeneration(new BucketLocation(new Scope.Tenant("acme"), 0, "offers", 0), 1);
    assertThat(first.name()).matches("veridex-acme-offers-e1-[0-9a-f]{8}");
    BucketLocation later = new BucketLocation(new Scope.Tenant("acme"), 0, "offers", 9);
    BucketLocation inDev =
        new BucketLocation(new Scope.TenantEnvironment("acme", "dev"), 0, "offers", 0);
    assertThat(
            List.of(
                first.name(),
                new IndexGeneration(later, 1).name(),
                new IndexGeneration(inDev, 1).name(),
                new IndexGeneration(first.location(), 2).name()))
        .doesNotHaveDuplicates();
    assertThat(new IndexGeneration(inDev, 1).name()).startsWith("veridex-acme-offers-e1-");
  }
}
