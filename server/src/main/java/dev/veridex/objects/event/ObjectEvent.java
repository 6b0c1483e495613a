package dev.veridex.objects.event;

import dev.veridex.common.Digests;
import dev.veridex.common.Expiry;
import dev.veridex.common.Instants;
import dev.veridex.common.KeyWriter;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// An event of an object store: something happened to a version of an object.
///
/// Two events of the same [Identity] are one. What was observed by a listing is an event without
/// sequencer, too.
///
/// @param time in whole microseconds
public record ObjectEvent(Identity identity, Instant time, Details details) {
  /// A version's id where there are no versions.
  public static final String NO_VERSION = "null";

  private static final long VERSION_MASK = 0xFFFFFFFFFFFF0FFFL;
  private static final long VERSION = 0x8000L;
  private static final long VARIANT_MASK = 0x3FFFFFFFFFFFFFFFL;
  private static final long VARIANT = 0x8000000000000000L;

  /// The identity of an event: deliveries with the same identity are one event.
  public sealed interface Identity {
    ObjectKey object();

    String versionId();

    EventType type();

    /// An id that is derived from it.
    default UUID id() {
      KeyWriter out =
          new KeyWriter()
              .string(object().bucket())
              .string(object().key())
              .string(versionId())
              .octet(type().code());
      byte[] hash =
          Digests.sha256(
              switch (this) {
                case Native same -> same.sequencer.write(out.octet(0)).toKey();
                case Sequenceless same ->
                    out.octet(1).octet(same.reason.code()).signed(same.micros).toKey();
              });
      ByteBuffer bytes = ByteBuffer.wrap(hash);
      return new UUID(
          (bytes.getLong() & VERSION_MASK) | VERSION, (bytes.getLong() & VARIANT_MASK) | VARIANT);
    }
  }

  /// The identity of an event with a sequencer of the store.
  public record Native(ObjectKey object, String versionId, EventType type, Sequencer sequencer)
      implements Identity {}

  /// The identity of an event without one.
  ///
  /// @param micros its time
  public record Sequenceless(
      ObjectKey object, String versionId, EventType type, EventReason reason, long micros)
      implements Identity {
    public Instant time() {
      return Expiry.instant(micros);
    }
  }

  /// The details of an event, which may differ between two deliveries.
  ///
  /// @param marker whether what it deleted was hidden by a delete marker, whose version this is
  /// @param latest whether a listing said that this is the latest version
  public record Details(EventReason reason, boolean marker, boolean latest, ObjectFacts facts) {}

  public ObjectKey object() {
    return identity.object();
  }

  public boolean isCreation() {
    return identity.type() == EventType.CREATED;
  }

  /// The sequencer of the store, if it has one.
  public Optional<Sequencer> sequencer() {
    return identity instanceof Native(_, _, _, Sequencer sequencer)
        ? Optional.of(sequencer)
        : Optional.empty();
  }

  /// One event of two of the same identity, in whatever order they come.
  public ObjectEvent merged(ObjectEvent other) {
    Details one = details;
    Details two = other.details;
    return new ObjectEvent(
        identity,
        Instants.earlier(time, other.time),
        new Details(
            one.reason.merged(two.reason),
            one.marker || two.marker,
            one.latest || two.latest,
            one.facts.merged(two.facts)));
  }
}
