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

  static Change of(IndexMessage message, Generations.Open open, Instant now) {
    Optional<Instant> end =
        message.hasExpiresMicros()
            ? Optional.of(Expiry.instant(message.getExpiresMicros()))
            : Optional.empty();
    Tuple tuple = new Tuple(message.getEpoch(), message.getVersion(), message.getModifiedMicros());
    Optional<Change.Entry> entry =
        message.hasDocument()
            ? Optional.of(new Change.Entry(message.getDocument(), end, resources(message, open)))
            : Optional.empty();
    return new Change(message.getPk(), tuple, entry, remembered(open, tuple, end, now));
  }

  private static List<String> resources(IndexMessage message, Generations.Open open) {
    return open.settings().resourceField().isPresent()
        ? message.getResourcesList()
        : DocumentResources.of(open.settings(), message.getPk(), message.getDocument());
  }

  /// As long as the registry remembers it: then nothing older comes any more.
  private static Optional<Instant> remembered(
      Generations.Open open, Tuple tuple, Optional<Instant> end, Instant now) {
    Instant last = later(later(now, tuple.modifiedAt()), end.orElse(Instant.EPOCH));
    return open.settings()
        .tombstoneRetention()
        .map(last::plus)
        .filter(time -> time.isBefore(Expiry.LATEST));
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
