package dev.veridex.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ScopeTest {
  @Test
  void plainNamesLookPlain() {
    assertThat(new Scope.Global().text()).isEqualTo("global");
    assertThat(new Scope.Tenant("acme").text()).isEqualTo("tenant:acme");
    assertThat(new Scope.Environment("dev").text()).isEqualTo("env:dev");
    assertThat(new Scope.TenantEnvironment("acme", "prod").text())
        .isEqualTo("tenant:acme:env:prod");
    assertThat(new Scope.Custom(List.of("a", "b")).text()).isEqualTo("custom:a:b");
    assertThat(new Scope.Tenant("a:b%c").text()).isEqualTo("tenant:a%3Ab%25c");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Global",
        "global:",
        "global:x",
        "tenant",
        "tenant:",
        "tenant:a:env",
        "tenant:a:env:",
        "tenant:a:ENV:b",
        "tenant:a:b",
        "tenant:a:env:b:c",
        "env",
        "env:",
        "env:a:b",
        "custom",
        "custom:",
        "custom:a:",
        "custom::a",
        " global",
        "tenant:%",
        "tenant:%3a",
        "tenant:%41",
        "tenant:%2",
        "%67lobal",
        "tenant:\uD800",
        "nobody:x"
      })
  void whatNoScopePrintsIsRefused(String text) {
    assertThatExceptionOfType(VeridexException.class)
        .isThrownBy(() -> Scope.parse(text))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCOPE));
  }

  @Test
  void partsAreLimitedInBytes() {
    String longest = "x".repeat(256);
    assertThat(new Scope.TenantEnvironment(longest, longest).parts()).hasSize(2);
    assertThat(Scope.parse(new Scope.Tenant("é".repeat(128)).text())).isNotNull();
    assertRefused(() -> new Scope.Tenant(longest + "x"));
    assertRefused(() -> new Scope.Tenant("é".repeat(129)));
    assertRefused(() -> new Scope.Custom(List.of(longest, longest, "x")));
    assertThat(new Scope.Custom(Collections.nCopies(512, "x")).parts()).hasSize(512);
    assertRefused(() -> new Scope.Custom(Collections.nCopies(513, "x")));
    assertRefused(() -> new Scope.Custom(List.of()));
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatExceptionOfType(VeridexException.class).isThrownBy(call);
  }

  @Test
  void descendantsReachBelowTheirPathOnly() {
    Scope.Custom region = new Scope.Custom(List.of("region"));
    assertThat(region.reaches(Scope.parse("custom:region:eu:west"), true)).isTrue();
    assertThat(region.reaches(Scope.parse("custom:region:eu"), false)).isFalse();
    assertThat(region.reaches(Scope.parse("custom:regional"), true)).isFalse();
    assertThat(region.reaches(Scope.parse("custom:other:region"), true)).isFalse();
    assertThat(Scope.parse("custom:region:eu").reaches(region, true)).isFalse();
    assertThat(Scope.parse("tenant:a").reaches(Scope.parse("custom:a:b"), true)).isFalse();
    assertThat(Scope.parse("env:a").reaches(Scope.parse("tenant:t:env:a"), true)).isFalse();
  }

  @Test
  void textAndScopeCorrespondOneToOne() {
    Map<String, Scope> seen = new HashMap<>();
    Seeds.forEach(
        20_000,
        seed -> {
          Scope scope = randomScope(new SplittableRandom(seed));
          assertThat(Scope.parse(scope.text())).isEqualTo(scope);
          Scope before = seen.put(scope.text(), scope);
          assertThat(before).isIn(null, scope);
        });
  }

  /// A scope whose parts are built to be mistaken for each other.
  static Scope randomScope(SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> new Scope.Global();
      case 1 -> new Scope.Tenant(HostileText.random(random));
      case 2 -> new Scope.Environment(HostileText.random(random));
      case 3 -> new Scope.TenantEnvironment(HostileText.random(random), HostileText.random(random));
      default ->
          new Scope.Custom(
              Stream.generate(() -> HostileText.random(random))
                  .limit(random.nextInt(1, 4))
                  .toList());
    };
  }
}
