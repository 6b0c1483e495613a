package dev.veridex.access.ledger;

import dev.veridex.access.statement.RecordId;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// The records that a commit changed, as they are since.
///
/// @param grants all of the same permission or membership together, expired ones among them
/// @param time at which the commit was decided
public record RecordChanges(
    AccessIndexVersion before,
    AccessIndexVersion after,
    Map<RecordId, AclRecord> records,
    Map<RecordId, List<GrantedRight>> grants,
    Instant time) {}
