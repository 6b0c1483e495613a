package dev.veridex.search;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Problem;
import dev.veridex.common.Tuple;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.DocumentResources;
import dev.veridex.documents.Generations;
import dev.veridex.index.Change;
import dev.veridex.protocol.IndexMessage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Messages as an index takes them.
final class Changes {
  private Changes() {}

  static IndexMessage decode(byte[] message) {
    try {
      return IndexMessage.parseFrom(message);
    } catch (InvalidProtocolBufferException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.CORRUPT_STORE, "a message of a topic cannot be read"), e);
    }
  }

  /// A change as it comes.
  ///
  /// @param attempts how often it was refused before
  record Incoming(Change change, int attempts) {
    static Incoming of(IndexMessage message, Generations.Open open) {
      return new Incoming(Changes.of(message, open), message.getAttempts());
    }
  }

  static Change of(IndexMessage message, Generations.Open open) {
    Optional<Instant> end =
        message.hasExpiresMicros()
            ? Optional.of(Expiry.instant(message.getExpiresMicros()))
            : Optional.empty();
    Tuple tuple = new Tuple(message.getEpoch(), message.getVersion(), message.getModifiedMicros());
    Optional<Change.Entry> entry =
        message.hasDocument()
            ? Optional.of(new Change.Entry(message.getDocument(), end, resources(message, open)))
            : Optional.empty();
    Optional<Instant> remembered =
        message.hasRememberedMicros()
            ? Optional.of(Expiry.instant(message.getRememberedMicros()))
            : Optional.empty();
    return new Change(message.getPk(), tuple, entry, remembered);
  }

  private static List<String> resources(IndexMessage message, Generations.Open open) {
    return open.settings().resourceField().isPresent()
        ? message.getResourcesList()
        : DocumentResources.of(open.settings(), message.getPk(), message.getDocument());
  }
}
