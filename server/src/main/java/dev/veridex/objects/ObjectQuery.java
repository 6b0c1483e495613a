package dev.veridex.objects;

import dev.veridex.objects.catalogue.ObjectSelection;
import dev.veridex.objects.event.ObjectKey;
import java.util.Optional;
import java.util.function.Predicate;

/// The rows of a catalogue that somebody asks for.
///
/// @param order absent: by bucket and key
public record ObjectQuery(
    ObjectFilter filter, ObjectSelection.State state, Optional<ObjectOrder> order) {
  /// The same for all rows there ever were.
  public ObjectQuery history() {
    return new ObjectQuery(filter, new ObjectSelection.State.History(), order);
  }

  /// Whether current objects are asked for that their names tell.
  boolean isOnNames() {
    return state instanceof ObjectSelection.State.Current && filter.isOnNames();
  }

  ObjectSelection selection() {
    return selection(_ -> true);
  }

  /// @param visible says which objects may be seen, before anything of them is read
  ObjectSelection selection(Predicate<ObjectKey> visible) {
    return new ObjectSelection(
        filter.bucket(),
        filter.keyPrefix(),
        filter.key().isPresent(),
        object -> filter.test(object) && visible.test(object),
        state,
        filter::test);
  }
}
