package dev.veridex.access;

import dev.veridex.access.compiled.Compiled;
import dev.veridex.accounts.Incarnations;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Scope;
import dev.veridex.common.Space;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/// The index of one scope in a store, without anything around it.
final class TestIndex {
  static final Scope SCOPE = new Scope.Tenant("acme");

  private final Indexes indexes = new Indexes(Incarnations.FIRST, AccessSettings.PAST_RETENTION);
  final Store store;

  TestIndex() {
    this(
        new MemoryStore(
            new MemoryDisk(new Random(1)),
            MutableClock.daysAgo(0),
            Duration.ofHours(1),
            Duration.ofDays(7)));
  }

  TestIndex(Store store) {
    this.store = store;
  }

  Status apply(JsonNode message) {
    return apply(Messages.read(message));
  }

  Status apply(Message message) {
    return store
        .transact(
            transaction -> {
              IndexWriter writer = indexes.write(transaction, SCOPE);
              Status status = writer.apply(message);
              writer.finish();
              return status;
            })
        .result();
  }

  /// Applies messages in one transaction.
  List<String> applyAll(List<JsonNode> messages) {
    return store
        .transact(
            transaction -> {
              IndexWriter writer = indexes.write(transaction, SCOPE);
              List<Message> all = messages.stream().map(Messages::read).toList();
              writer.prepare(all);
              List<String> statuses =
                  all.stream().map(message -> writer.apply(message).text()).toList();
              writer.finish();
              return statuses;
            })
        .result();
  }

  /// Applies messages in one transaction, and what they changed to a compiled index.
  Compiled applyTo(Compiled compiled, List<JsonNode> messages) {
    return store
        .transact(
            transaction -> {
              IndexWriter writer = indexes.write(transaction, SCOPE);
              messages.forEach(message -> writer.apply(Messages.read(message)));
              writer.finish();
              return writer.since(indexes.version(transaction, SCOPE).orElseThrow());
            })
        .result()
        .applyTo(compiled);
  }

  Optional<LedgerEntry> entry(String individual) {
    return read(reader -> reader.entry(individual));
  }

  List<SubjectRecord> recordsOf(IndexKey key) {
    return read(reader -> reader.records(key));
  }

  <T> T records(Function<StoredRecords, T> work) {
    try (Snapshot snapshot = store.snapshot()) {
      return work.apply(indexes.records(snapshot, SCOPE).orElseThrow());
    }
  }

  Verdict check(Question question) {
    return read(index -> Check.of(new View(index, Grants.NONE), question));
  }

  <T> T read(Function<IndexReader, T> work) {
    try (Snapshot snapshot = store.snapshot()) {
      return work.apply(indexes.read(snapshot, SCOPE));
    }
  }

  /// All keys as text, with their values.
  Map<String, String> texts(TextFormat format) {
    try (Snapshot snapshot = store.snapshot()) {
      Set<IndexKey> keys = new LinkedHashSet<>();
      indexes
          .records(snapshot, SCOPE)
          .orElseThrow()
          .scan(
              Space.ACCESS_RECORD,
              new byte[0],
              (key, _) -> {
                keys.add(Keys.ofRecord(key).key());
                return true;
              });
      Map<String, String> texts = new TreeMap<>();
      IndexReader index = indexes.read(snapshot, SCOPE);
      keys.forEach(key -> texts.put(key.text(), format.encode(index.records(key))));
      return texts;
    }
  }
}
