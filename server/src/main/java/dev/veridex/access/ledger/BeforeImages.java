package dev.veridex.access.ledger;

import dev.veridex.common.RecordKind;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The records of an index as they were before a batch of messages, of those kinds that a trace of
/// the past is made from.
final class BeforeImages {
  private static final byte[] ABSENT = new byte[0];

  private final Map<RecordKind, NavigableMap<byte[], byte[]>> images =
      new EnumMap<>(RecordKind.class);

  /// The kind of record that holds what records of a kind were before a change.
  ///
  /// @return nothing for kinds whose past is not kept
  static Optional<RecordKind> past(RecordKind kind) {
    return switch (kind) {
      case ACCESS_RECORD -> Optional.of(RecordKind.ACCESS_PAST);
      case ACCESS_LEDGER -> Optional.of(RecordKind.ACCESS_PAST_LEDGER);
      case ACCESS_COMMAND -> Optional.of(RecordKind.ACCESS_PAST_COMMAND);
      case ACCESS_STRIKE -> Optional.of(RecordKind.ACCESS_PAST_STRIKE);
      case ACCESS_STRUCK -> Optional.of(RecordKind.ACCESS_PAST_STRUCK);
      case ACCESS_CONTRIBUTION -> Optional.of(RecordKind.ACCESS_PAST_CONTRIBUTION);
      case ACCESS_GRANT -> Optional.of(RecordKind.ACCESS_PAST_GRANT);
      case ACCESS_GRANT_BY_SUBJECT -> Optional.of(RecordKind.ACCESS_PAST_GRANT_BY_SUBJECT);
      default -> Optional.empty();
    };
  }

  /// Keeps what a record is before it is changed. Only the first time counts: nobody ever sees what
  /// is between the messages of a batch.
  void keep(RecordKind kind, byte[] key, Optional<byte[]> before) {
    images
        .computeIfAbsent(kind, _ -> new TreeMap<>(Arrays::compareUnsigned))
        .putIfAbsent(key, before.orElse(ABSENT));
  }

  /// Writes what is kept.
  ///
  /// @param change the number of the last change of the batch
  void write(AccessRecords.Mutable records, long change) {
    images.forEach(
        (kind, kept) ->
            kept.forEach(
                (key, before) ->
                    records.remember(
                        past(kind).orElseThrow(), AccessKeys.past(key, change), before)));
  }
}
