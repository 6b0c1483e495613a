package dev.veridex.grants;

import dev.veridex.common.CursorSeal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
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

  /// How many of them are read at once: each may have a megabyte of metadata.
  private static final int READ_AT_ONCE = 16;

  /// A page ends with the grant that makes it larger.
  private static final long PAGE_BYTES = 4L << 20;

  /// How many grants a page may pass over because they are not among those that are meant.
  private static final int MAX_PASSED_OVER = 10_000;

  /// The most grants that are looked at to be counted.
  private static final long MAX_COUNTED = 10_000_000;

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

  /// The live grants of exactly each of these keys, in their order, without their metadata.
  public Answered<List<Optional<Grant>>> find(Token caller, Scope scope, List<GrantKey> keys) {
    for (GrantKey key : keys) {
      rules.requireMaySee(caller, scope, Optional.of(key.first()));
    }
    try (Snapshot snapshot = store.snapshot()) {
      List<byte[]> stored = records.keys(snapshot, scope, keys);
      List<Optional<Grant>> grants = new ArrayList<>();
      for (int from = 0; from < keys.size(); from += READ_AT_ONCE) {
        int to = Math.min(keys.size(), from + READ_AT_ONCE);
        List<Optional<byte[]>> found = snapshot.getAll(stored.subList(from, to));
        for (int i = from; i < to; i++) {
          GrantKey key = keys.get(i);
          grants.add(found.get(i - from).map(bytes -> GrantRecords.decodeBare(scope, key, bytes)));
        }
      }
      return new Answered<>(grants, snapshot.revision());
    }
  }

  /// A grant, also when it has expired, until it is forgotten.
  ///
  /// @throws VeridexException `NOT_FOUND`
  public Seen get(Token caller, Scope scope, GrantKey key) {
    rules.requireMaySee(caller, scope, Optional.of(key.first()));
    try (Snapshot snapshot = store.snapshot()) {
      return records
          .bytesWithExpired(snapshot, scope, key)
          .map(bytes -> GrantRecords.decode(scope, key, bytes))
          .map(grant -> new Seen(grant, grant.isExpired(snapshot.now())))
          .orElseThrow(() -> new VeridexException(GrantWriter.nothing(key.kind())));
    }
  }

  /// A revision that lies after the last write of a grant and before any later one.
  public Revision revisionOf(Grant grant) {
    return grant.revision(store.revision().storeId());
  }

  /// A page of grants, in the order of their scopes and keys.
  public Answered<Page<Seen>> list(
      Token caller, GrantSelection selection, Optional<String> cursor, int limit) {
    rules.requireReachAll(caller, selection.scopes());
    rules.requireMaySee(caller, selection.scopes().scope(), selection.first());
    byte[] list = new KeyWriter().string("grants").bytes(selection.identity()).toKey();
    Optional<byte[]> after = cursor.map(text -> cursors.open(list, text));
    try (Snapshot snapshot = store.snapshot()) {
      List<Seen> page = new ArrayList<>();
      long[] bytes = {0};
      Optional<byte[]> stopped =
          each(
              snapshot,
              selection,
              after,
              found -> {
                Grant grant = found.whole();
                page.add(new Seen(grant, grant.isExpired(snapshot.now())));
                bytes[0] += found.value().length;
                return page.size() < limit && bytes[0] < PAGE_BYTES;
              });
      return new Answered<>(
          stopped
              .map(key -> Page.until(page, cursors.seal(list, key), Page.End.LIMIT))
              .orElseGet(() -> Page.last(page)),
          snapshot.revision());
    }
  }

  /// How many there are.
  public Answered<Long> count(Token caller, GrantSelection selection) {
    rules.requireReachAll(caller, selection.scopes());
    rules.requireMaySee(caller, selection.scopes().scope(), selection.first());
    try (Snapshot snapshot = store.snapshot()) {
      long count =
          count(snapshot, selection, MAX_COUNTED)
              .orElseThrow(
                  () ->
                      new VeridexException(
                          Problem.of(
                                  ErrorCode.TOO_LARGE,
                                  "There are more grants to look at than one count may: ask for"
                                      + " fewer.")
                              .with("max", MAX_COUNTED)));
      return new Answered<>(count, snapshot.revision());
    }
  }

  /// The number of grants; absent if more have to be looked at than some.
  Optional<Long> count(Reader reader, GrantSelection selection, long most) {
    long looked = 0;
    long count = 0;
    for (Scope scope : selection.scopes().with(reader, incarnations, records(selection))) {
      byte[] prefix = records.prefix(reader, records(selection), scope);
      try (Cursor cursor = cursor(reader, selection, range(selection, prefix, Optional.empty()))) {
        while (cursor.next()) {
          if (++looked > most) {
            return Optional.empty();
          }
          count += selection.test(key(selection, cursor.key(), prefix.length)) ? 1 : 0;
        }
      }
    }
    return Optional.of(count);
  }

  /// A grant that was found, as it is stored, and the key of the record that led to it.
  record Found(byte[] key, Scope scope, GrantKey grantKey, byte[] value) {
    Grant whole() {
      return GrantRecords.decode(scope, grantKey, value);
    }

    /// The grant without its metadata.
    Grant bare() {
      return GrantRecords.decodeBare(scope, grantKey, value);
    }
  }

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

  /// Visits grants until somebody has seen enough, or too many were passed over.
  ///
  /// @param after the key of a record to go on after
  /// @return the key to go on after, if there may be more
  Optional<byte[]> each(
      Reader reader, GrantSelection selection, Optional<byte[]> after, Predicate<Found> visit) {
    RecordKind kind = records(selection);
    int passed = 0;
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
          Optional<byte[]> value =
              selection.test(key) ? value(reader, selection, scope, key, cursor) : Optional.empty();
          passed += value.isPresent() ? 0 : 1;
          boolean enough =
              value.isPresent()
                  ? !visit.test(new Found(cursor.key(), scope, key, value.get()))
                  : passed == MAX_PASSED_OVER;
          if (enough) {
            return Optional.of(cursor.key());
          }
        }
      }
    }
    return Optional.empty();
  }

  private Optional<byte[]> value(
      Reader reader, GrantSelection selection, Scope scope, GrantKey key, Cursor cursor) {
    if (!selection.isReverse()) {
      return Optional.of(cursor.value());
    }
    return selection.includeExpired()
        ? records.bytesWithExpired(reader, scope, key)
        : reader.get(records.key(reader, scope, key));
  }

  /// The live grants of exactly this scope whose keys begin with some parts, without their
  /// metadata.
  void eachLive(
      Reader reader, GrantKind kind, Scope scope, List<String> parts, Predicate<Grant> visit) {
    byte[] prefix = records.prefix(reader, kind.records(), scope);
    KeyWriter begin = KeyWriter.after(prefix);
    parts.forEach(begin::string);
    try (Cursor cursor = reader.scan(KeyRange.prefix(begin.toKey()), Direction.FORWARD)) {
      while (cursor.next()) {
        KeyReader in = new KeyReader(cursor.key(), prefix.length);
        GrantKey key = new GrantKey(kind, in.string(), in.string(), in.string());
        if (!visit.test(GrantRecords.decodeBare(scope, key, cursor.value()))) {
          return;
        }
      }
    }
  }
}
