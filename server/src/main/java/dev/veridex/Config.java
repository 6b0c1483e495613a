package dev.veridex;

import dev.veridex.buckets.ObjectSettings;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.http.HttpConfig;
import dev.veridex.http.UnscopedMode;
import dev.veridex.identity.jwt.JwtIssuer;
import dev.veridex.settings.Settings;
import dev.veridex.settings.SettingsSources;
import dev.veridex.store.rocks.RocksSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Everything that can be configured, as the server takes it.
///
/// More than eight components: one component for each part of the configuration.
///
/// @param data the folder of everything the server keeps
/// @param rootToken the secret of the first token; absent: one is made
/// @param unscoped what requests mean that name no scope
/// @param issuers whose JSON Web Tokens count
/// @param keysEvery how often the issuers' keys are read anew
/// @param objectMode of buckets of objects that name none
record Config(
    Path data,
    Optional<String> rootToken,
    UnscopedMode unscoped,
    HttpConfig http,
    RocksSettings store,
    List<JwtIssuer> issuers,
    Duration keysEvery,
    AccessConfig access,
    ObjectSettings.Mode objectMode,
    LogConfig log) {

  /// Configuration of the access log and the program log.
  ///
  /// @param access whether each request is
  /// @param level from which on the program's own lines are
  record LogConfig(boolean access, LogLevel level) {}

  /// The level of the program's own lines.
  enum LogLevel {
    WARNING,
    INFO,
    DEBUG
  }

  /// Without secrets: a record's text ends up in logs.
  @Override
  public String toString() {
    return "Config[data=" + data + ", http=" + http + "]";
  }

  /// Reads all settings and refuses what is none.
  static Config read(SettingsSources sources) {
    Settings root = sources.root();
    Settings tokens = root.section("tokens");
    Config config =
        new Config(
            Path.of(root.text("data", "veridex-data")),
            root.secret("rootToken"),
            root.choice("unscoped", UnscopedMode.LENIENT, List.of(UnscopedMode.values())),
            HttpConfig.read(root.section("http")),
            StoreConfig.read(root.section("store")),
            tokens.sections("issuers").stream().map(JwtIssuer::read).toList(),
            tokens.duration(
                "keysEvery", Duration.ofMinutes(5), Duration.ofSeconds(1), Duration.ofDays(1)),
            AccessConfig.read(root.section("access")),
            objectMode(sources),
            new LogConfig(
                root.section("log").flag("access", true),
                root.section("log").choice("level", LogLevel.INFO, List.of(LogLevel.values()))));
    sources.refuseUnknown();
    if (config.access.pastRetention().compareTo(config.store.changeRetention()) > 0) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_CONFIGURATION,
                  "access.pastRetention is at most store.changeRetention: times are known by it")
              .with("pastRetention", config.access.pastRetention())
              .with("changeRetention", config.store.changeRetention()));
    }
    return config;
  }

  /// What fed catalogues of the same kind before says it with a variable of its own.
  private static ObjectSettings.Mode objectMode(SettingsSources sources) {
    boolean paired = sources.foreign("PAIRED_INGEST_MODE").filter("true"::equals).isPresent();
    return sources
        .root()
        .section("objects")
        .choice(
            "mode",
            paired ? ObjectSettings.Mode.PAIRED : ObjectSettings.Mode.UNPAIRED,
            List.of(ObjectSettings.Mode.values()));
  }
}
