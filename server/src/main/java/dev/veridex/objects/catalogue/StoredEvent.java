package dev.veridex.objects.catalogue;

import dev.veridex.common.Expiry;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.json.JsonText;
import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectFacts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// An event as it is stored.
///
/// @param attributes what people attached to it
/// @param duplicates how often it came again
/// @param reordered whether a greater one of its version had come before it
public record StoredEvent(
    ObjectEvent event,
    Optional<ObjectNode> attributes,
    long duplicates,
    boolean reordered,
    Instant acceptedAt) {
  /// In the order of time, type and reason: those without a sequencer follow each other so.
  static final Comparator<StoredEvent> BY_TIME =
      Comparator.comparing((StoredEvent each) -> each.event.time())
          .thenComparing(each -> each.event.identity().type())
          .thenComparing(each -> each.event.details().reason());

  private static final int MARKER = 1;
  private static final int LATEST = 2;
  private static final int REORDERED = 4;
  private static final int ATTRIBUTES = 8;

  /// One that has just come.
  static StoredEvent of(ObjectEvent event, boolean reordered, Instant now) {
    return new StoredEvent(event, Optional.empty(), 0, reordered, now);
  }

  /// The same with another event of the same identity.
  StoredEvent merged(ObjectEvent other) {
    return new StoredEvent(event.merged(other), attributes, duplicates + 1, reordered, acceptedAt);
  }

  /// The same with other attributes.
  public StoredEvent with(Optional<ObjectNode> others) {
    return new StoredEvent(event, others, duplicates, reordered, acceptedAt);
  }

  byte[] encode() {
    ObjectEvent.Details details = event.details();
    ObjectFacts facts = details.facts();
    KeyWriter out =
        new KeyWriter()
            .octet(
                (details.marker() ? MARKER : 0)
                    | (details.latest() ? LATEST : 0)
                    | (reordered ? REORDERED : 0)
                    | (attributes.isPresent() ? ATTRIBUTES : 0))
            .octet(details.reason().code())
            .signed(Expiry.micros(event.time()))
            .signed(Expiry.micros(acceptedAt));
    List<Optional<?>> values =
        List.of(
            facts.size(),
            facts.sha256(),
            facts.lastModified(),
            facts.eTag(),
            facts.storageClass(),
            facts.archiveStatus(),
            facts.ingestId(),
            Optional.of(duplicates).filter(count -> count > 0));
    int present = 0;
    for (int i = 0; i < values.size(); i++) {
      present |= values.get(i).isPresent() ? 1 << i : 0;
    }
    out.octet(present);
    for (Optional<?> value : values) {
      value.ifPresent(
          each -> {
            switch (each) {
              case Long number -> out.signed(number);
              case Instant time -> out.signed(Expiry.micros(time));
              default -> out.string(each.toString());
            }
          });
    }
    attributes.ifPresent(node -> out.bytes(JsonText.write(node)));
    return out.toKey();
  }

  static StoredEvent decode(ObjectEvent.Identity identity, byte[] bytes) {
    KeyReader in = new KeyReader(bytes);
    int flags = in.octet();
    EventReason reason = EventReason.of(in.octet()).orElseThrow();
    Instant time = Expiry.instant(in.signed());
    Instant acceptedAt = Expiry.instant(in.signed());
    int present = in.octet();
    int bit = 1;
    Optional<Long> size = has(present, bit) ? Optional.of(in.signed()) : Optional.empty();
    Optional<String> sha256 = text(in, present, bit <<= 1);
    Optional<Instant> modified =
        has(present, bit <<= 1) ? Optional.of(Expiry.instant(in.signed())) : Optional.empty();
    List<Optional<String>> texts = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      texts.add(text(in, present, bit <<= 1));
    }
    long duplicates = has(present, bit << 1) ? in.signed() : 0;
    Optional<ObjectNode> attributes =
        has(flags, ATTRIBUTES)
            ? Optional.of((ObjectNode) JsonText.read(in.bytes()))
            : Optional.empty();
    ObjectFacts facts =
        new ObjectFacts(
            size, sha256, modified, texts.get(0), texts.get(1), texts.get(2), texts.get(3));
    return new StoredEvent(
        new ObjectEvent(
            identity,
            time,
            new ObjectEvent.Details(reason, has(flags, MARKER), has(flags, LATEST), facts)),
        attributes,
        duplicates,
        has(flags, REORDERED),
        acceptedAt);
  }

  private static boolean has(int flags, int bit) {
    return (flags & bit) != 0;
  }

  private static Optional<String> text(KeyReader in, int present, int bit) {
    return has(present, bit) ? Optional.of(in.string()) : Optional.empty();
  }
}
