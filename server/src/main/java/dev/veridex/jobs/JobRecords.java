package dev.veridex.jobs;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The stored records of jobs: each by its id, by its scope, and among the open ones until it is
/// over.
final class JobRecords {
  /// How long a job that is over can be looked at.
  private static final Duration KEPT = Duration.ofDays(7);

  private JobRecords() {}

  private static byte[] key(String id) {
    return new KeyWriter().octet(RecordKind.JOB.code()).string(id).toKey();
  }

  /// The beginning of the keys of the jobs of one incarnation of a scope.
  static byte[] scopePrefix(Scope scope, long incarnation) {
    return new KeyWriter().scope(RecordKind.JOB_BY_SCOPE.code(), scope, incarnation).toKey();
  }

  private static byte[] scopeKey(Job job) {
    return KeyWriter.after(scopePrefix(job.scope(), job.origin().incarnation()))
        .descending(out -> out.instant(job.origin().createdAt()))
        .string(job.id())
        .toKey();
  }

  private static KeyWriter open() {
    return new KeyWriter().octet(RecordKind.JOB_OPEN.code());
  }

  /// The key of a job among the open ones.
  static byte[] openKey(Job job) {
    return open().string(job.scope().text()).string(job.id()).toKey();
  }

  /// The job of an id.
  static Optional<Job> find(Reader reader, String id) {
    return reader.get(key(id)).map(bytes -> decode(id, bytes));
  }

  /// Writes a job, new or changed.
  static void write(Transaction transaction, Job job) {
    byte[] value = encode(job);
    byte[] id = new KeyWriter().string(job.id()).toKey();
    if (job.state().isOver()) {
      Instant end = transaction.now().plus(KEPT).truncatedTo(ChronoUnit.MICROS);
      transaction.put(key(job.id()), value, end);
      transaction.put(scopeKey(job), id, end);
      transaction.delete(openKey(job));
    } else {
      transaction.put(openKey(job), job.kind().getBytes(StandardCharsets.UTF_8));
      transaction.put(key(job.id()), value);
      transaction.put(scopeKey(job), id);
    }
  }

  /// The first open job of some kinds after a key that satisfies a condition.
  static Optional<Job> nextOpen(
      Reader reader, byte[] after, Set<String> kinds, Predicate<Job> condition) {
    KeyRange all = KeyRange.prefix(open().toKey());
    KeyRange range = after.length == 0 ? all : new KeyRange(KeyRange.successor(after), all.to());
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      while (cursor.next()) {
        if (kinds.contains(new String(cursor.value(), StandardCharsets.UTF_8))) {
          Optional<Job> job = find(reader, idOfOpen(cursor.key())).filter(condition);
          if (job.isPresent()) {
            return job;
          }
        }
      }
    }
    return Optional.empty();
  }

  private static String idOfOpen(byte[] key) {
    KeyReader in = new KeyReader(key, 1);
    String _ = in.string();
    return in.string();
  }

  /// The ids of the open jobs of a scope, of all of its incarnations.
  ///
  /// @param scope absent: of all scopes
  /// @param kind the only one that counts
  static List<String> open(Reader reader, Optional<Scope> scope, Optional<String> kind, int most) {
    KeyWriter prefix = open();
    scope.ifPresent(each -> prefix.string(each.text()));
    List<String> ids = new ArrayList<>();
    try (Cursor cursor = reader.scan(KeyRange.prefix(prefix.toKey()), Direction.FORWARD)) {
      while (ids.size() < most && cursor.next()) {
        String found = new String(cursor.value(), StandardCharsets.UTF_8);
        if (kind.map(found::equals).orElse(true)) {
          ids.add(idOfOpen(cursor.key()));
        }
      }
    }
    return ids;
  }

  /// Removes some jobs of a scope that is gone, whatever their state.
  ///
  /// @return whether there may be more
  static boolean removeSome(Transaction transaction, Scope scope, long incarnation, int most) {
    int removed = 0;
    byte[] prefix = scopePrefix(scope, incarnation);
    try (Cursor cursor = transaction.scan(KeyRange.prefix(prefix), Direction.FORWARD)) {
      while (cursor.next()) {
        if (removed == most) {
          return true;
        }
        String id = new KeyReader(cursor.value()).string();
        delete(transaction, cursor.key(), scope, id);
        removed++;
      }
    }
    return false;
  }

  /// Removes a job, whatever its state.
  static void delete(Transaction transaction, Job job) {
    delete(transaction, scopeKey(job), job.scope(), job.id());
  }

  private static void delete(Transaction transaction, byte[] scopeKey, Scope scope, String id) {
    transaction.delete(scopeKey);
    transaction.delete(key(id));
    transaction.delete(open().string(scope.text()).string(id).toKey());
  }

  private static byte[] encode(Job job) {
    Job.Origin origin = job.origin();
    ObjectNode object =
        JsonRecord.object()
            .put("kind", origin.kind())
            .put("scope", origin.scope().text())
            .put("incarnation", origin.incarnation())
            .put("startedBy", origin.startedBy())
            .put("createdAt", origin.createdAt().toString())
            .put("essential", origin.essential())
            .put("updatedAt", job.updatedAt().toString())
            .put("state", job.state().text())
            .put("done", job.work().done())
            .put("holder", job.lease().holder())
            .put("fence", job.lease().fence())
            .put("until", job.lease().until().toString());
    object.set("request", origin.request());
    object.set("position", job.work().position());
    object.set("result", job.work().result());
    job.work().total().ifPresent(total -> object.put("total", total));
    job.problem()
        .ifPresent(
            problem -> object.put("code", problem.code().name()).put("detail", problem.detail()));
    return JsonRecord.bytes(object);
  }

  private static Job decode(String id, byte[] bytes) {
    JsonNode object = JsonRecord.read(bytes);
    return new Job(
        id,
        new Job.Origin(
            object.get("kind").asString(),
            Scope.parse(object.get("scope").asString()),
            object.get("incarnation").asLong(),
            object.get("startedBy").asString(),
            time(object, "createdAt"),
            object.get("essential").asBoolean(),
            (ObjectNode) object.get("request")),
        time(object, "updatedAt"),
        state(object.get("state").asString()),
        new Job.Work(
            object.get("done").asLong(),
            Optional.ofNullable(object.get("total")).map(JsonNode::asLong),
            (ObjectNode) object.get("position"),
            (ObjectNode) object.get("result")),
        new Job.Lease(
            object.get("holder").asString(), object.get("fence").asLong(), time(object, "until")),
        JsonRecord.text(object, "code")
            .map(code -> Problem.of(ErrorCode.valueOf(code), object.get("detail").asString())));
  }

  private static Instant time(JsonNode object, String name) {
    return Instant.parse(object.get(name).asString());
  }

  private static Job.State state(String text) {
    return Arrays.stream(Job.State.values())
        .filter(each -> each.text().equals(text))
        .findAny()
        .orElseThrow();
  }
}
