package dev.veridex.objects.event;

import dev.veridex.common.Expiry;
import java.time.Instant;
import java.util.Optional;

/// Reads what all shapes of events have in common.
final class EventShape {
  private static final int MAX_VERSION_BYTES = 1024;

  private EventShape() {}

  /// The names in an event.
  ///
  /// @param time the member with the time of the event
  record Names(String bucket, String key, String time) {}

  /// The storage class and access tier of an object after an event.
  record Tiers(Optional<String> storageClass, Optional<String> accessTier) {}

  /// The event of a record.
  ///
  /// @param object the JSON object that describes the object
  /// @param eTag the member with its eTag
  /// @param version the member with its version
  static ObjectEvent event(
      EventClass found,
      EventNode node,
      Names names,
      EventNode object,
      Tiers tiers,
      String eTag,
      String version) {
    ObjectKey key = new ObjectKey(names.bucket, names.key);
    key.violation()
        .ifPresent(
            what -> {
              throw object.wrong(what);
            });
    String versionId = object.brief(version).orElse(ObjectEvent.NO_VERSION);
    if (versionId.indexOf('\0') >= 0 || versionId.length() > MAX_VERSION_BYTES) {
      throw object.wrong("The id of a version has no NUL.");
    }
    Instant time = node.time(names.time);
    ObjectEvent.Identity identity =
        object
            .sequencer("sequencer")
            .<ObjectEvent.Identity>map(
                sequencer -> new ObjectEvent.Native(key, versionId, found.type(), sequencer))
            .orElseGet(
                () ->
                    new ObjectEvent.Sequenceless(
                        key, versionId, found.type(), found.reason(), Expiry.micros(time)));
    return new ObjectEvent(
        identity,
        time,
        new ObjectEvent.Details(
            found.reason(),
            found.marker(),
            false,
            new ObjectFacts(
                object.size("size"),
                Optional.empty(),
                Optional.empty(),
                object.brief(eTag).map(EventShape::quoted),
                tiers.storageClass.or(() -> object.brief("storageClass", EventNode.CLASS_BYTES)),
                tiers.accessTier,
                Optional.empty())));
  }

  private static String quoted(String eTag) {
    return eTag.startsWith("\"") && eTag.endsWith("\"") && eTag.length() > 1
        ? eTag
        : "\"" + eTag + "\"";
  }
}
