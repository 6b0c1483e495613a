package dev.veridex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.access.TextFormat;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.http.HttpConfig;
import dev.veridex.http.UnscopedMode;
import dev.veridex.identity.jwt.JwtIssuer;
import dev.veridex.settings.SettingsSources;
import dev.veridex.store.rocks.RocksSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Each configuration class: what holds without any setting, and what each key sets.
final class ConfigTest {
  private static SettingsSources nothing() {
    return new SettingsSources(Optional.empty(), Map.of(), List.of());
  }

  private static SettingsSources file(String yaml) {
    return new SettingsSources(Optional.of(yaml), Map.of(), List.of());
  }

  @Test
  void defaultsOfConfig() {
    assertThat(Config.read(nothing()))
        .isEqualTo(
            new Config(
                Path.of("veridex-data"),
                Optional.empty(),
                UnscopedMode.LENIENT,
                HttpConfig.read(nothing().root().section("http")),
                RocksSettings.DEFAULT,
                List.of(),
                Duration.ofMinutes(5),
                AccessConfig.read(nothing().root().section("access")),
                ObjectSettings.Mode.UNPAIRED,
                new Config.LogConfig(true, Config.LogLevel.INFO)));
  }

  @Test
  void everyKeyOfConfig() {
    Config config =
        Config.read(
            file(
                """
                data: /somewhere
                rootToken: open sesame
                unscoped: strict
                tokens:
                  issuers: [{issuer: i, audience: a, keys: k, scope: global}]
                  keysEvery: 1m
                access:
                  memory: 1MiB
                objects:
                  mode: paired
                log:
                  access: false
                  level: debug
                http:
                  port: 1
                store:
                  grace: 1m
                """));
    assertThat(config.data()).isEqualTo(Path.of("/somewhere"));
    assertThat(config.rootToken()).contains("open sesame");
    assertThat(config.unscoped()).isEqualTo(UnscopedMode.STRICT);
    assertThat(config.issuers()).extracting(JwtIssuer::issuer).containsExactly("i");
    assertThat(config.keysEvery()).isEqualTo(Duration.ofMinutes(1));
    assertThat(config.access().memoryBytes()).isEqualTo(1 << 20);
    assertThat(config.objectMode()).isEqualTo(ObjectSettings.Mode.PAIRED);
    assertThat(config.log()).isEqualTo(new Config.LogConfig(false, Config.LogLevel.DEBUG));
    assertThat(config.http().port()).isEqualTo(1);
    assertThat(config.store().grace()).isEqualTo(Duration.ofMinutes(1));
    assertThat(
            Config.read(
                    new SettingsSources(
                        Optional.empty(), Map.of("VERIDEX_ROOT_TOKEN", "x"), List.of()))
                .rootToken())
        .as("the variable that everybody knows")
        .contains("x");
    assertThat(
            Config.read(
                    new SettingsSources(
                        Optional.empty(), Map.of("PAIRED_INGEST_MODE", "true"), List.of()))
                .objectMode())
        .isEqualTo(ObjectSettings.Mode.PAIRED);
  }

  @Test
  void defaultsOfAccess() {
    assertThat(AccessConfig.read(nothing().root().section("access")))
        .isEqualTo(new AccessConfig(TextFormat.V2, 512L << 20, Duration.ofDays(7)));
  }

  @Test
  void everyKeyOfAccess() {
    SettingsSources sources =
        file(
            """
            access:
              indexFormat: v1
              memory: 1MiB
              pastRetention: 1h
            """);
    assertThat(AccessConfig.read(sources.root().section("access")))
        .isEqualTo(new AccessConfig(TextFormat.V1, 1 << 20, Duration.ofHours(1)));
    sources.refuseUnknown();
  }

  @Test
  void defaultsOfHttp() {
    assertThat(HttpConfig.read(nothing().root().section("http")))
        .isEqualTo(
            new HttpConfig(
                "127.0.0.1",
                7400,
                8192,
                1024,
                256 << 20,
                Duration.ofSeconds(75),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                false));
  }

  @Test
  void everyKeyOfHttp() {
    SettingsSources sources =
        file(
            """
            http:
              host: 0.0.0.0
              port: 1
              maxConnections: 2
              maxInFlight: 3
              maxBodyBytesInFlight: 4MiB
              idleTimeout: 5s
              headTimeout: 6s
              stallTimeout: 7s
              stopTimeout: 8s
              openMetrics: true
            """);
    assertThat(HttpConfig.read(sources.root().section("http")))
        .isEqualTo(
            new HttpConfig(
                "0.0.0.0",
                1,
                2,
                3,
                4 << 20,
                Duration.ofSeconds(5),
                Duration.ofSeconds(6),
                Duration.ofSeconds(7),
                Duration.ofSeconds(8),
                true));
    sources.refuseUnknown();
  }

  @Test
  void defaultsOfStore() {
    assertThat(StoreConfig.read(nothing().root().section("store")))
        .isEqualTo(RocksSettings.DEFAULT);
  }

  @Test
  void everyKeyOfStore() {
    SettingsSources sources =
        file(
            """
            store:
              grace: 1m
              changeRetention: 2d
              compactionInterval: 3h
              blockCache: 4MiB
              writeBuffer: 5MiB
            """);
    assertThat(StoreConfig.read(sources.root().section("store")))
        .isEqualTo(
            new RocksSettings(
                Duration.ofMinutes(1), Duration.ofDays(2), Duration.ofHours(3), 4 << 20, 5 << 20));
    sources.refuseUnknown();
  }

  @Test
  void defaultsOfAnIssuer() {
    assertThat(
            JwtIssuer.read(file("{issuer: i, audience: a, keys: k, scope: 'tenant:acme'}").root()))
        .isEqualTo(
            new JwtIssuer(
                "i",
                "a",
                Set.of("RS256"),
                "k",
                Scope.parse("tenant:acme"),
                "sub",
                Optional.empty(),
                Optional.empty()));
  }

  @Test
  void everyKeyOfAnIssuer() {
    SettingsSources sources =
        file(
            """
            issuer: i
            audience: a
            algorithms: [ES256, PS384]
            keys: https://keys
            scope: global
            subjectClaim: s
            groupsClaim: g
            scopeClaim: c
            """);
    assertThat(JwtIssuer.read(sources.root()))
        .isEqualTo(
            new JwtIssuer(
                "i",
                "a",
                Set.of("ES256", "PS384"),
                "https://keys",
                new Scope.Global(),
                "s",
                Optional.of("g"),
                Optional.of("c")));
    sources.refuseUnknown();
  }

  @Test
  void anIssuerThatCannotBeIsRefused() {
    for (String yaml :
        List.of(
            "{}",
            "{issuer: i, audience: a, keys: k}",
            "{issuer: i, audience: a, scope: global}",
            "{issuer: i, audience: a, keys: k, scope: nonsense}",
            "{issuer: i, audience: a, keys: k, scope: global, algorithms: [none]}",
            "{issuer: i, audience: a, keys: k, scope: global, algorithms: [HS256]}",
            "{issuer: i, audience: a, keys: k, scope: global, algorithms: []}")) {
      assertThatThrownBy(() -> JwtIssuer.read(file(yaml).root()))
          .as(yaml)
          .isInstanceOf(VeridexException.class);
    }
  }
}
