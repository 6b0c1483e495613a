package dev.veridex.access.ledger;

import dev.veridex.access.statement.Op;
import java.util.Optional;

/// A change of what an index is derived from.
public sealed interface LedgerChange {
  /// How often the index was changed, this time included.
  long number();

  /// A message that changed the ledger.
  ///
  /// @param status applied, or stale if it only struck what others said
  /// @param content the individual as it came; absent if it went
  record Stated(
      long number, MessageStatus status, Op op, String individual, Optional<byte[]> content)
      implements LedgerChange {}

  /// A grant that was given, extended or taken back.
  record Granted(long number, GrantChange change) implements LedgerChange {}
}
