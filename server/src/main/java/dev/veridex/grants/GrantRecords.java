package dev.veridex.grants;

import dev.veridex.common.Expiry;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Entry;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The stored records of grants, their keys, and the index that has them by their targets.
final class GrantRecords {
  private static final int FORMAT = 1;

  private final Incarnations incarnations;

  GrantRecords(Incarnations incarnations) {
    this.incarnations = incarnations;
  }

  /// The beginning of all keys of a kind of records in a scope.
  byte[] prefix(Reader reader, RecordKind kind, Scope scope) {
    return new KeyWriter().scope(kind.code(), scope, incarnations.of(reader, scope)).toKey();
  }

  byte[] key(Reader reader, Scope scope, GrantKey key) {
    return tail(prefix(reader, key.kind().records(), scope), key);
  }

  /// The keys of grants of one scope, which is looked up once.
  List<byte[]> keys(Reader reader, Scope scope, List<GrantKey> keys) {
    long incarnation = incarnations.of(reader, scope);
    return keys.stream()
        .map(
            key ->
                tail(
                    new KeyWriter().scope(key.kind().records().code(), scope, incarnation).toKey(),
                    key))
        .toList();
  }

  private static byte[] tail(byte[] prefix, GrantKey key) {
    return KeyWriter.after(prefix)
        .string(key.first())
        .string(key.second())
        .string(key.third())
        .toKey();
  }

  private byte[] reverseKey(Reader reader, Scope scope, GrantKey key) {
    return KeyWriter.after(prefix(reader, key.kind().reverse(), scope))
        .string(key.target())
        .string(key.first())
        .string(key.kind() == GrantKind.APPROVAL ? key.third() : key.second())
        .toKey();
  }

  /// The key of the grant that a record of the reverse index stands for.
  static GrantKey ofReverse(GrantKind kind, KeyReader in) {
    String target = in.string();
    String first = in.string();
    String name = in.string();
    return kind == GrantKind.APPROVAL
        ? new GrantKey(kind, first, target, name)
        : new GrantKey(kind, first, name, target);
  }

  /// The grant of a key, if it is alive.
  Optional<Grant> find(Reader reader, Scope scope, GrantKey key) {
    return reader.get(key(reader, scope, key)).map(bytes -> decode(scope, key, bytes));
  }

  /// The stored bytes of the grant of a key, also when it has expired, until it is forgotten.
  Optional<byte[]> bytesWithExpired(Reader reader, Scope scope, GrantKey key) {
    return reader.entry(key(reader, scope, key)).map(Entry::value);
  }

  /// Writes a grant and its record in the reverse index: both end at the same instant.
  void put(Transaction transaction, Grant grant) {
    byte[] key = key(transaction, grant.scope(), grant.key());
    byte[] reverse = reverseKey(transaction, grant.scope(), grant.key());
    byte[] value = encode(grant);
    grant
        .life()
        .expiresAt()
        .ifPresentOrElse(
            end -> {
              transaction.put(key, value, end);
              transaction.put(reverse, new byte[0], end);
            },
            () -> {
              transaction.put(key, value);
              transaction.put(reverse, new byte[0]);
            });
  }

  void delete(Transaction transaction, Scope scope, GrantKey key) {
    transaction.delete(key(transaction, scope, key));
    transaction.delete(reverseKey(transaction, scope, key));
  }

  /// Whether a grant is in the reverse index, with the end that it has itself.
  boolean isIndexed(Reader reader, Grant grant) {
    return reader
        .entry(reverseKey(reader, grant.scope(), grant.key()))
        .filter(entry -> entry.expiresAt().equals(grant.life().expiresAt()))
        .isPresent();
  }

  static byte[] encode(Grant grant) {
    KeyWriter out =
        new KeyWriter()
            .octet(FORMAT)
            .string(grant.origin().by())
            .signed(Expiry.micros(grant.origin().since()))
            .octet(grant.origin().unscoped() ? 1 : 0)
            .signed(grant.life().expiresAt().map(Expiry::micros).orElse(Expiry.NEVER))
            .signed(grant.life().ttl().map(Duration::toSeconds).orElse(0L))
            .unsigned(grant.created())
            .unsigned(grant.sequence())
            .string(grant.type().map(RelationType::text).orElse(""));
    grant.metadata().forEach((name, value) -> out.string(name).string(value));
    return out.toKey();
  }

  static Grant decode(Scope scope, GrantKey key, byte[] bytes) {
    return decode(scope, key, bytes, /* whole= */ true);
  }

  /// A grant without its metadata, which may be large: many are kept in memory at once.
  static Grant decodeBare(Scope scope, GrantKey key, byte[] bytes) {
    return decode(scope, key, bytes, /* whole= */ false);
  }

  private static Grant decode(Scope scope, GrantKey key, byte[] bytes, boolean whole) {
    KeyReader in = new KeyReader(bytes, 1);
    String by = in.string();
    Instant since = Expiry.instant(in.signed());
    boolean unscoped = in.octet() == 1;
    long end = in.signed();
    long ttl = in.signed();
    long created = in.unsigned();
    long sequence = in.unsigned();
    String type = in.string();
    Map<String, String> metadata = new TreeMap<>();
    while (whole && !in.atEnd()) {
      metadata.put(in.string(), in.string());
    }
    return new Grant(
        scope,
        key,
        type.isEmpty() ? Optional.empty() : Optional.of(new RelationType(type)),
        new Grant.Origin(by, since, unscoped),
        new Grant.Life(
            end == Expiry.NEVER ? Optional.empty() : Optional.of(Expiry.instant(end)),
            ttl == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(ttl))),
        metadata,
        created,
        sequence);
  }
}
