package dev.veridex.access.compiled;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.suite.Campaign;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Sets of records against a plain map, as they grow and shrink through all their forms.
final class RecordSetTest {
  @Test
  @Tag("campaign")
  void aSetHoldsWhatAMapHolds() {
    Campaign.ACCESS_SETS.forEach(RecordSetTest::compare);
  }

  private static void compare(long seed) {
    Random random = new Random(seed);
    Map<Integer, Long> model = new TreeMap<>();
    RecordSet set = RecordSet.Some.NONE;
    int ids = 1 + random.nextInt(2000);
    for (int step = 0; step < 4000; step++) {
      int id = random.nextInt(ids);
      RecordSet before = set;
      List<Long> records = list(before);
      // Grows for a while, then shrinks.
      boolean adds = random.nextInt(10) < (step < 2500 ? 8 : 2);
      if (adds) {
        int marker = random.nextInt(20) == 0 ? 1 + random.nextInt(2) : 0;
        int denied = random.nextInt(20) == 0 ? random.nextInt(16) << 4 : 0;
        long record = PackedRecord.of(id, marker, random.nextInt(16) | denied);
        model.put(id, record);
        set = set.with(record);
      } else {
        model.remove(id);
        set = set.without(id);
      }
      if (step % 97 == 0) {
        assertThat(list(before)).as("the one before").isEqualTo(records);
        same(set, model, random);
      }
    }
    same(set, model, random);
  }

  private static void same(RecordSet set, Map<Integer, Long> model, Random random) {
    assertThat(list(set)).isEqualTo(new ArrayList<>(model.values()));
    assertThat(set.size()).isEqualTo(model.size());
    int closed = 0;
    boolean restricts = false;
    for (long record : model.values()) {
      closed |= PackedRecord.closed(record);
      restricts |= PackedRecord.restricts(record);
    }
    assertThat(set.closed()).isEqualTo(closed);
    assertThat(set.restricts()).isEqualTo(restricts);
    for (int i = 0; i < 50; i++) {
      int id = random.nextInt(2100);
      assertThat(set.find(id)).isEqualTo(model.getOrDefault(id, PackedRecord.NONE));
    }
  }

  private static List<Long> list(RecordSet set) {
    List<Long> records = new ArrayList<>();
    set.forEach(records::add);
    return records;
  }
}
