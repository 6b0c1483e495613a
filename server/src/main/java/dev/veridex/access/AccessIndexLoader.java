package dev.veridex.access;

import dev.veridex.access.compiled.AccessIndexEdit;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.AccessKeys;
import dev.veridex.access.ledger.AccessRecordCodec;
import dev.veridex.access.ledger.AccessRecords;
import dev.veridex.access.ledger.AclRecord;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.RecordKind;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/// Reads the records of an index into memory, as long as there is room.
public final class AccessIndexLoader {
  private static final int PROGRESS_EVERY = 1 << 16;

  private final AccessIndexEdit edit = CompiledIndex.empty(IndexKey.ALL_RESOURCES).edit();
  private final LongConsumer progress;
  private final LongPredicate room;
  private long read;
  private boolean refused;

  /// @param progress hears now and then how many records were read
  /// @param room says whether there is room for so many bytes
  public AccessIndexLoader(LongConsumer progress, LongPredicate room) {
    this.progress = progress;
    this.room = room;
  }

  /// The index in memory; absent if there is no room for it.
  public Optional<CompiledIndex> of(AccessRecords records) {
    records.scan(RecordKind.ACCESS_RECORD, AccessKeys.ONE, this::add);
    if (refused || !room.test(edit.bytes())) {
      return Optional.empty();
    }
    CompiledIndex compiled = edit.done();
    compiled.prepare();
    return Optional.of(compiled);
  }

  /// The index in memory that has no records but those with which every one begins. Each time
  /// another one, for names are added to what is in memory by whoever tries things out.
  static CompiledIndex untouched(AccessIndexLocator indexes) {
    return new AccessIndexLoader(_ -> {}, _ -> true).of(indexes.untouched()).orElseThrow();
  }

  /// An index in memory with the changes of a commit.
  static CompiledIndex changed(CompiledIndex compiled, RecordChanges changes) {
    AccessIndexEdit edit = compiled.edit();
    changes.records().forEach((id, record) -> put(edit, id, record));
    return edit.done();
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
    read++;
    if (read % PROGRESS_EVERY == 0) {
      progress.accept(read);
      refused = !room.test(edit.bytes());
    }
    return !refused;
  }
}
