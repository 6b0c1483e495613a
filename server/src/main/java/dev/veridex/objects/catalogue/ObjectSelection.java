package dev.veridex.objects.catalogue;

import dev.veridex.objects.event.ObjectKey;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/// The rows that somebody asks for.
///
/// @param bucket of the object store, if it is one
/// @param prefix of the keys
/// @param whole whether the prefix is the whole key
/// @param objects whose names may do; the rest is told by their rows
/// @param rows which may do
public record ObjectSelection(
    Optional<String> bucket,
    String prefix,
    boolean whole,
    Predicate<ObjectKey> objects,
    State state,
    Predicate<ObjectRow> rows) {
  /// The state of a catalogue that is asked for.
  public sealed interface State {
    /// The current rows.
    record Current() implements State {}

    /// All rows.
    record History() implements State {}

    /// The rows that were current at a time of acceptance.
    record AcceptedBy(Instant time) implements State {}

    /// The rows that were current at a time of the object store.
    record HappenedBy(Instant time) implements State {}
  }

  /// All current rows.
  public static ObjectSelection all() {
    return new ObjectSelection(
        Optional.empty(), "", false, _ -> true, new State.Current(), _ -> true);
  }
}
