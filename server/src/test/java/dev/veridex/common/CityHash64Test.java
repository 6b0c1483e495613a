package dev.veridex.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class CityHash64Test {
  @Test
  void hashesAreThoseOfVersionOneZeroTwo() {
    int compared = 0;
    for (Map.Entry<String, JsonNode> each :
        Vectors.read("names.json").get("cityHash64").properties()) {
      assertThat(Long.toUnsignedString(CityHash64.of(each.getKey())))
          .as(each.getKey())
          .isEqualTo(each.getValue().asString());
      compared++;
    }
    assertThat(compared).isEqualTo(21);
  }
}
