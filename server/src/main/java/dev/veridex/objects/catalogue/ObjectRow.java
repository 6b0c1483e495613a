package dev.veridex.objects.catalogue;

import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectFacts;
import dev.veridex.objects.event.ObjectKey;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/// A row of a catalogue: an event of an object with its place in the order, or, in paired mode, a
/// creation together with the deletion that ended it.
///
/// @param event the one that it is named after
/// @param facts what it tells of the object; of a transition also what others do
/// @param sequencer its place, native or generated; absent for a lone deletion in paired mode
/// @param isCurrent whether it is the object as it is now
/// @param deletion what ended it, in paired mode
public record ObjectRow(
    StoredEvent event,
    ObjectFacts facts,
    Optional<String> sequencer,
    boolean isCurrent,
    Optional<Deletion> deletion) {
  private static final Set<String> ARCHIVE_CLASSES = Set.of("GLACIER", "DEEP_ARCHIVE");
  private static final Set<String> ARCHIVE_TIERS = Set.of("ARCHIVE_ACCESS", "DEEP_ARCHIVE_ACCESS");

  /// The deletion of a row in paired mode.
  ///
  /// @param event absent if the row is named after it
  public record Deletion(Instant time, String sequencer, Optional<StoredEvent> event) {}

  /// How often its events had come before.
  public long duplicates() {
    return event.duplicates()
        + deletion.flatMap(Deletion::event).map(StoredEvent::duplicates).orElse(0L);
  }

  /// How many of its events came after a greater one of their version.
  public long reordered() {
    return (event.reordered() ? 1 : 0)
        + deletion.flatMap(Deletion::event).filter(StoredEvent::reordered).stream().count();
  }

  public ObjectEvent.Identity identity() {
    return event.event().identity();
  }

  public ObjectKey object() {
    return identity().object();
  }

  public UUID id() {
    return identity().id();
  }

  public EventType type() {
    return identity().type();
  }

  public EventReason reason() {
    return event.event().details().reason();
  }

  public boolean isMarker() {
    return event.event().details().marker();
  }

  public Optional<ObjectNode> attributes() {
    return event.attributes();
  }

  /// When it was created; a lone deletion in paired mode says nothing of that.
  public Optional<Instant> eventTime() {
    return sequencer.map(_ -> event.event().time());
  }

  /// Whether the object can be read at once: it is there, and in no archive but for a while.
  public boolean isAccessible() {
    boolean archived =
        facts.storageClass().filter(ARCHIVE_CLASSES::contains).isPresent()
            || facts.archiveStatus().filter(ARCHIVE_TIERS::contains).isPresent();
    return isCurrent && (!archived || reason() == EventReason.RESTORED);
  }
}
