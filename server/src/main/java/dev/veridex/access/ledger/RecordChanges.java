package dev.veridex.access.ledger;

import dev.veridex.access.statement.RecordId;
import java.util.Map;

/// The records that a commit changed, as they are since.
public record RecordChanges(
    AccessIndexVersion before, AccessIndexVersion after, Map<RecordId, AclRecord> records) {}
