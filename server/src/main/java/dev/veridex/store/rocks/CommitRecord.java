package dev.veridex.store.rocks;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Revision;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Change;
import dev.veridex.store.Commit;
import dev.veridex.store.KeyRange;
import dev.veridex.store.StoreException;
import dev.veridex.store.optimistic.WriteSet;
import dev.veridex.store.optimistic.WriteSet.Write;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The form of one commit in the change log: its time and what it touched, without values.
///
/// It is made by the thread that commits, before its turn comes; the committer only fills in the
/// time. Appends therefore stand here by their prefix: the sequence, which is the log's key, and
/// their order give the number.
final class CommitRecord {
  private static final int PUT = 1;
  private static final int DELETE = 2;
  private static final int DELETE_RANGE = 3;
  private static final int DELETE_FROM = 4;
  private static final int ADD = 5;
  private static final int APPEND = 6;

  private CommitRecord() {}

  static byte[] encode(WriteSet writes) {
    // Room for all keys and short values, so that it need not grow again and again.
    ByteArrayOutputStream out =
        new ByteArrayOutputStream(64 + (int) Math.min(writes.bytes(), 1 << 20));
    out.writeBytes(new byte[Long.BYTES]);
    for (KeyRange range : writes.deletedRanges()) {
      out.write(range.to().isPresent() ? DELETE_RANGE : DELETE_FROM);
      bytes(out, range.from());
      range.to().ifPresent(to -> bytes(out, to));
    }
    writes
        .records()
        .forEach(
            (key, write) -> {
              out.write(write instanceof Write.Put ? PUT : DELETE);
              bytes(out, key);
            });
    for (WriteSet.Append append : writes.appends()) {
      out.write(APPEND);
      bytes(out, append.handle().prefix());
    }
    writes
        .additions()
        .forEach(
            (key, delta) -> {
              out.write(ADD);
              bytes(out, key);
              out.writeBytes(CounterValue.encode(delta));
            });
    return out.toByteArray();
  }

  static void setTime(byte[] record, long micros) {
    ByteBuffer.wrap(record).putLong(0, micros);
  }

  static Instant time(byte[] record) {
    return Expiry.instant(ByteBuffer.wrap(record).getLong(0));
  }

  static Commit decode(Revision revision, byte[] record) {
    ByteBuffer in = ByteBuffer.wrap(record);
    Instant time = Expiry.instant(in.getLong());
    List<Change> changes = new ArrayList<>();
    int appends = 0;
    while (in.hasRemaining()) {
      int kind = in.get();
      byte[] key = bytes(in);
      changes.add(
          switch (kind) {
            case PUT -> new Change.Put(key);
            case DELETE -> new Change.Delete(key);
            case DELETE_RANGE -> new Change.DeleteRange(KeyRange.between(key, bytes(in)));
            case DELETE_FROM -> new Change.DeleteRange(new KeyRange(key, Optional.empty()));
            case ADD -> new Change.Add(key, addition(in));
            case APPEND ->
                new Change.Put(new AppendedRecord(key, appends++).keyAt(revision.sequence()));
            default ->
                throw StoreException.of(
                    ErrorCode.CORRUPT_STORE, "the change log holds an unknown kind of change");
          });
    }
    return new Commit(revision, time, changes);
  }

  private static long addition(ByteBuffer in) {
    byte[] delta = new byte[Long.BYTES];
    in.get(delta);
    return CounterValue.decode(delta);
  }

  private static void bytes(ByteArrayOutputStream out, byte[] bytes) {
    int rest = bytes.length;
    while (rest >= 0x80) {
      out.write((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
    out.writeBytes(bytes);
  }

  private static byte[] bytes(ByteBuffer in) {
    int length = 0;
    int shift = 0;
    int b;
    do {
      b = in.get();
      length |= (b & 0x7F) << shift;
      shift += 7;
    } while ((b & 0x80) != 0);
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }
}
