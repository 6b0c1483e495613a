package dev.veridex.identity;

import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.identity.AuditEntry.Outcome;
import dev.veridex.records.Incarnations;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The audit log: what was done and refused in each scope, in commit order, append-only.
///
/// An entry is written in the transaction of what it tells, so there is never one without the
/// other.
public final class AuditLog {
  /// How many entries one page may pass over because they do not satisfy its filter.
  private static final int MAX_PASSED_OVER = 10_000;

  private final Incarnations incarnations;

  public AuditLog(Incarnations incarnations) {
    this.incarnations = incarnations;
  }

  /// An entry and its position in the order of all commits.
  public record NumberedEntry(long number, AuditEntry entry) {}

  /// Adds an entry to the log of its scope.
  public void append(Transaction transaction, AuditEntry entry) {
    transaction.append(prefix(transaction, entry.scope()), encode(entry));
  }

  /// The entries of exactly this scope, oldest first.
  ///
  /// @param after the number of the last entry that is known; a page's cursor is one
  public Page<NumberedEntry> read(Reader reader, Scope scope, Optional<Long> after, int limit) {
    return read(reader, scope, AuditFilter.ALL, after, limit);
  }

  /// The entries of a scope that satisfy a filter, oldest first. A page may be short, or empty, and
  /// still not be the last.
  ///
  /// @param after the number of the last entry that was looked at; a page's cursor is one
  public Page<NumberedEntry> read(
      Reader reader, Scope scope, AuditFilter filter, Optional<Long> after, int limit) {
    byte[] prefix = prefix(reader, scope);
    byte[] from =
        after
            .filter(number -> number < Long.MAX_VALUE)
            .map(number -> AppendedRecord.key(prefix, number + 1))
            .orElse(prefix);
    KeyRange rest = new KeyRange(from, KeyRange.prefix(prefix).to());
    List<NumberedEntry> entries = new ArrayList<>();
    int passed = 0;
    long last = 0;
    try (Cursor log = reader.scan(rest, Direction.FORWARD)) {
      while (log.next()) {
        if (entries.size() == limit || passed == MAX_PASSED_OVER) {
          return Page.until(entries, String.valueOf(last), Page.End.LIMIT);
        }
        last = AppendedRecord.numberOf(log.key());
        AuditEntry entry = decode(scope, log.value());
        if (filter.isBehind(entry)) {
          break;
        }
        if (filter.test(entry)) {
          entries.add(new NumberedEntry(last, entry));
        } else {
          passed++;
        }
      }
    }
    return Page.last(entries);
  }

  private byte[] prefix(Reader reader, Scope scope) {
    return new KeyWriter()
        .scope(RecordKind.AUDIT.code(), scope, incarnations.of(reader, scope))
        .toKey();
  }

  private static byte[] encode(AuditEntry entry) {
    ObjectNode object = JsonRecord.object();
    object.put("time", entry.time().toString());
    object.put("actor", entry.actor());
    JsonRecord.put(object, "subject", entry.subject());
    object.put("operation", entry.operation());
    JsonRecord.put(object, "key", entry.key());
    JsonRecord.putTime(object, "oldExpiry", entry.oldExpiry());
    JsonRecord.putTime(object, "newExpiry", entry.newExpiry());
    JsonRecord.put(object, "reason", entry.reason());
    object.put("outcome", entry.outcome().text());
    return JsonRecord.bytes(object);
  }

  private static AuditEntry decode(Scope scope, byte[] bytes) {
    JsonNode object = JsonRecord.read(bytes);
    boolean done = object.get("outcome").asString().equals(Outcome.DONE.text());
    return new AuditEntry(
        Instant.parse(object.get("time").asString()),
        object.get("actor").asString(),
        JsonRecord.text(object, "subject"),
        object.get("operation").asString(),
        scope,
        JsonRecord.texts(object, "key"),
        JsonRecord.time(object, "oldExpiry"),
        JsonRecord.time(object, "newExpiry"),
        JsonRecord.text(object, "reason"),
        done ? Outcome.DONE : Outcome.REFUSED);
  }
}
