package dev.veridex;

import dev.veridex.access.AccessSettings;
import dev.veridex.access.TextFormat;
import dev.veridex.settings.Settings;
import java.time.Duration;
import java.util.List;

/// The settings of access indexes.
///
/// @param indexFormat the text in which records are written
/// @param memoryBytes how much of them may be in memory
/// @param pastRetention how long it is known what was before
record AccessConfig(TextFormat indexFormat, long memoryBytes, Duration pastRetention) {
  static AccessConfig read(Settings access) {
    return new AccessConfig(
        access.choice("indexFormat", TextFormat.V2, List.of(TextFormat.values())),
        access.bytes("memory", "512MiB", 0, 1L << 50),
        access.duration(
            "pastRetention",
            AccessSettings.PAST_RETENTION,
            Duration.ofMinutes(1),
            Duration.ofDays(3650)));
  }
}
