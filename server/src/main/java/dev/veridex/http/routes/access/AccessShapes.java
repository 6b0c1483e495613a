package dev.veridex.http.routes.access;

import dev.veridex.access.AccessIndex;
import dev.veridex.access.IndexLoadStatus;
import dev.veridex.access.ledger.AclRecord;
import dev.veridex.access.ledger.LedgerEntry;
import dev.veridex.access.ledger.LedgerIndividual;
import dev.veridex.access.ledger.MessageStatus;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.BitOperations;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Individual;
import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.Problem;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.json.JsonText;
import dev.veridex.records.JsonRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Individuals and records of the index.
final class AccessShapes {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final Type<Long> NUMBER = Type.whole(0, Long.MAX_VALUE);

  /// The letters of counters, in the order of the bits.
  private static final List<String> COUNTERS = List.of("c", "r", "u", "d", "!", "~", "-", "*");

  // What became of inputs.

  private static final Member<Optional<String>> RESULT_ID =
      Member.required("id", Type.nullable(Type.TEXT), "of the individual; null if it has none");
  private static final Member<MessageStatus> STATUS =
      Member.required(
          "status",
          Type.choice(List.of(MessageStatus.values()), MessageStatus::text),
          "what became of it");
  private static final Member<String> REASON =
      Member.optional("reason", Type.TEXT, "why it was rejected");
  private static final Member<String> POINTER =
      Member.optional("pointer", Type.TEXT, "where in the input the reason is");
  static final Shape<AccessIndex.Result> RESULT =
      Shape.out(
          "IndividualResult",
          List.of(RESULT_ID, STATUS, REASON, POINTER),
          (result, out) ->
              out.put(RESULT_ID, result.id())
                  .put(STATUS, result.status())
                  .put(REASON, result.problem().map(AccessShapes::reason))
                  .put(POINTER, result.problem().flatMap(Problem::pointer)));
  private static final Member<List<AccessIndex.Result>> RESULTS =
      Member.required("results", Type.list(Type.object(RESULT)), "one for each input, in order");

  /// The results of a batch.
  record BatchAnswer(List<AccessIndex.Result> results, String revision) {}

  static final Shape<BatchAnswer> APPLIED =
      Shape.out(
          "IndividualResults",
          List.of(RESULTS, WriteReceipt.REVISION),
          (applied, out) ->
              out.put(RESULTS, applied.results).put(WriteReceipt.REVISION, applied.revision));

  private static String reason(Problem problem) {
    Map<String, String> facts = new TreeMap<>(problem.values());
    // The words of a library.
    facts.remove("found");
    return facts.isEmpty() ? problem.detail() : problem.detail() + " " + facts;
  }

  /// One result as a line of its own.
  static byte[] line(AccessIndex.Result result) {
    return JsonText.write(Type.object(RESULT).writing().apply(result));
  }

  // An individual.

  private static final Member<String> INDIVIDUAL_ID =
      Member.required("id", Type.TEXT, "of the individual");
  private static final Member<Op> INDIVIDUAL_OP =
      Member.required("op", AccessTypes.OP, "the place of its newest state in the order");
  private static final Member<Boolean> DELETED =
      Member.required("deleted", Type.BOOLEAN, "whether it is deleted or gone");
  private static final Member<Boolean> INDEXED =
      Member.required("indexed", Type.BOOLEAN, "whether its type is one that the index knows");
  private static final Member<JsonNode> STATE =
      Member.optional("state", Type.FOREIGN, "its newest state, if it is indexed");
  private static final Member<Op> DELETION =
      Member.optional("deletion", AccessTypes.OP, "the last time that it was deleted");
  private static final Shape<NamedBits> NAMED = named();
  private static final Member<List<NamedBits>> COMMANDS =
      Member.required("commands", Type.list(Type.object(NAMED)), "what it named as a live command");
  private static final Member<List<NamedBits>> STRIKES =
      Member.required("strikes", Type.list(Type.object(NAMED)), "what it struck");
  private static final Member<Boolean> COMPLETE =
      Member.required("complete", Type.BOOLEAN, "false: it has more commands or strikes");

  /// The most records whose commands or strikes are shown.
  static final int MAX_NAMED = 1000;

  /// An individual at a revision.
  record IndividualAnswer(String id, LedgerIndividual known, String revision) {}

  /// Bits that an individual named as a command in one operation.
  private record NamedBits(RecordId id, Op op, int bits) {}

  static final Shape<IndividualAnswer> INDIVIDUAL =
      Shape.out(
          "Individual",
          List.of(
              INDIVIDUAL_ID,
              INDIVIDUAL_OP,
              DELETED,
              INDEXED,
              STATE,
              DELETION,
              COMMANDS,
              STRIKES,
              COMPLETE,
              WriteReceipt.REVISION),
          AccessShapes::write);

  private static void write(IndividualAnswer shown, AnswerObject out) {
    LedgerEntry entry = shown.known.entry();
    Optional<Individual> state = entry.individual();
    LedgerIndividual known = shown.known;
    out.put(INDIVIDUAL_ID, shown.id)
        .put(INDIVIDUAL_OP, entry.op())
        .put(
            DELETED,
            state
                .map(Individual::deleted)
                .orElse(entry.state() instanceof LedgerEntry.State.Absent))
        .put(INDEXED, state.isPresent())
        .put(STATE, state.map(individual -> JsonRecord.read(individual.content())))
        .put(DELETION, entry.deletion())
        .put(COMMANDS, named(known.commands()))
        .put(STRIKES, named(known.strikes()))
        .put(COMPLETE, Math.max(known.commands().size(), known.strikes().size()) < MAX_NAMED)
        .put(WriteReceipt.REVISION, shown.revision);
  }

  private static List<NamedBits> named(Map<RecordId, BitOperations> byRecord) {
    List<NamedBits> named = new ArrayList<>();
    byRecord.forEach(
        (id, ops) -> {
          for (int bit = 0; bit < 8; bit++) {
            int bits = 1 << bit;
            ops.at(bit).ifPresent(op -> named.add(new NamedBits(id, op, bits)));
          }
        });
    return named;
  }

  private static Shape<NamedBits> named() {
    List<Member<?>> members = new ArrayList<>(AccessTypes.ID);
    Member<Op> op = Member.required("op", AccessTypes.OP, "when");
    members.add(op);
    members.addAll(AccessTypes.BITS);
    return Shape.out(
        "Command",
        members,
        (named, out) -> {
          AccessTypes.write(named.id, out);
          out.put(op, named.op);
          AccessTypes.writeBits(named.bits, out);
        });
  }

  // The value of a key.

  private static final Member<String> KEY = Member.required("key", Type.TEXT, "as text");
  private static final Member<Optional<String>> FILTER =
      Member.required("filter", Type.nullable(Type.TEXT), "null: the records count always");
  private static final Member<String> OBJECT =
      Member.required("object", Type.TEXT, "what the records are about");

  private static final Member<String> SUBJECT_ID =
      Member.required("id", Type.TEXT, "of the subject");
  private static final Member<Long> ACCESS =
      Member.required("access", Type.whole(0, 255), "the bits that somebody contributes");
  private static final Member<String> MARKER =
      Member.required("marker", Type.TEXT, "X exclusive, N ignores exclusive ones, 0 neither");
  private static final Member<Boolean> IS_DELETED =
      Member.required("isDeleted", Type.BOOLEAN, "nobody contributes; it is only still named");
  private static final Member<Long> LEVEL = Member.required("level", NUMBER, "always 0");
  private static final Member<JsonNode> COUNTS =
      Member.required(
          "counters", Type.FOREIGN, "who contributes how often: c r u d, denied ! ~ - *");
  private static final Shape<SubjectRecord> RECORD =
      Shape.out(
          "AclRecord",
          List.of(SUBJECT_ID, ACCESS, MARKER, IS_DELETED, LEVEL, COUNTS),
          (found, out) ->
              out.put(SUBJECT_ID, found.subject())
                  .put(ACCESS, (long) found.record().access())
                  .put(MARKER, found.record().marker().text())
                  .put(IS_DELETED, found.record().isDeleted())
                  .put(LEVEL, 0L)
                  .put(COUNTS, counters(found.record())));
  private static final Member<List<SubjectRecord>> RECORDS =
      Member.required("records", Type.list(Type.object(RECORD)), "by the bytes of their ids");

  static final Shape<AccessIndex.Value> VALUE =
      Shape.out(
          "IndexValue",
          List.of(KEY, FILTER, OBJECT, RECORDS),
          (value, out) -> {
            IndexKey key = value.key();
            out.put(KEY, key.text())
                .put(FILTER, Optional.of(key.filter()).filter(name -> !name.isEmpty()))
                .put(OBJECT, key.object())
                .put(RECORDS, value.records());
          });

  private static JsonNode counters(AclRecord record) {
    ObjectNode counters = NODES.objectNode();
    for (int bit = 0; bit < COUNTERS.size(); bit++) {
      if (record.counter(bit) > 0) {
        counters.put(COUNTERS.get(bit), record.counter(bit));
      }
    }
    return counters;
  }

  // Logins and the flow.

  /// The account of a login.
  record Login(String login, String account, String revision) {}

  private static final Member<String> LOGIN = Member.required("login", Type.TEXT, "as asked for");
  private static final Member<String> ACCOUNT_ID =
      Member.required("account", Type.TEXT, "the individual that has it");
  static final Shape<Login> LOGIN_SHAPE =
      Shape.out(
          "Login",
          List.of(LOGIN, ACCOUNT_ID, WriteReceipt.REVISION),
          (login, out) ->
              out.put(LOGIN, login.login)
                  .put(ACCOUNT_ID, login.account)
                  .put(WriteReceipt.REVISION, login.revision));

  /// The progress of the flow.
  record Position(Optional<Long> opId, long n, IndexLoadStatus memory, String revision) {}

  private static final Member<IndexLoadStatus.State> HOW =
      Member.required(
          "state",
          Type.choice(List.of(IndexLoadStatus.State.values()), IndexLoadStatus.State::text),
          "too-large: access.memory has no room for it, so that checks read the store");
  private static final Member<Long> READ =
      Member.required("records", NUMBER, "how many records of it are, so far");
  private static final Member<Long> BYTES =
      Member.required("bytes", NUMBER, "about how much room they take");
  private static final Shape<IndexLoadStatus> MEMORY =
      Shape.out(
          "IndexInMemory",
          List.of(HOW, READ, BYTES),
          (status, out) ->
              out.put(HOW, status.state()).put(READ, status.records()).put(BYTES, status.bytes()));
  private static final Member<IndexLoadStatus> IN_MEMORY =
      Member.required("memory", Type.object(MEMORY), "whether the index is in memory");

  private static final Member<Optional<Long>> LAST =
      Member.required(
          "opId", Type.nullable(NUMBER), "the largest number that was handled; null: none yet");
  private static final Member<Long> FOLLOWED =
      Member.required("n", NUMBER, "how many inputs without a number followed it");
  static final Shape<Position> POSITION =
      Shape.out(
          "FlowPosition",
          List.of(LAST, FOLLOWED, IN_MEMORY, WriteReceipt.REVISION),
          (position, out) ->
              out.put(LAST, position.opId)
                  .put(FOLLOWED, position.n)
                  .put(IN_MEMORY, position.memory)
                  .put(WriteReceipt.REVISION, position.revision));

  /// An individual, for the API's description.
  static JsonNode individualExample() {
    return NODES
        .objectNode()
        .put("@id", "d:permission_1")
        .put("rdf:type", "v-s:PermissionStatement")
        .put("v-s:permissionObject", "d:document_123")
        .put("v-s:permissionSubject", "d:user_alice")
        .put("v-s:canRead", true);
  }

  private AccessShapes() {}
}
