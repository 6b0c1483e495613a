package dev.veridex.access;

import dev.veridex.access.check.AccessIndexView;
import dev.veridex.access.check.Check;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.Verdict;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.EndQueue;
import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.AccessIndexWriter;
import dev.veridex.access.ledger.AccessKeys;
import dev.veridex.access.ledger.LedgerEntry;
import dev.veridex.access.ledger.MessageStatus;
import dev.veridex.access.ledger.StoredRecords;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Message;
import dev.veridex.access.statement.MessageParser;
import dev.veridex.common.MutableClock;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
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
public final class TestIndex {
  static final Scope SCOPE = new Scope.Tenant("acme");

  private final AccessIndexLocator indexes =
      new AccessIndexLocator(Incarnations.FIRST, AccessSettings.PAST_RETENTION);
  final Store store;

  public TestIndex() {
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

  public MessageStatus apply(JsonNode message) {
    return apply(MessageParser.read(message));
  }

  MessageStatus apply(Message message) {
    return store
        .transact(
            transaction -> {
              AccessIndexWriter writer = indexes.write(transaction, SCOPE);
              MessageStatus status = writer.apply(message);
              writer.finish();
              return status;
            })
        .result();
  }

  /// Applies messages in one transaction.
  public List<String> applyAll(List<JsonNode> messages) {
    return store
        .transact(
            transaction -> {
              AccessIndexWriter writer = indexes.write(transaction, SCOPE);
              List<Message> all = messages.stream().map(MessageParser::read).toList();
              writer.prepare(all);
              List<String> statuses =
                  all.stream().map(message -> writer.apply(message).text()).toList();
              writer.finish();
              return statuses;
            })
        .result();
  }

  /// Applies messages in one transaction, and what they changed to a compiled index.
  CompiledIndex applyTo(CompiledIndex compiled, List<JsonNode> messages) {
    return AccessIndexLoader.changed(
        compiled,
        store
            .transact(
                transaction -> {
                  AccessIndexWriter writer = indexes.write(transaction, SCOPE);
                  messages.forEach(message -> writer.apply(MessageParser.read(message)));
                  writer.finish();
                  return writer.since(indexes.version(transaction, SCOPE), transaction.now());
                })
            .result());
  }

  /// The statements in memory.
  public CompiledIndex loaded() {
    return records(
        records ->
            new AccessIndexLoader(Instant.EPOCH, new EndQueue(), _ -> {}, _ -> true)
                .of(records)
                .orElseThrow()
                .index());
  }

  Optional<LedgerEntry> entry(String individual) {
    return read(reader -> reader.entry(individual));
  }

  List<SubjectRecord> recordsOf(IndexKey key) {
    return read(reader -> reader.records(key));
  }

  public <T> T records(Function<StoredRecords, T> work) {
    try (Snapshot snapshot = store.snapshot()) {
      return work.apply(indexes.records(snapshot, SCOPE).orElseThrow());
    }
  }

  public Verdict check(CheckRequest question) {
    return read(index -> Check.of(new AccessIndexView(index, Instant.EPOCH), question));
  }

  public <T> T read(Function<AccessIndexReader, T> work) {
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
              RecordKind.ACCESS_RECORD,
              new byte[0],
              (key, _) -> {
                keys.add(AccessKeys.ofRecord(key).key());
                return true;
              });
      Map<String, String> texts = new TreeMap<>();
      AccessIndexReader index = indexes.read(snapshot, SCOPE);
      keys.forEach(key -> texts.put(key.text(), format.encode(index.records(key))));
      return texts;
    }
  }
}
