package dev.veridex.access;

import java.util.Locale;

/// The loading state of an index and its progress.
///
/// @param records those that were read so far
public record IndexLoadStatus(State state, long records, long bytes) {
  /// The loading state of an index.
  public enum State {
    /// Nobody asked for it, or it had to make room.
    ABSENT,
    LOADING,
    LOADED,
    /// There is no room for it.
    TOO_LARGE,
    /// It could not be read; the log says why.
    FAILED;

    /// Its name in answers.
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
