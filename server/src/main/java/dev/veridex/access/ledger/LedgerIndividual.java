package dev.veridex.access.ledger;

import dev.veridex.access.statement.BitOperations;
import dev.veridex.access.statement.RecordId;
import java.util.Map;

/// An individual as the ledger keeps it: entry, commands and strikes.
///
/// @param commands the bits that it named as a live command and no deletion ended, by record
/// @param strikes the bits that it struck, by record
public record LedgerIndividual(
    LedgerEntry entry,
    Map<RecordId, BitOperations> commands,
    Map<RecordId, BitOperations> strikes) {}
