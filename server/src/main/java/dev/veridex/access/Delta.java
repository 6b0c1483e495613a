package dev.veridex.access;

import dev.veridex.access.compiled.Compiled;
import dev.veridex.access.compiled.Edit;
import java.util.Map;

/// The records that a commit changed, as they are since.
record Delta(Version before, Version after, Map<RecordId, AclRecord> records) {

  Compiled applyTo(Compiled compiled) {
    Edit edit = compiled.edit();
    records.forEach((id, record) -> put(edit, id, record));
    return edit.done();
  }

  static Compiled.Table table(RecordId id) {
    return switch (id.key().prefix()) {
      case PERMISSION -> Compiled.Table.PERMISSION;
      case MEMBERSHIP -> Compiled.Table.MEMBERSHIP;
      case FILTER -> Compiled.Table.FILTER;
    };
  }

  /// Puts a record into a compiled index. One that is only still named has no say in any check.
  static void put(Edit edit, RecordId id, AclRecord record) {
    IndexKey key = id.key();
    Compiled.Table table = table(id);
    if (record.isDeleted()) {
      edit.remove(table, key.filter(), key.object(), id.subject());
    } else {
      edit.put(
          table, key.filter(), key.object(), id.subject(), record.marker().code(), record.access());
    }
  }
}
