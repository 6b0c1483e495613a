package dev.veridex.objects.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Vectors;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// The order and the text of sequencers, native and generated.
final class EventPlaceTest {
  private final JsonNode vectors = Vectors.read("names.json").get("sequencers");

  @Test
  void sequencersAreOrderedAsTheVectorsSay() {
    List<String> ascending = new ArrayList<>();
    vectors.get("ascending").forEach(each -> ascending.add(each.asString()));
    List<EventPlace> places =
        new ArrayList<>(ascending.stream().map(text -> EventPlace.of(text).orElseThrow()).toList());
    Collections.shuffle(places, new Random(1));
    Collections.sort(places);
    assertThat(places.stream().map(EventPlace::text)).containsExactlyElementsOf(ascending);
  }

  @Test
  void generatedOnesFollowAsTheVectorsSay() {
    vectors
        .get("generated")
        .properties()
        .forEach(
            each -> {
              EventPlace before =
                  EventPlace.of(each.getKey()).orElse(new EventPlace(Sequencer.NONE, 0));
              assertThat(before.next().text()).isEqualTo(each.getValue().asString());
              assertThat(before.next()).isGreaterThan(before);
            });
  }

  @Test
  void ofEqualDigitsTheShorterIsEarlier() {
    assertThat(Sequencer.of("ab").orElseThrow()).isLessThan(Sequencer.of("AB00").orElseThrow());
    assertThat(Sequencer.of("ab")).isEqualTo(Sequencer.of("AB"));
    assertThat(Sequencer.of("")).isEmpty();
    assertThat(Sequencer.of("g")).isEmpty();
    assertThat(Sequencer.of("٣")).as("a digit, but no hexadecimal one").isEmpty();
    assertThat(Sequencer.of("0".repeat(30))).isPresent();
    assertThat(Sequencer.of("0".repeat(31))).isEmpty();
  }

  @Test
  void whatIsNoPlaceIsNone() {
    assertThat(EventPlace.of("12-")).isEmpty();
    assertThat(EventPlace.of("12-010000000000000g")).isEmpty();
    assertThat(EventPlace.of("-0100000000000000")).isEmpty();
  }
}
