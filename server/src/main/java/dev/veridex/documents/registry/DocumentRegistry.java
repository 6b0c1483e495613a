package dev.veridex.documents.registry;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.CityHash64;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.VeridexException;
import dev.veridex.protocol.RawDocument;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The newest accepted state of every document of a bucket, deleted ones as tombstones: one row for
/// each key and epoch.
///
/// A row is two records. The body ends with the document; what is known besides it ends later, when
/// nobody needs to remember any more that the document was there.
public final class DocumentRegistry implements Registry {
  private final BucketLocation location;

  public DocumentRegistry(BucketLocation location) {
    this.location = location;
  }

  private byte[] key(RecordKind kind, String pk, long epoch) {
    return location.prefix(kind).unsigned(CityHash64.of(pk)).string(pk).unsigned(epoch).toKey();
  }

  @Override
  public List<DocumentRows> find(Reader reader, List<String> pks, Collection<Long> epochs) {
    List<byte[]> keys = new ArrayList<>(pks.size() * epochs.size());
    for (String pk : pks) {
      for (long epoch : epochs) {
        keys.add(key(RecordKind.DOCUMENT, pk, epoch));
      }
    }
    List<Optional<byte[]>> values = reader.getAll(keys);
    List<DocumentRows> found = new ArrayList<>(pks.size());
    int next = 0;
    for (String pk : pks) {
      NavigableMap<Long, RegistryRow> rows = new TreeMap<>();
      for (long epoch : epochs) {
        values.get(next++).ifPresent(bytes -> rows.put(epoch, RegistryRow.decode(bytes)));
      }
      found.add(new DocumentRows(pk, rows));
    }
    return found;
  }

  @Override
  public List<Optional<Body>> bodies(Reader reader, List<BodyId> wanted) {
    return packed(reader, wanted).stream()
        .map(each -> each.<Body>map(bytes -> () -> unpack(bytes)))
        .toList();
  }

  /// The bodies of rows, packed as they are stored.
  public List<Optional<byte[]>> packed(Reader reader, List<BodyId> wanted) {
    return reader.getAll(
        wanted.stream().map(of -> key(RecordKind.DOCUMENT_BODY, of.pk(), of.epoch())).toList());
  }

  /// A body as a document.
  ///
  /// @throws VeridexException `CORRUPT_STORE`
  public static RawDocument unpack(byte[] body) {
    try {
      return RawDocument.parseFrom(BodyCodec.unpack(body));
    } catch (InvalidProtocolBufferException e) {
      throw corrupt("the body of a document cannot be read");
    }
  }

  public static VeridexException corrupt(String detail) {
    return new VeridexException(Problem.of(ErrorCode.CORRUPT_STORE, detail));
  }

  /// Writes a row.
  ///
  /// @param rememberedUntil when it may be forgotten that it was there; absent: never
  /// @param body packed; absent for a tombstone
  public void put(
      Transaction transaction,
      String pk,
      RegistryRow row,
      Optional<Instant> rememberedUntil,
      Optional<byte[]> body) {
    long epoch = row.tuple().epoch();
    byte[] key = key(RecordKind.DOCUMENT, pk, epoch);
    byte[] bodyKey = key(RecordKind.DOCUMENT_BODY, pk, epoch);
    if (rememberedUntil.isPresent()) {
      transaction.put(key, row.encode(), rememberedUntil.get());
    } else {
      transaction.put(key, row.encode());
    }
    if (body.isEmpty()) {
      transaction.delete(bodyKey);
    } else if (row.expiresAt().isPresent()) {
      transaction.put(bodyKey, body.get(), row.expiresAt().get());
    } else {
      transaction.put(bodyKey, body.get());
    }
  }

  @Override
  public WalkPage walk(Reader reader, byte[] after, int limit) {
    byte[] prefix = location.prefix(RecordKind.DOCUMENT).toKey();
    KeyRange all = KeyRange.prefix(prefix);
    KeyRange range =
        after.length == 0 ? all : new KeyRange(KeyRange.prefix(after).to().orElseThrow(), all.to());
    List<DocumentRows> found = new ArrayList<>();
    byte[] last = after;
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      while (cursor.next()) {
        KeyReader key = new KeyReader(cursor.key(), prefix.length);
        long hash = key.unsigned();
        String pk = key.string();
        long epoch = key.unsigned();
        boolean more = !found.isEmpty() && found.getLast().pk().equals(pk);
        if (!more) {
          if (found.size() == limit) {
            return new WalkPage(found, Optional.of(last));
          }
          found.add(new DocumentRows(pk, new TreeMap<>()));
          last = KeyWriter.after(prefix).unsigned(hash).string(pk).toKey();
        }
        found.getLast().rows().put(epoch, RegistryRow.decode(cursor.value()));
      }
    }
    return new WalkPage(found, Optional.empty());
  }

  /// Its documents are ordered by hashes.
  @Override
  public double fraction(Reader reader, byte[] position) {
    byte[] prefix = this.location.prefix(RecordKind.DOCUMENT).toKey();
    return position.length == 0
        ? 0
        : (new KeyReader(position, prefix.length).unsigned() >>> 11) * 0x1p-53;
  }
}
