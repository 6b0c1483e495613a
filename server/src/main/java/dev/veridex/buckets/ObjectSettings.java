package dev.veridex.buckets;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/// The settings of a bucket that is a catalogue of objects.
///
/// @param mode how its rows are made of events, settled for ever; absent: as it is, or as the
///   server is configured when the bucket is made
public record ObjectSettings(boolean itemAccess, Optional<Integer> shards, Optional<Mode> mode)
    implements IndexedSettings {
  /// The name of the type.
  public static final String TYPE = "objects";

  public static final ObjectSettings USUAL =
      new ObjectSettings(true, Optional.empty(), Optional.empty());

  /// Search indexes are told nothing that is older.
  private static final Duration GUARDED = Duration.ofDays(30);

  /// The pairing mode of a catalogue's rows.
  public enum Mode {
    /// A row for each event.
    UNPAIRED("unpaired"),
    /// A row for each creation, together with the deletion that ended it.
    PAIRED("paired");

    private final String text;

    Mode(String text) {
      this.text = text;
    }

    /// Its name in requests, answers and records.
    public String text() {
      return text;
    }

    /// The mode of a name.
    static Optional<Mode> of(String text) {
      return Arrays.stream(values()).filter(each -> each.text.equals(text)).findAny();
    }
  }

  /// The settings of a bucket of objects.
  public static ObjectSettings of(Bucket bucket) {
    return (ObjectSettings) bucket.wanted().settings();
  }

  public boolean isPaired() {
    return mode.filter(each -> each == Mode.PAIRED).isPresent();
  }

  /// The address of an object says it all.
  @Override
  public String resourcePrefix() {
    return "";
  }

  /// What ends in a slash would be a folder: an object whose key does is another resource than the
  /// folder of that name.
  @Override
  public String resource(String key) {
    return key.endsWith("/") ? key.substring(0, key.length() - 1) + "%2F" : key;
  }

  @Override
  public Optional<Duration> tombstoneRetention() {
    return Optional.of(GUARDED);
  }

  @Override
  public Optional<String> resourceField() {
    return Optional.empty();
  }

  @Override
  public ObjectSettings withShards(Optional<Integer> other) {
    return new ObjectSettings(itemAccess, other, mode);
  }

  /// The same with a mode, if it has none.
  ObjectSettings orIn(Optional<Mode> other) {
    return new ObjectSettings(itemAccess, shards, mode.or(() -> other));
  }

  @Override
  public Optional<Problem> contradicts(BucketSettings before) {
    return IndexedSettings.super
        .contradicts(before)
        .or(
            () ->
                before instanceof ObjectSettings settled
                        && !orIn(settled.mode).mode.equals(settled.mode)
                    ? Optional.of(
                        Problem.of(
                                ErrorCode.CONFLICT,
                                "The mode of a bucket of objects is settled when it is made.")
                            .at("/settings/mode")
                            .with("mode", settled.mode.orElseThrow().text()))
                    : Optional.empty());
  }
}
