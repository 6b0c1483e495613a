package dev.veridex.access;

import dev.veridex.access.compiled.Compiled;
import dev.veridex.access.compiled.Edit;
import dev.veridex.common.Space;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/// Reads the records of an index into memory, as long as there is room.
final class Compilation {
  private static final int PROGRESS_EVERY = 1 << 16;

  private final Edit edit = Compiled.empty(IndexKey.ALL_RESOURCES).edit();
  private final LongConsumer progress;
  private final LongPredicate room;
  private long read;
  private boolean refused;

  /// @param progress hears now and then how many records were read
  /// @param room says whether there is room for so many bytes
  Compilation(LongConsumer progress, LongPredicate room) {
    this.progress = progress;
    this.room = room;
  }

  /// The index in memory; absent if there is no room for it.
  Optional<Compiled> of(Records records) {
    records.scan(Space.ACCESS_RECORD, Keys.ONE, this::add);
    if (refused || !room.test(edit.bytes())) {
      return Optional.empty();
    }
    Compiled compiled = edit.done();
    compiled.prepare();
    return Optional.of(compiled);
  }

  private boolean add(byte[] key, byte[] value) {
    AclRecord record = Codec.record(value);
    if (!record.isDeleted()) {
      Delta.put(edit, Keys.ofRecord(key), record);
    }
    read++;
    if (read % PROGRESS_EVERY == 0) {
      progress.accept(read);
      refused = !room.test(edit.bytes());
    }
    return !refused;
  }
}
