package dev.veridex.store.rocks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.ChildJvm;
import dev.veridex.common.Expiry;
import dev.veridex.common.Seeds;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.suite.Campaign;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Kills a writing process again and again. Every transaction it acknowledged must be there
/// afterwards, and of each of its transactions everything or nothing.
final class KillTest {
  private static final int THREADS = 8;

  @TempDir private Path parent;

  @Test
  @Tag("campaign")
  void acknowledgedTransactionsSurviveAKill() throws Exception {
    int kills = Campaign.STORE_KILLS.size();
    long seed = Seeds.first();
    SplittableRandom random = new SplittableRandom(seed);
    Path folder = parent.resolve("store");
    Map<Integer, Integer> acknowledged = new HashMap<>();
    long transactions = 0;
    for (int kill = 0; kill < kills; kill++) {
      int lines = random.nextInt(10) == 0 ? 0 : random.nextInt(1, 2000);
      Process process = ChildJvm.start(parent, Writer.class, folder.toString());
      try (BufferedReader output = process.inputReader(UTF_8)) {
        for (int i = 0; i < lines && read(output.readLine(), acknowledged); i++) {}
        // The handle's kill leaves the pipe open: what was acknowledged before counts.
        process.toHandle().destroyForcibly();
        while (read(output.readLine(), acknowledged)) {}
      }
      assertThat(process.waitFor()).as("killed, not failed").isEqualTo(137);
      transactions = check(folder, acknowledged);
    }
    Campaign.STORE_KILLS.count(transactions, "transactions, whole after the last kill");
  }

  /// Reads an acknowledgement. The last line may be half of one.
  private static boolean read(@Nullable String line, Map<Integer, Integer> acknowledged) {
    if (line == null) {
      return false;
    }
    if (line.matches("ack \\d+ \\d+\\.")) {
      String[] words = line.substring(0, line.length() - 1).split(" ", -1);
      acknowledged.put(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
    } else {
      assertThat(line).as("the writer only acknowledges").matches("a?c?k?( \\d*){0,2}");
    }
    return true;
  }

  private static long check(Path folder, Map<Integer, Integer> acknowledged) {
    InstantSource system = InstantSource.system();
    long total = 0;
    try (RocksStore store =
            RocksStore.open(folder, Writer.SETTINGS, system, system, new Random(1));
        Snapshot snapshot = store.snapshot()) {
      for (int thread = 0; thread < THREADS; thread++) {
        int last = Writer.last(snapshot, thread);
        assertThat(last)
            .as("acknowledged by thread %s", thread)
            .isGreaterThanOrEqualTo(acknowledged.getOrDefault(thread, 0));
        for (String kind : new String[] {"permanent", "expiring", "queue"}) {
          assertThat(count(snapshot, kind + "/" + thread + "/"))
              .as("%s records of thread %s", kind, thread)
              .isEqualTo(last);
        }
        assertThat(snapshot.counter(Writer.key("count/" + thread))).isEqualTo(last);
        total += last;
      }
      assertThat(snapshot.counter(Writer.key("total"))).isEqualTo(total);
      assertThat(store.revision().sequence()).isEqualTo(total);
    }
    return total;
  }

  private static int count(Snapshot snapshot, String prefix) {
    int count = 0;
    try (Cursor cursor = snapshot.scan(KeyRange.prefix(Writer.key(prefix)), Direction.FORWARD)) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
  }

  /// Writes until it is killed and says after each commit that it is done.
  static final class Writer {
    /// Small buffers, so that files are written and merged all the time.
    static final RocksSettings SETTINGS =
        RocksSettings.DEFAULT.withWriteBufferBytes(256 << 10).withGrace(Duration.ofMinutes(1));

    private Writer() {}

    static void main(String[] arguments) {
      InstantSource system = InstantSource.system();
      RocksStore store =
          RocksStore.open(Path.of(arguments[0]), SETTINGS, system, system, new Random(1));
      for (int thread = 0; thread < THREADS; thread++) {
        int number = thread;
        Thread.ofPlatform().start(() -> write(store, number));
      }
      Thread.ofPlatform()
          .start(
              () -> {
                while (true) {
                  store.collector().runOnce();
                }
              });
    }

    private static void write(RocksStore store, int thread) {
      while (true) {
        int written =
            store
                .transact(
                    transaction -> {
                      int next = last(transaction, thread) + 1;
                      byte[] value = new byte[next % 300];
                      transaction.put(key("last/" + thread), key(String.valueOf(next)));
                      transaction.put(key("permanent/" + thread + "/" + next), value);
                      transaction.put(
                          key("expiring/" + thread + "/" + next),
                          value,
                          Expiry.LATEST.minusSeconds(next));
                      transaction.append(key("queue/" + thread + "/"), value);
                      transaction.add(key("count/" + thread), 1);
                      transaction.add(key("total"), 1);
                      return next;
                    })
                .result();
        System.out.println("ack " + thread + " " + written + ".");
      }
    }

    static int last(Reader reader, int thread) {
      return reader
          .get(key("last/" + thread))
          .map(bytes -> Integer.parseInt(new String(bytes, UTF_8)))
          .orElse(0);
    }

    static byte[] key(String text) {
      return text.getBytes(UTF_8);
    }
  }
}
