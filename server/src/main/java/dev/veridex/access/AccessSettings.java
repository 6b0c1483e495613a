package dev.veridex.access;

import java.time.Duration;
import java.util.concurrent.Executor;

/// Settings of access indexes: memory, loading, and how long the past is kept.
///
/// @param memoryBytes how much of them may be in memory
/// @param pastRetention how long it is known what was before
/// @param loader reads indexes into memory; on its own thread if whoever asks is not to wait
public record AccessSettings(long memoryBytes, Duration pastRetention, Executor loader) {
  /// As long as a week.
  public static final Duration PAST_RETENTION = Duration.ofDays(7);
}
