package dev.veridex.store.rocks;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ByteBufferGetStatus;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;

/// Reads many keys of a family at once.
///
/// The engine's call that takes arrays says nothing of what it could not read: it looks like what
/// is not there. The one that takes buffers has a status for each key.
final class MultiGet {
  /// Below this, single gets are as good.
  private static final int WORTHWHILE = 4;

  /// Room for a value; larger ones are read by themselves.
  private static final int VALUE_BYTES = 256;

  private static final int AT_ONCE = 1024;

  private MultiGet() {}

  /// The values of keys, in their order.
  static List<byte @Nullable []> run(
      RocksDatabase database, Family family, ReadOptions options, List<byte[]> keys) {
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    try {
      for (int from = 0; from < keys.size(); from += AT_ONCE) {
        List<byte[]> some = keys.subList(from, Math.min(keys.size(), from + AT_ONCE));
        if (some.size() < WORTHWHILE) {
          for (byte[] key : some) {
            values.add(database.rocks().get(database.handle(family), options, key));
          }
        } else {
          read(database, family, options, some, values);
        }
      }
      return values;
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    }
  }

  private static void read(
      RocksDatabase database,
      Family family,
      ReadOptions options,
      List<byte[]> keys,
      List<byte @Nullable []> values)
      throws RocksDBException {
    long keyBytes = 0;
    for (byte[] key : keys) {
      keyBytes += key.length;
    }
    try (Arena arena = Arena.ofConfined()) {
      ByteBuffer keyRoom = arena.allocate(keyBytes).asByteBuffer();
      ByteBuffer valueRoom = arena.allocate((long) VALUE_BYTES * keys.size()).asByteBuffer();
      List<ByteBuffer> keyBuffers = new ArrayList<>(keys.size());
      List<ByteBuffer> valueBuffers = new ArrayList<>(keys.size());
      for (byte[] key : keys) {
        int start = keyRoom.position();
        keyRoom.put(key);
        keyBuffers.add(keyRoom.slice(start, key.length));
        valueBuffers.add(valueRoom.slice(valueBuffers.size() * VALUE_BYTES, VALUE_BYTES));
      }
      List<ByteBufferGetStatus> found =
          database
              .rocks()
              .multiGetByteBuffers(
                  options,
                  Collections.nCopies(keys.size(), database.handle(family)),
                  keyBuffers,
                  valueBuffers);
      for (int i = 0; i < keys.size(); i++) {
        values.add(value(database, family, options, keys.get(i), found.get(i)));
      }
    }
  }

  private static byte @Nullable [] value(
      RocksDatabase database,
      Family family,
      ReadOptions options,
      byte[] key,
      ByteBufferGetStatus found)
      throws RocksDBException {
    return switch (found.status.getCode()) {
      case NotFound -> null;
      case Ok -> {
        if (found.requiredSize > VALUE_BYTES) {
          yield database.rocks().get(database.handle(family), options, key);
        }
        byte[] value = new byte[found.requiredSize];
        found.value.get(value);
        yield value;
      }
      default -> throw new RocksDBException(found.status);
    };
  }
}
