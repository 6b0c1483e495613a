package dev.veridex.access.compiled;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Seeds;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Sets of rights with ends against a sorted map, over all sizes between none and many arrays.
final class TimedRightsTest {
  @Test
  void aSetHoldsWhatAMapHolds() {
    Seeds.forEach(
        12,
        seed -> {
          Random random = new Random(seed);
          int ids = random.nextInt(1, 900);
          TreeMap<Integer, Long> model = new TreeMap<>();
          TimedRights set = TimedRights.Many.NONE;
          for (int step = 0; step < 4000; step++) {
            // It grows for a while, and is emptied again.
            boolean puts = random.nextInt(10) < (step < 2500 ? 8 : 2);
            int slot = TimedRights.slot(random.nextInt(ids), random.nextInt(4));
            long end = random.nextInt(1, 100);
            TimedRights before = set;
            int size = before.size();
            set = set.with(slot, puts ? end : 0);
            assertThat(before.size()).as("what was there stays").isEqualTo(size);
            if (puts) {
              model.put(slot, end);
            } else {
              model.remove(slot);
            }
            assertThat(set.size()).isEqualTo(model.size());
            assertThat(set.end(slot)).isEqualTo(model.getOrDefault(slot, 0L));
            int asked = random.nextInt(ids);
            long now = random.nextInt(100);
            assertThat(set.rights(asked, now)).isEqualTo(rights(model, asked, now));
            if (step % 500 == 0) {
              TreeMap<Integer, Long> all = new TreeMap<>();
              set.forEach(all::put);
              assertThat(all).isEqualTo(model);
            }
          }
        });
  }

  private static int rights(Map<Integer, Long> model, int id, long now) {
    int rights = 0;
    for (int right = 0; right < 4; right++) {
      rights |= model.getOrDefault(TimedRights.slot(id, right), 0L) > now ? 1 << right : 0;
    }
    return rights;
  }
}
