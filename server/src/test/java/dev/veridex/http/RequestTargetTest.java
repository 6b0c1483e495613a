package dev.veridex.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.common.HostileText;
import dev.veridex.common.Seeds;
import dev.veridex.common.VeridexException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class RequestTargetTest {
  @Test
  void everythingIsDecodedExactlyOnce() {
    assertThat(RequestTarget.parse("/v1/../%2e%2e/%252e/a%2Fb/%00/%3A/x;y=1").segments())
        .containsExactly("v1", "..", "..", "%2e", "a/b", "\0", ":", "x;y=1");
    assertThat(RequestTarget.parse("/a?id=%252F&b=c%3Dd%26e&f&g=+%2B").query())
        .isEqualTo(Map.of("id", "%2F", "b", "c=d&e", "f", "", "g", " +"));
    assertThat(RequestTarget.parse("/a+b//").segments()).containsExactly("a+b", "", "");
    assertThat(RequestTarget.parse("http://host:1/v1/x?y=z"))
        .isEqualTo(new RequestTarget(List.of("v1", "x"), Map.of("y", "z")));
    assertThat(RequestTarget.parse("http://host?y=/v1/x"))
        .isEqualTo(new RequestTarget(List.of(""), Map.of("y", "/v1/x")));
  }

  @Test
  void whatIsBrokenIsRefused() {
    for (String broken :
        List.of(
            "/%",
            "/%4",
            "/%zz",
            "/a%2",
            "/?x=%",
            "/%ff",
            "/%c0%af",
            "/%ed%a0%80",
            "/é",
            "/a b",
            "/\u0001",
            "*",
            "",
            "v1",
            "/?a=1&a=2",
            "/?%61=1&a=2",
            "/%+1",
            "/%-1")) {
      assertThatThrownBy(() -> RequestTarget.parse(broken))
          .as(broken)
          .isInstanceOf(VeridexException.class);
    }
  }

  @Test
  void anyIdSurvivesTheWay() {
    Seeds.forEach(
        500,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          String id = HostileText.random(random);
          RequestTarget target =
              RequestTarget.parse("/ids/" + escape(id, random) + "?id=" + escape(id, random));
          assertThat(target.segments()).containsExactly("ids", id);
          assertThat(target.query()).isEqualTo(Map.of("id", id));
        });
  }

  /// Escapes what must be, and some of the rest.
  private static String escape(String id, SplittableRandom random) {
    StringBuilder escaped = new StringBuilder();
    for (byte b : id.getBytes(StandardCharsets.UTF_8)) {
      boolean plain = (b > 0 && Character.isLetterOrDigit(b)) || b == '.' || b == ':';
      escaped.append(
          plain && random.nextBoolean()
              ? String.valueOf((char) b)
              : String.format(random.nextBoolean() ? "%%%02x" : "%%%02X", b));
    }
    return escaped.toString();
  }
}
