package dev.veridex.access.ledger;

import dev.veridex.access.statement.RecordId;
import dev.veridex.common.RecordKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Writes what grants give into an index: records in both directions, what they were before, and
/// the change itself. Whoever writes a grant has it written here in the same transaction.
public final class GrantedRightWriter {
  private final TransactionRecords records;
  private final AccessIndexReader index;
  private final Instant now;
  private final BeforeImages images = new BeforeImages();
  private final Map<RecordId, List<GrantedRight>> changed = new LinkedHashMap<>();
  private final FlowState before;
  private FlowState flow;

  GrantedRightWriter(TransactionRecords records, Instant now) {
    this.records = records;
    this.index = new AccessIndexReader(records);
    this.now = now;
    this.before = index.flow();
    this.flow = before;
  }

  /// Makes a change; [#finish] ends it.
  public void apply(GrantChange change) {
    GrantedRight grant = change.grant();
    byte[] key = AccessKeys.grant(grant.id(), grant.name());
    byte[] bySubject = AccessKeys.grantBySubject(grant.id(), grant.name());
    Optional<byte[]> known = records.get(RecordKind.ACCESS_GRANT, key);
    images.keep(RecordKind.ACCESS_GRANT, key, known);
    images.keep(RecordKind.ACCESS_GRANT_BY_SUBJECT, bySubject, known);
    if (change.kind() == GrantChange.Kind.REVOKED) {
      records.delete(RecordKind.ACCESS_GRANT, key);
      records.delete(RecordKind.ACCESS_GRANT_BY_SUBJECT, bySubject);
    } else {
      byte[] value = AccessRecordCodec.encode(grant);
      records.put(RecordKind.ACCESS_GRANT, key, value, grant.end());
      records.put(RecordKind.ACCESS_GRANT_BY_SUBJECT, bySubject, value, grant.end());
    }
    flow = flow.changed();
    records.append(
        RecordKind.ACCESS_CHANGE,
        AccessRecordCodec.encode(new LedgerChange.Granted(flow.changes(), change)));
    changed.put(grant.id(), List.of());
  }

  /// Writes that there were changes.
  ///
  /// @param version of the index, before them
  /// @return what they changed for those who have it in memory; nothing if there were none
  public Optional<RecordChanges> finish(AccessIndexVersion version) {
    if (flow.equals(before)) {
      return Optional.empty();
    }
    images.write(records, flow.changes());
    records.put(RecordKind.ACCESS_FLOW, AccessKeys.ONE, AccessRecordCodec.encode(flow));
    changed.replaceAll((id, _) -> new ArrayList<>(index.grants(id)));
    return Optional.of(
        new RecordChanges(version, version.withChanges(flow.changes()), Map.of(), changed, now));
  }
}
