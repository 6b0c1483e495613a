package dev.veridex.documents.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.documents.publish.IndexGenerations.Watermark;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WatermarkTest {
  private static Watermark at(long sequence, long arrangement, boolean certain, long retried) {
    return new Watermark(sequence, arrangement, certain, Map.of(0, retried));
  }

  @Test
  void theLaterOneCounts() {
    assertThat(at(5, 1, true, 3).orLater(at(7, 2, true, 4))).isEqualTo(at(7, 2, true, 4));
    assertThat(at(7, 2, true, 4).orLater(at(5, 1, true, 3))).isEqualTo(at(7, 2, true, 4));
  }

  @Test
  void anArrangementThatWasTheSameBeforeAndAfterIsCertain() {
    assertThat(at(5, 1, true, 0).orLater(at(7, 1, false, 0))).isEqualTo(at(7, 1, true, 0));
    assertThat(at(5, 1, true, 0).orLater(at(7, 2, false, 0))).isEqualTo(at(7, 2, false, 0));
  }

  /// The oldest element of a queue may be stuck while failed ones are tried again.
  @Test
  void whatWasTriedAgainMeanwhileCounts() {
    assertThat(at(5, 1, true, 3).orLater(at(5, 1, false, 9))).isEqualTo(at(5, 1, true, 9));
    assertThat(at(5, 1, true, 9).orLater(at(5, 1, false, 3))).isEqualTo(at(5, 1, true, 9));
  }
}
