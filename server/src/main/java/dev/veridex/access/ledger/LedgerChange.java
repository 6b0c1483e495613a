package dev.veridex.access.ledger;

import dev.veridex.access.statement.Op;
import java.util.Optional;

/// A message that changed the ledger of an index.
///
/// @param number how often the ledger was changed, this time included
/// @param status applied, or stale if it only struck what others said
/// @param content the individual as it came; absent if it went
public record LedgerChange(
    long number, MessageStatus status, Op op, String individual, Optional<byte[]> content) {}
