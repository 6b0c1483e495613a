package dev.veridex.search.indexing;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.documents.registry.DocumentResources;
import dev.veridex.index.IndexChange;
import dev.veridex.protocol.IndexMessage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The decoder of topic messages into index changes.
public final class IndexMessageDecoder {
  private IndexMessageDecoder() {}

  public static IndexMessage decode(byte[] message) {
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
  record DecodedChange(IndexChange change, int attempts) {
    static DecodedChange of(IndexMessage message, IndexGenerations.OpenGeneration open) {
      return new DecodedChange(IndexMessageDecoder.of(message, open), message.getAttempts());
    }
  }

  static IndexChange of(IndexMessage message, IndexGenerations.OpenGeneration open) {
    Optional<Instant> end =
        message.hasExpiresMicros()
            ? Optional.of(Expiry.instant(message.getExpiresMicros()))
            : Optional.empty();
    VersionTuple tuple =
        new VersionTuple(message.getEpoch(), message.getVersion(), message.getModifiedMicros());
    Optional<IndexChange.Entry> entry =
        message.hasDocument()
            ? Optional.of(
                new IndexChange.Entry(message.getDocument(), end, resources(message, open)))
            : Optional.empty();
    Optional<Instant> remembered =
        message.hasRememberedMicros()
            ? Optional.of(Expiry.instant(message.getRememberedMicros()))
            : Optional.empty();
    return new IndexChange(message.getPk(), tuple, entry, remembered);
  }

  private static List<String> resources(
      IndexMessage message, IndexGenerations.OpenGeneration open) {
    return open.settings().resourceField().isPresent()
        ? message.getResourcesList()
        : DocumentResources.of(open.settings(), message.getPk(), message.getDocument());
  }
}
