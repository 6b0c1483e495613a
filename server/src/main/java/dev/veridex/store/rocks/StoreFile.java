package dev.veridex.store.rocks;

import dev.veridex.common.DurableFiles;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Instants;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;

/// The file `STORE` at the root of a store's folder: what the folder is, and what it must contain.
///
/// The log of the storage engine ends where it ends: cut at a record's border it looks complete. So
/// this file remembers, from time to time, how far the store had come; a folder that holds less has
/// lost something.
///
/// @param state where the folder is in its life
/// @param storeId the store's identity
/// @param sealKey the key of its [RevisionSeal]
/// @param sequence the store had come at least to this commit
/// @param time the store's clock had shown at least this
record StoreFile(State state, long storeId, byte[] sealKey, long sequence, Instant time) {
  static final int FORMAT = 1;
  static final String NAME = "STORE";

  /// The state of a store folder in its life.
  enum State {
    /// The database may not be there yet.
    CREATING,
    /// A store.
    READY,
    /// A copy that becomes a store of its own when it is first opened.
    BACKUP
  }

  static StoreFile fresh(State state, RandomGenerator random, long sequence, Instant time) {
    byte[] key = new byte[RevisionSeal.KEY_BYTES];
    random.nextBytes(key);
    return new StoreFile(state, random.nextLong(), key, sequence, time);
  }

  StoreFile withState(State newState) {
    return new StoreFile(newState, storeId, sealKey, sequence, time);
  }

  /// The same, having come further.
  StoreFile reached(long newSequence, Instant newTime) {
    return new StoreFile(
        state, storeId, sealKey, Math.max(sequence, newSequence), Instants.later(newTime, time));
  }

  /// Reads a folder's file.
  static StoreFile read(Path folder) throws IOException {
    Path file = folder.resolve(NAME);
    Map<String, String> values = new HashMap<>();
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    for (String line : text.split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    String format = values.getOrDefault("format", "");
    if (!format.isEmpty() && !format.equals(String.valueOf(FORMAT))) {
      throw new StoreException(
          Problem.of(
                  ErrorCode.UNKNOWN_FORMAT,
                  "the folder was written by a version of Veridex that this one does not know")
              .with("file", file)
              .with("found", format)
              .with("known", FORMAT));
    }
    try {
      StoreFile read =
          new StoreFile(
              State.valueOf(value(values, "state")),
              Long.parseUnsignedLong(value(values, "storeId"), 16),
              HexFormat.of().parseHex(value(values, "sealKey")),
              Long.parseLong(value(values, "sequence")),
              Instant.parse(value(values, "time")));
      if (read.sealKey.length == RevisionSeal.KEY_BYTES && read.text().equals(text)) {
        return read;
      }
    } catch (IllegalArgumentException | DateTimeException e) {
      throw damaged(file);
    }
    throw damaged(file);
  }

  void write(Path folder) throws IOException {
    DurableFiles.replace(folder.resolve(NAME), text());
  }

  private String text() {
    String body =
        "format=%d\nstate=%s\nstoreId=%016x\nsealKey=%s\nsequence=%d\ntime=%s\n"
            .formatted(FORMAT, state, storeId, HexFormat.of().formatHex(sealKey), sequence, time);
    CRC32C checksum = new CRC32C();
    checksum.update(body.getBytes(StandardCharsets.ISO_8859_1));
    return body + "checksum=%08x\n".formatted(checksum.getValue());
  }

  private static String value(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name);
    }
    return value;
  }

  private static StoreException damaged(Path file) {
    return new StoreException(RocksErrors.damage().with("file", file));
  }
}
