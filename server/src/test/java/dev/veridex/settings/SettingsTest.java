package dev.veridex.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SettingsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static SettingsSources sources(
      String file, Map<String, String> environment, String... assignments) {
    return new SettingsSources(Optional.of(file), environment, List.of(assignments));
  }

  private static Problem refusal(Runnable reading) {
    try {
      reading.run();
    } catch (VeridexException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION);
      return e.problem();
    }
    throw new AssertionError("accepted");
  }

  @Test
  void laterSourcesWin() {
    String file = "http: {port: 1, host: a, maxInFlight: 7}";
    Map<String, String> environment =
        Map.of("VERIDEX_HTTP_PORT", "2", "VERIDEX_HTTP_MAX_IN_FLIGHT", "8");
    Settings http = sources(file, environment, "http.port=3").root().section("http");
    assertThat(http.number("port", 0, 0, 9)).isEqualTo(3);
    assertThat(http.number("maxInFlight", 0, 0, 9)).isEqualTo(8);
    assertThat(http.text("host", "b")).isEqualTo("a");
    assertThat(http.text("other", "b")).isEqualTo("b");
  }

  @Test
  void readsWhatPeopleWrite() {
    Settings root =
        sources(
                "a: 64MiB\nb: 16 kib\nc: 1h\nd: PT90S\ne: 250ms\nf: true\ng: [x, 'y']\nh:\ni: 0123",
                Map.of())
            .root();
    assertThat(root.bytes("a", "1", 0, Long.MAX_VALUE)).isEqualTo(64 << 20);
    assertThat(root.bytes("b", "1", 0, Long.MAX_VALUE)).isEqualTo(16 << 10);
    assertThat(root.duration("c", HOUR, Duration.ZERO, HOUR)).isEqualTo(HOUR);
    assertThat(root.duration("d", HOUR, Duration.ZERO, HOUR)).isEqualTo(Duration.ofSeconds(90));
    assertThat(root.duration("e", HOUR, Duration.ZERO, HOUR)).isEqualTo(Duration.ofMillis(250));
    assertThat(root.flag("f", false)).isTrue();
    assertThat(root.texts("g", List.of())).containsExactly("x", "y");
    assertThat(root.text("h")).isEmpty();
  }

  @Test
  void whatMakesNoSenseIsRefusedWithItsPlace() {
    Map<String, String> environment = Map.of("VERIDEX_X_SIZE", "64 MB");
    SettingsSources sources =
        sources("x: {port: 70000, wait: soon, on: maybe, list: 5, deep: {a: 1}}", environment);
    Settings x = sources.root().section("x");
    assertThat(refusal(() -> x.number("port", 1, 0, 65_535)).values())
        .containsEntry("key", "x.port")
        .containsEntry("from", "the configuration file");
    assertThat(refusal(() -> x.bytes("size", "1", 0, 9)).values())
        .containsEntry("from", "VERIDEX_X_SIZE");
    assertThat(refusal(() -> x.duration("wait", HOUR, HOUR, HOUR)).values()).containsKey("key");
    assertThat(refusal(() -> x.flag("on", true)).values()).containsKey("expected");
    assertThat(refusal(() -> x.texts("list", List.of())).values()).containsKey("expected");
    assertThat(refusal(() -> sources("a: [", Map.of())).values()).containsKey("at");
    assertThat(refusal(() -> sources("[1]", Map.of())).detail()).contains("keys and values");
    assertThat(refusal(() -> sources("", Map.of(), "novalue")).values())
        .containsEntry("given", "novalue");
  }

  @Test
  void unknownKeysAreRefusedWithASuggestion() {
    assertThat(unknown(sources("http: {prot: 1}", Map.of())))
        .containsEntry("key", "http.prot")
        .containsEntry("didYouMean", "http.port");
    assertThat(unknown(sources("", Map.of(), "http.prt=1")))
        .containsEntry("didYouMean", "http.port");
    assertThat(unknown(sources("", Map.of("VERIDEX_HTTP_PROT", "1"))))
        .containsEntry("didYouMean", "VERIDEX_HTTP_PORT");
    assertThat(unknown(sources("entirely: {different: 1}", Map.of())))
        .doesNotContainKey("didYouMean");
  }

  private static Map<String, String> unknown(SettingsSources sources) {
    sources.root().section("http").number("port", 1, 0, 9);
    return refusal(sources::refuseUnknown).values();
  }

  @Test
  void whatOthersPutIntoTheEnvironmentIsNoSetting() {
    SettingsSources sources =
        sources(
            "",
            Map.of(
                "PATH", "x",
                "VERIDEX_TOKEN", "x",
                "VERIDEX_URL", "x",
                "VERIDEX_SERVICE_HOST", "10.0.0.1",
                "VERIDEX_PORT_7400_TCP", "tcp://10.0.0.1:7400",
                "VERIDEX_PORT", "tcp://10.0.0.1:7400"));
    sources.refuseUnknown();
  }

  @Test
  void listsOfSections() {
    String file = "all: [{name: a, size: 1}, {name: b}]";
    SettingsSources sources = sources(file, Map.of());
    List<Settings> all = sources.root().sections("all");
    assertThat(all).hasSize(2);
    assertThat(all.get(0).text("name", "")).isEqualTo("a");
    assertThat(all.get(0).number("size", 9, 0, 9)).isEqualTo(1);
    assertThat(all.get(1).text("name", "")).isEqualTo("b");
    assertThat(all.get(1).number("size", 9, 0, 9)).isEqualTo(9);
    sources.refuseUnknown();
    SettingsSources misspelt = sources("all: [{nane: a}]", Map.of());
    misspelt.root().sections("all").getFirst().text("name", "");
    assertThat(refusal(misspelt::refuseUnknown).values())
        .containsEntry("didYouMean", "all[0].name");
    SettingsSources given = sources("", Map.of(), "all=[{name: c}]");
    assertThat(given.root().sections("all").getFirst().text("name", "")).isEqualTo("c");
    given.refuseUnknown();
  }

  @Test
  void theEffectiveOnesCanBeReadAgainAndHideSecrets() {
    SettingsSources sources =
        sources("all: [{name: 'a: b'}]\nwait: 90s\nlist: [x, y]\nkey: s3cret\non: true", Map.of());
    readAll(sources);
    String effective = sources.effective();
    assertThat(effective).doesNotContain("s3cret").contains("(hidden)");
    SettingsSources again = sources(effective, Map.of());
    readAll(again);
    again.refuseUnknown();
    assertThat(again.effective()).isEqualTo(effective);
  }

  private static void readAll(SettingsSources sources) {
    Settings root = sources.root();
    root.sections("all").forEach(section -> section.text("name", ""));
    root.duration("wait", HOUR, Duration.ZERO, HOUR);
    root.texts("list", List.of());
    root.secret("key");
    root.flag("on", false);
  }
}
