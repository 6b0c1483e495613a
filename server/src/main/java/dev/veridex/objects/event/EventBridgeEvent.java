package dev.veridex.objects.event;

import java.util.Optional;

/// The shape of an event of EventBridge. Its keys are as they are.
final class EventBridgeEvent implements EventParser.RecordShape {
  @Override
  public ParsedRecord read(EventNode node) {
    String name = node.text("detail-type");
    EventNode detail = node.object("detail");
    Optional<EventClass> found =
        EventClass.ofEventBridge(
            name, detail.find("reason").orElse(""), detail.find("deletion-type").orElse(""));
    if (found.isEmpty()) {
      return new ParsedRecord.Skipped(name);
    }
    EventNode object = detail.object("object");
    return new ParsedRecord.Event(
        EventShape.event(
            found.get(),
            node,
            new EventShape.Names(detail.object("bucket").text("name"), object.text("key"), "time"),
            object,
            new EventShape.Tiers(
                detail.brief("destination-storage-class", EventNode.CLASS_BYTES),
                detail.brief("destination-access-tier", EventNode.CLASS_BYTES)),
            "etag",
            "version-id"));
  }
}
