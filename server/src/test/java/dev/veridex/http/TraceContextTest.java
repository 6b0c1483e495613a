package dev.veridex.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TraceContextTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  private static TraceContext of(String parent) {
    return TraceContext.of(Optional.of(parent), new Random(1));
  }

  @Test
  void goesOnWithTheCallersTrace() {
    TraceContext context = of("00-" + TRACE + "-00f067aa0ba902b7-01");
    assertThat(context.traceId()).isEqualTo(TRACE);
    assertThat(context.spanId()).matches("[0-9a-f]{16}").isNotEqualTo("00f067aa0ba902b7");
    assertThat(context.header()).isEqualTo("00-" + TRACE + "-" + context.spanId() + "-01");
    assertThat(of("cc-" + TRACE + "-00f067aa0ba902b7-01-what-the-future-brings").traceId())
        .as("of a later version")
        .isEqualTo(TRACE);
  }

  @Test
  void beginsOneIfThereIsNoneThatMakesSense() {
    for (String parent :
        List.of(
            "",
            "00",
            "ff-" + TRACE + "-00f067aa0ba902b7-01",
            "00-" + "0".repeat(32) + "-00f067aa0ba902b7-01",
            "00-" + TRACE + "-0000000000000000-01",
            "00-" + TRACE.toUpperCase(Locale.ROOT) + "-00f067aa0ba902b7-01",
            "00-" + TRACE + "-00f067aa0ba902b7-01-more")) {
      assertThat(of(parent).traceId()).as(parent).matches("[0-9a-f]{32}").isNotEqualTo(TRACE);
    }
  }
}
