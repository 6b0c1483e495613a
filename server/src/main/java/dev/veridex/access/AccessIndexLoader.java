package dev.veridex.access;

import dev.veridex.access.compiled.AccessIndexEdit;
import dev.veridex.access.compiled.CompiledGrants;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.EndQueue;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.AccessKeys;
import dev.veridex.access.ledger.AccessRecordCodec;
import dev.veridex.access.ledger.AccessRecords;
import dev.veridex.access.ledger.AclRecord;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.RecordKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/// Reads the records of an index into memory, as long as there is room.
public final class AccessIndexLoader {
  private static final int PROGRESS_EVERY = 1 << 16;

  private final AccessIndexEdit edit = CompiledIndex.empty(IndexKey.ALL_RESOURCES).edit();
  private final GrantEdit grants;
  private final LongConsumer progress;
  private final LongPredicate room;

  /// Grants of the same permission or membership, which stand together.
  private final List<GrantedRight> together = new ArrayList<>();

  private long read;
  private boolean refused;

  /// @param now at which it is looked what has ended
  /// @param ends takes those of memberships
  /// @param progress hears now and then how many records were read
  /// @param room says whether there is room for so many bytes
  AccessIndexLoader(Instant now, EndQueue ends, LongConsumer progress, LongPredicate room) {
    this.grants = new GrantEdit(edit, CompiledGrants.NONE, now, ends);
    this.progress = progress;
    this.room = room;
  }

  /// The index in memory; absent if there is no room for it.
  Optional<CompiledState> of(AccessRecords records) {
    records.scan(RecordKind.ACCESS_RECORD, AccessKeys.ONE, this::add);
    if (!refused) {
      new AccessIndexReader(records).eachGrant(this::add);
      flush();
    }
    if (refused || !room.test(bytes())) {
      return Optional.empty();
    }
    CompiledIndex compiled = edit.done();
    compiled.prepare();
    return Optional.of(new CompiledState(compiled, grants.done()));
  }

  /// When the last one of the memberships ended that have ended.
  Optional<Instant> lastEnd() {
    return grants.lastEnd();
  }

  private long bytes() {
    return edit.bytes() + grants.bytes();
  }

  /// An index in memory with changes of statements.
  static CompiledIndex changed(CompiledIndex index, RecordChanges changes) {
    AccessIndexEdit edit = index.edit();
    changes.records().forEach((id, record) -> put(edit, id, record));
    return edit.done();
  }

  /// A state in memory with the changes of a commit.
  ///
  /// @param now at which it is looked what has ended
  /// @param ends takes those of memberships
  static CompiledState changed(
      CompiledState state, RecordChanges changes, Instant now, EndQueue ends) {
    AccessIndexEdit edit = state.index().edit();
    changes.records().forEach((id, record) -> put(edit, id, record));
    GrantEdit grants = new GrantEdit(edit, state.grants(), now, ends);
    changes.grants().forEach(grants::put);
    // Where no membership was changed, all that was found out from the index still holds.
    boolean same = changes.records().isEmpty() && !grants.isRelated();
    return new CompiledState(
        same ? state.index() : edit.done(),
        changes.grants().isEmpty() ? state.grants() : grants.done());
  }

  static CompiledIndex.Table table(RecordId id) {
    return switch (id.key().prefix()) {
      case PERMISSION -> CompiledIndex.Table.PERMISSION;
      case MEMBERSHIP -> CompiledIndex.Table.MEMBERSHIP;
      case FILTER -> CompiledIndex.Table.FILTER;
    };
  }

  /// Puts a record into a compiled index. One that is only still named has no say in any check.
  private static void put(AccessIndexEdit edit, RecordId id, AclRecord record) {
    IndexKey key = id.key();
    CompiledIndex.Table table = table(id);
    if (record.isDeleted()) {
      edit.remove(table, key.filter(), key.object(), id.subject());
    } else {
      edit.put(
          table, key.filter(), key.object(), id.subject(), record.marker().code(), record.access());
    }
  }

  private boolean add(byte[] key, byte[] value) {
    AclRecord record = AccessRecordCodec.record(value);
    if (!record.isDeleted()) {
      put(edit, AccessKeys.ofRecord(key), record);
    }
    return goOn();
  }

  private boolean add(GrantedRight grant) {
    if (!together.isEmpty() && !together.getFirst().id().equals(grant.id())) {
      flush();
    }
    together.add(grant);
    return goOn();
  }

  private void flush() {
    if (!together.isEmpty()) {
      grants.put(together.getFirst().id(), together);
      together.clear();
    }
  }

  private boolean goOn() {
    read++;
    if (read % PROGRESS_EVERY == 0) {
      progress.accept(read);
      refused = !room.test(bytes());
    }
    return !refused;
  }
}
