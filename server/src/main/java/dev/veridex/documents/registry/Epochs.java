package dev.veridex.documents.registry;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.RecordKind;
import dev.veridex.index.Schema;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The epochs of a bucket of documents, each with its schema.
///
/// @param open those for which documents are received, the serving one first
public record Epochs(NavigableMap<Long, Epoch> open) {
  /// The epochs of a new bucket.
  private static final Epochs FIRST =
      new Epochs(
          new TreeMap<>(
              Map.of(1L, new Epoch(1, true, 0, Optional.empty(), Schema.EMPTY, Optional.empty()))));

  public Epochs {
    open = Collections.unmodifiableNavigableMap(new TreeMap<>(open));
  }

  /// A version of a bucket's schema.
  ///
  /// @param serving whether searches are answered from its generation
  /// @param schemaVersion counts the changes of its schema
  /// @param openedAt absent for the first one, which is there with the bucket
  /// @param forLater what its schema was when a later epoch was opened: documents of later ones are
  ///   converted to that, so that it does not matter what is settled here in the meantime
  public record Epoch(
      long number,
      boolean serving,
      long schemaVersion,
      Optional<Instant> openedAt,
      Schema schema,
      Optional<Schema> forLater) {

    /// The same with another schema.
    ///
    /// @param version counts its changes
    public Epoch with(Schema other, long version) {
      return new Epoch(number, serving, version, openedAt, other, forLater);
    }

    /// The same when a later one is opened.
    Epoch overtaken() {
      return new Epoch(
          number,
          serving,
          schemaVersion + 1,
          openedAt,
          schema,
          Optional.of(forLater.orElse(schema)));
    }
  }

  /// The one that searches are answered from.
  public Epoch serving() {
    return open.firstEntry().getValue();
  }

  public NavigableSet<Long> numbers() {
    return open.navigableKeySet();
  }

  public Optional<Epoch> find(long number) {
    return Optional.ofNullable(open.get(number));
  }

  /// The same with one more, or another of the same number.
  public Epochs with(Epoch epoch) {
    NavigableMap<Long, Epoch> more = new TreeMap<>(open);
    more.put(epoch.number, epoch);
    return new Epochs(more);
  }

  /// Reads and writes epochs, and keeps those that were read.
  ///
  /// A copy is good as long as the record that lists the epochs and the versions of their schemas
  /// is the same, which takes one small read to know. Only what is committed is kept.
  public static final class Store {
    /// Of all copies together; then they are made anew.
    private static final long MAX_NAMES = 200_000;

    private final Map<BucketLocation, Copy> copies = new ConcurrentHashMap<>();
    private final AtomicLong names = new AtomicLong();

    private record Copy(byte[] listed, Epochs epochs) {}

    public Epochs read(Reader reader, BucketLocation location) {
      Optional<byte[]> listed = reader.get(location.prefix(RecordKind.EPOCHS).toKey());
      if (listed.isEmpty()) {
        return FIRST;
      }
      Copy copy = copies.get(location);
      if (copy != null && Arrays.equals(copy.listed, listed.get())) {
        return copy.epochs;
      }
      Epochs epochs = decode(reader, location, listed.get());
      if (!(reader instanceof Transaction)) {
        long more =
            10 + epochs.open.values().stream().mapToLong(each -> 2L * each.schema.names()).sum();
        if (names.addAndGet(more) > MAX_NAMES) {
          names.set(more);
          copies.clear();
        }
        copies.put(location, new Copy(listed.get(), epochs));
      }
      return epochs;
    }

    private static Epochs decode(Reader reader, BucketLocation location, byte[] listed) {
      NavigableMap<Long, Epoch> open = new TreeMap<>();
      for (JsonNode node : JsonRecord.read(listed).get("epochs")) {
        long number = node.get("number").asLong();
        Schema schema =
            reader.get(schemaKey(location, number)).map(SchemaCodec::decode).orElse(Schema.EMPTY);
        open.put(
            number,
            new Epoch(
                number,
                node.get("serving").asBoolean(),
                node.get("schema").asLong(),
                JsonRecord.time(node, "openedAt"),
                schema,
                reader.get(forLaterKey(location, number)).map(SchemaCodec::decode)));
      }
      return new Epochs(open);
    }

    /// Writes an epoch that is new or has another schema.
    ///
    /// @return all of them then
    public static Epochs write(
        Transaction transaction, BucketLocation location, Epochs before, Epoch changed) {
      Epochs after = before.with(changed);
      transaction.put(schemaKey(location, changed.number), SchemaCodec.encode(changed.schema));
      changed.forLater.ifPresent(
          schema ->
              transaction.put(forLaterKey(location, changed.number), SchemaCodec.encode(schema)));
      ObjectNode object = JsonRecord.object();
      for (Epoch epoch : List.copyOf(after.open.values())) {
        ObjectNode node = object.withArray("epochs").addObject();
        node.put("number", epoch.number);
        node.put("serving", epoch.serving);
        node.put("schema", epoch.schemaVersion);
        JsonRecord.putTime(node, "openedAt", epoch.openedAt);
      }
      transaction.put(location.prefix(RecordKind.EPOCHS).toKey(), JsonRecord.bytes(object));
      return after;
    }

    private static byte[] forLaterKey(BucketLocation location, long epoch) {
      return location.prefix(RecordKind.SCHEMA).unsigned(epoch).octet(1).toKey();
    }

    private static byte[] schemaKey(BucketLocation location, long epoch) {
      return location.prefix(RecordKind.SCHEMA).unsigned(epoch).toKey();
    }
  }
}
