package dev.veridex.access;

import java.util.Map;

/// All that the ledger keeps of an individual.
///
/// @param commands the bits that it named as a live command and no deletion ended, by record
/// @param strikes the bits that it struck, by record
public record KnownIndividual(
    LedgerEntry entry, Map<RecordId, BitOps> commands, Map<RecordId, BitOps> strikes) {}
