package dev.veridex.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.access.ledger.AclRecord;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.VeridexException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// The text formats, there and back.
final class TextFormatTest {
  private static SubjectRecord record(String subject, Marker marker, int... counters) {
    int[] counts = new int[AclRecord.Field.COUNT];
    System.arraycopy(counters, 0, counts, 0, counters.length);
    counts[AclRecord.Field.EXCLUSIVE] = marker == Marker.EXCLUSIVE ? 1 : 0;
    counts[AclRecord.Field.IGNORES_EXCLUSIVE] = marker == Marker.IGNORES_EXCLUSIVE ? 1 : 0;
    counts[AclRecord.Field.PRESENT] = 1;
    return new SubjectRecord(subject, new AclRecord(counts));
  }

  @Test
  void theExamplesOfTheNote() {
    List<SubjectRecord> records =
        List.of(
            record("d:group_admins", Marker.NONE, 1, 1, 1, 1),
            record("d:user_tom", Marker.NONE, 0, 3, 2, 1));
    assertThat(TextFormat.V2.encode(records)).isEqualTo("d:group_admins;MRUP;d:user_tom;R3U2P;");
    assertThat(TextFormat.V1.encode(records)).isEqualTo("d:group_admins;F;d:user_tom;E;");
    List<SubjectRecord> denied = List.of(record("u", Marker.EXCLUSIVE, 0, 0, 0, 0, 0, 2));
    assertThat(TextFormat.V2.encode(denied)).isEqualTo("u;r2X;");
    assertThat(TextFormat.V1.encode(denied)).isEqualTo("u;02X;");
    assertThat(TextFormat.V2.encode(List.of(record("u", Marker.NONE)))).isEqualTo("X");
  }

  @Test
  void whatIsWrittenIsReadInEitherVersionAlsoFromACache() {
    Random random = new Random(1);
    List<String> ids =
        List.of("a", "a;b", ";", "%3B", "%253B", "%25", "%", "%;", "%3b", "100%25;%2", "é;", "X");
    for (int i = 0; i < 2000; i++) {
      List<SubjectRecord> records = new ArrayList<>();
      for (String id : ids) {
        int[] counters =
            random.ints(Rights.BITS, 0, 4).map(n -> n == 3 ? 2_000_000_000 : n).toArray();
        Marker marker = Marker.of(random.nextInt(3));
        if (random.nextBoolean()) {
          records.add(record(id, marker, counters));
        }
      }
      for (TextFormat format : TextFormat.values()) {
        String text = format.encode(records);
        List<TextFormat.DecodedRecord> expected =
            records.stream()
                .filter(each -> each.record().access() != 0)
                .map(each -> decoded(each, format))
                .toList();
        assertThat(TextFormat.decode(text)).as(text).isEqualTo(expected);
        assertThat(TextFormat.decode("T241027," + text)).as(text).isEqualTo(expected);
      }
    }
  }

  private static TextFormat.DecodedRecord decoded(SubjectRecord each, TextFormat format) {
    List<Integer> counters = new ArrayList<>();
    for (int bit = 0; bit < Rights.BITS; bit++) {
      int count = each.record().counter(bit);
      counters.add(format == TextFormat.V1 ? Math.min(count, 1) : count);
    }
    return new TextFormat.DecodedRecord(each.subject(), counters, each.record().marker());
  }

  @Test
  void bothVersionsMayStandSideBySide() {
    assertThat(TextFormat.decode("a;6;b;R2U;c;02N;"))
        .extracting(TextFormat.DecodedRecord::counters)
        .containsExactly(
            List.of(0, 1, 1, 0, 0, 0, 0, 0),
            List.of(0, 2, 1, 0, 0, 0, 0, 0),
            List.of(0, 0, 0, 0, 0, 1, 0, 0));
    assertThat(TextFormat.decode("X")).isEmpty();
    assertThat(TextFormat.decode("T241027,X")).isEmpty();
  }

  @Test
  void whatIsNeitherIsRefused() {
    for (String text :
        List.of(
            "a",
            "a;",
            "a;R",
            "a;R;b;",
            "a;;",
            "a;RM;",
            "a;RR;",
            "a;R0;",
            "a;Z;",
            "a;R3000000000;",
            "a;RXN;",
            "a;123;")) {
      assertThatThrownBy(() -> TextFormat.decode(text))
          .as(text)
          .isInstanceOf(VeridexException.class);
    }
  }
}
