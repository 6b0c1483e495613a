package dev.veridex.grants;

import dev.veridex.common.CursorSeal;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Token;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Answers questions about grants: each from one state of the store, at one instant.
public final class GrantReader {
  /// The most questions of a batch.
  public static final int MAX_CHECKS = 1000;

  private final Store store;
  private final Incarnations incarnations;
  private final GrantRecords records;
  private final GrantRules rules;
  private final CursorSeal cursors;

  public GrantReader(Store store, Incarnations incarnations, GrantRules rules) {
    this.store = store;
    this.incarnations = incarnations;
    this.records = new GrantRecords(incarnations);
    this.rules = rules;
    this.cursors = store.seal().cursors();
  }

  /// An answer and the state that it is about.
  public record Answered<T>(T value, Revision revision) {}

  /// A grant as it was read.
  public record Seen(Grant grant, boolean expired) {}

  /// Whether there is a live grant of exactly each of these keys, in their order.
  public Answered<List<Optional<Grant>>> find(Token caller, Scope scope, List<GrantKey> keys) {
    for (GrantKey key : keys) {
      rules.requireMaySee(caller, scope, Optional.of(key.first()));
    }
    try (Snapshot snapshot = store.snapshot()) {
      List<byte[]> stored = records.keys(snapshot, scope, keys);
      List<Optional<byte[]>> found = snapshot.getAll(stored);
      List<Optional<Grant>> grants = new ArrayList<>();
      for (int i = 0; i < keys.size(); i++) {
        GrantKey key = keys.get(i);
        grants.add(found.get(i).map(bytes -> GrantRecords.decode(scope, key, bytes)));
      }
      return new Answered<>(grants, snapshot.revision());
    }
  }

  /// Whether there is a live grant of exactly this key, for whoever is allowed to know.
  public boolean has(Reader reader, Scope scope, GrantKey key) {
    return reader.get(records.key(reader, scope, key)).isPresent();
  }

  /// A grant, also when it has expired, until it is forgotten.
  ///
  /// @throws VeridexException `NOT_FOUND`
  public Seen get(Token caller, Scope scope, GrantKey key) {
    rules.requireMaySee(caller, scope, Optional.of(key.first()));
    try (Snapshot snapshot = store.snapshot()) {
      return records
          .findWithExpired(snapshot, scope, key)
          .map(grant -> new Seen(grant, grant.isExpired(snapshot.now())))
          .orElseThrow(() -> new VeridexException(GrantWriter.nothing(key.kind())));
    }
  }

  /// A revision that lies after the last write of a grant and before any later one.
  public Revision revisionOf(Grant grant) {
    return new Revision(store.revision().storeId(), grant.sequence() + 1);
  }

  /// A page of grants, in the order of their scopes and keys.
  public Answered<Page<Seen>> list(
      Token caller, GrantSelection selection, Optional<String> cursor, int limit) {
    rules.requireMaySee(caller, selection.scopes().scope(), selection.first());
    byte[] list = new KeyWriter().string("grants").bytes(selection.identity()).toKey();
    Optional<byte[]> after = cursor.map(text -> cursors.open(list, text));
    try (Snapshot snapshot = store.snapshot()) {
      List<Seen> page = new ArrayList<>();
      byte[][] last = new byte[1][];
      boolean[] more = {false};
      each(
          snapshot,
          selection,
          after,
          found -> {
            if (page.size() == limit) {
              more[0] = true;
              return false;
            }
            page.add(new Seen(found.grant(), found.grant().isExpired(snapshot.now())));
            last[0] = found.key();
            return true;
          });
      return new Answered<>(
          more[0] ? Page.until(page, cursors.seal(list, last[0]), Page.End.LIMIT) : Page.last(page),
          snapshot.revision());
    }
  }

  /// How many there are.
  public Answered<Long> count(Token caller, GrantSelection selection) {
    rules.requireMaySee(caller, selection.scopes().scope(), selection.first());
    try (Snapshot snapshot = store.snapshot()) {
      return new Answered<>(count(snapshot, selection), snapshot.revision());
    }
  }

  long count(Reader reader, GrantSelection selection) {
    long count = 0;
    for (Scope scope : selection.scopes().with(reader, incarnations, records(selection))) {
      byte[] prefix = records.prefix(reader, records(selection), scope);
      try (Cursor cursor = cursor(reader, selection, range(selection, prefix, Optional.empty()))) {
        while (cursor.next()) {
          count += selection.test(key(selection, cursor.key(), prefix.length)) ? 1 : 0;
        }
      }
    }
    return count;
  }

  /// A grant that was found, and the key of the record that led to it.
  record Found(byte[] key, Grant grant) {}

  private static RecordKind records(GrantSelection selection) {
    return selection.isReverse() ? selection.kind().reverse() : selection.kind().records();
  }

  private static GrantKey key(GrantSelection selection, byte[] key, int prefix) {
    KeyReader in = new KeyReader(key, prefix);
    return selection.isReverse()
        ? GrantRecords.ofReverse(selection.kind(), in)
        : new GrantKey(selection.kind(), in.string(), in.string(), in.string());
  }

  private static Cursor cursor(Reader reader, GrantSelection selection, KeyRange range) {
    return selection.includeExpired()
        ? reader.scanWithExpired(range, Direction.FORWARD)
        : reader.scan(range, Direction.FORWARD);
  }

  private static KeyRange range(GrantSelection selection, byte[] prefix, Optional<byte[]> after) {
    KeyRange all = KeyRange.prefix(selection.beginning(prefix));
    return after
        .map(KeyRange::successor)
        .filter(from -> Arrays.compareUnsigned(from, all.from()) > 0)
        .map(from -> new KeyRange(from, all.to()))
        .orElse(all);
  }

  /// Visits grants until somebody has seen enough.
  ///
  /// @param after the key of a record to go on after
  void each(
      Reader reader, GrantSelection selection, Optional<byte[]> after, Predicate<Found> visit) {
    RecordKind kind = records(selection);
    for (Scope scope : selection.scopes().with(reader, incarnations, kind)) {
      byte[] prefix = records.prefix(reader, kind, scope);
      boolean behind = after.filter(key -> Arrays.compareUnsigned(key, prefix) >= 0).isPresent();
      boolean within = behind && KeyRange.prefix(prefix).contains(after.orElseThrow());
      if (behind && !within) {
        continue;
      }
      KeyRange range = range(selection, prefix, within ? after : Optional.empty());
      try (Cursor cursor = cursor(reader, selection, range)) {
        while (cursor.next()) {
          GrantKey key = key(selection, cursor.key(), prefix.length);
          if (selection.test(key)) {
            Optional<Grant> grant = grant(reader, selection, scope, key, cursor);
            if (grant.isPresent() && !visit.test(new Found(cursor.key(), grant.get()))) {
              return;
            }
          }
        }
      }
    }
  }

  private Optional<Grant> grant(
      Reader reader, GrantSelection selection, Scope scope, GrantKey key, Cursor cursor) {
    if (!selection.isReverse()) {
      return Optional.of(GrantRecords.decode(scope, key, cursor.value()));
    }
    return selection.includeExpired()
        ? records.findWithExpired(reader, scope, key)
        : records.find(reader, scope, key);
  }

  /// The live grants of exactly this scope whose keys begin with some parts.
  void eachLive(
      Reader reader, GrantKind kind, Scope scope, List<String> parts, Predicate<Grant> visit) {
    byte[] prefix = records.prefix(reader, kind.records(), scope);
    KeyWriter begin = KeyWriter.after(prefix);
    parts.forEach(begin::string);
    try (Cursor cursor = reader.scan(KeyRange.prefix(begin.toKey()), Direction.FORWARD)) {
      while (cursor.next()) {
        KeyReader in = new KeyReader(cursor.key(), prefix.length);
        GrantKey key = new GrantKey(kind, in.string(), in.string(), in.string());
        if (!visit.test(GrantRecords.decode(scope, key, cursor.value()))) {
          return;
        }
      }
    }
  }
}
