package dev.veridex.store.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Expiry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

final class ExpirySchedulesTest {
  private static final Instant START = Instant.parse("2026-05-01T12:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);
  private final ExpirySchedules schedules = new ExpirySchedules(RocksSettings.DEFAULT);

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init")
  private RocksDatabase database;

  @BeforeEach
  void open() throws RocksDBException {
    database = RocksDatabase.open(folder, RocksDatabase.Mode.CREATE, RocksSettings.DEFAULT, true);
    Family.EXPIRING.forEach(family -> schedules.collected(family, START));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void write(Family family, Duration life, int records) throws RocksDBException {
    ExpirySchedules.Additions additions = schedules.new Additions();
    for (int i = 0; i < records; i++) {
      additions.written(family, Expiry.micros(START.plus(life).plus(HOUR)));
    }
    try (WriteBatch batch = new WriteBatch()) {
      additions.addTo(batch, database);
      database.write(batch);
    }
  }

  @Test
  void nothingIsDueBeforeItsGraceIsOver() throws RocksDBException {
    write(Family.DAY, Duration.ofMinutes(30), 1);
    assertThat(schedules.isDue(Family.DAY, START.plus(Duration.ofMinutes(89)))).isFalse();
    assertThat(schedules.isDue(Family.DAY, START.plus(HOUR.multipliedBy(2)))).isTrue();
    assertThat(schedules.isDue(Family.WEEK, START.plus(Duration.ofDays(9)))).isFalse();
  }

  @Test
  void whatWasCollectedIsNotDueAgain() throws RocksDBException {
    write(Family.DAY, Duration.ofMinutes(1), 1);
    Instant later = START.plus(HOUR.multipliedBy(2));
    assertThat(schedules.collected(Family.DAY, later)).hasSize(1);
    assertThat(schedules.isDue(Family.DAY, later.plus(Duration.ofDays(3)))).isFalse();
  }

  @Test
  void aFamilyWaitsInProportionToTheLifeOfItsRecords() throws RocksDBException {
    write(Family.LONG, Duration.ofMinutes(1), 1);
    assertThat(schedules.isDue(Family.LONG, START.plus(HOUR.multipliedBy(23)))).isFalse();
    assertThat(schedules.isDue(Family.LONG, START.plus(HOUR.multipliedBy(24)))).isTrue();
  }

  @Test
  void manyDueRecordsDoNotWait() throws RocksDBException {
    write(Family.LONG, Duration.ofMinutes(1), 10_000);
    write(Family.LONG, Duration.ofDays(20), 30_000);
    Instant soon = START.plus(HOUR.multipliedBy(4));
    assertThat(schedules.isDue(Family.LONG, soon)).isTrue();
    write(Family.LONG, Duration.ofDays(20), 10);
    assertThat(schedules.isDue(Family.LONG, soon)).as("less than a quarter").isFalse();
  }

  @Test
  void theCountsAreReadBack() throws RocksDBException {
    write(Family.WEEK, Duration.ofDays(3), 1);
    write(Family.WEEK, Duration.ofDays(3), 1);
    ExpirySchedules reopened = new ExpirySchedules(RocksSettings.DEFAULT);
    reopened.load(database);
    assertThat(reopened.isDue(Family.WEEK, START.plus(Duration.ofDays(3)))).isFalse();
    assertThat(reopened.isDue(Family.WEEK, START.plus(Duration.ofDays(4))))
        .as("restarts do not put it off")
        .isTrue();
  }
}
