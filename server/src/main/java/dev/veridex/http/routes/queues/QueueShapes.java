package dev.veridex.http.routes.queues;

import dev.veridex.documents.publish.QueueAdministration;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.RequestObject;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.queue.MessageQueues;
import dev.veridex.queue.ReaderGroup;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// JSON shapes of queues, their elements and messages.
final class QueueShapes {
  private static final Type<Long> NUMBER = Type.whole(0, Long.MAX_VALUE);
  private static final Type<Double> RATE =
      new Type<>(
          JsonNodeFactory.instance.objectNode().put("type", "number"),
          (node, _) -> node.asDouble(),
          rate -> JsonNodeFactory.instance.numberNode(Math.round(rate * 10) / 10.0),
          JsonNodeFactory.instance::stringNode,
          Optional.empty());

  private static final Member<Long> SHARD = Member.required("shard", NUMBER, "which shard");
  private static final Member<Long> IDX = Member.required("idx", NUMBER, "its number in its shard");
  private static final Member<Long> ELEMENTS = Member.required("elements", NUMBER, "how many wait");
  private static final Member<Instant> OLDEST =
      Member.optional("oldest", Type.TIME, "since when the first one waits");
  private static final Member<Long> OFFSET =
      Member.optional("offset", NUMBER, "the last one that is done with");
  private static final Member<Double> RATE_OF =
      Member.optional("rate", RATE, "how many are sent a second, lately, by the node that answers");

  /// A shard and what waits in it.
  private record Shard(
      int shard, long elements, Optional<Instant> oldest, Optional<Long> offset, double rate) {}

  private static final Shape<Shard> SHARD_STATE =
      Shape.out(
          "QueueShard",
          List.of(SHARD, ELEMENTS, OLDEST, OFFSET, RATE_OF),
          (shard, out) ->
              out.put(SHARD, (long) shard.shard)
                  .put(ELEMENTS, shard.elements)
                  .put(OLDEST, shard.oldest)
                  .put(OFFSET, shard.offset)
                  .put(RATE_OF, Optional.of(shard.rate).filter(_ -> shard.offset.isEmpty())));

  private static final Member<String> QUEUE = Member.required("queue", Type.TEXT, "its name");
  private static final Member<String> GROUP_OF =
      Member.optional("group", Type.TEXT, "the group of readers that it waits for");
  private static final Member<List<Shard>> SHARDS =
      Member.required("shards", Type.list(Type.object(SHARD_STATE)), "each of its shards");

  /// A queue and what waits in it.
  record State(String queue, Optional<String> group, List<Shard> shards) {
    static State of(QueueAdministration.State state) {
      return new State(
          state.name(),
          Optional.empty(),
          state.shards().stream()
              .map(
                  each ->
                      new Shard(
                          each.shard(),
                          each.elements(),
                          each.oldest(),
                          Optional.empty(),
                          each.rate()))
              .toList());
    }

    static State of(MessageQueues.GroupState state) {
      return new State(
          "messages",
          Optional.of(state.group()),
          state.shards().stream()
              .map(
                  lag ->
                      new Shard(
                          lag.shard(), lag.elements(), lag.oldest(), Optional.of(lag.offset()), 0))
              .toList());
    }
  }

  static final Shape<State> STATE =
      Shape.out(
          "QueueState",
          List.of(QUEUE, GROUP_OF, ELEMENTS, SHARDS),
          (state, out) ->
              out.put(QUEUE, state.queue)
                  .put(GROUP_OF, state.group)
                  .put(ELEMENTS, state.shards.stream().mapToLong(Shard::elements).sum())
                  .put(SHARDS, state.shards));

  private static final Member<String> PK = Member.required("pk", Type.TEXT, "the document's key");
  private static final Member<Long> EPOCH =
      Member.required("epoch", Type.whole(Long.MIN_VALUE, Long.MAX_VALUE), "its epoch");
  private static final Member<Long> VERSION = Member.required("version", NUMBER, "its version");
  private static final Member<Instant> MODIFIED_AT =
      Member.required("modifiedAt", Type.TIME, "when it was made");
  private static final Member<Instant> ENQUEUED_AT =
      Member.required("enqueuedAt", Type.TIME, "when it was put here");
  private static final Member<Long> ATTEMPTS =
      Member.optional("attempts", NUMBER, "how often it was tried");
  private static final Member<String> LAST_ERROR =
      Member.optional("lastError", Type.TEXT, "why it could not be sent");
  private static final Member<Instant> NEXT_ATTEMPT =
      Member.optional("nextAttemptAt", Type.TIME, "when it is tried again");
  private static final Member<String> SOURCE =
      Member.optional("source", Type.TEXT, "the queue that it came from");

  static final Shape<QueueAdministration.QueuedTask> ELEMENT =
      Shape.out(
          "QueueElement",
          List.of(
              SHARD,
              IDX,
              PK,
              EPOCH,
              VERSION,
              MODIFIED_AT,
              ENQUEUED_AT,
              ATTEMPTS,
              LAST_ERROR,
              NEXT_ATTEMPT,
              SOURCE),
          QueueShapes::write);

  private static void write(QueueAdministration.QueuedTask listed, AnswerObject out) {
    out.put(SHARD, (long) listed.shard())
        .put(IDX, listed.idx())
        .put(PK, listed.element().pk())
        .put(EPOCH, listed.element().tuple().epoch())
        .put(VERSION, listed.element().tuple().version())
        .put(MODIFIED_AT, listed.element().tuple().modifiedAt())
        .put(ENQUEUED_AT, listed.enqueuedAt());
    var trouble = listed.element().trouble();
    if (trouble.attempts() > 0) {
      out.put(ATTEMPTS, (long) trouble.attempts())
          .put(LAST_ERROR, trouble.lastError())
          .put(NEXT_ATTEMPT, trouble.nextAttemptAt())
          .put(SOURCE, trouble.source());
    }
  }

  /// Each of them is looked for in every shard.
  private static final int MAX_WHICH = 100;

  /// The selected elements.
  ///
  /// @param idx their numbers; absent for all
  record ElementSelection(Optional<Set<Long>> idx) {}

  private static final Member<List<Long>> WHICH =
      Member.optional(
          "idx", Type.list(NUMBER), "the numbers of those that are meant; all if absent");
  static final Shape<ElementSelection> WHICH_SHAPE =
      Shape.in("RequeueRequest", List.of(WHICH), QueueShapes::which);

  /// The number of changed elements.
  record Count(long elements, String revision) {}

  static final Shape<Count> COUNT =
      Shape.out(
          "QueueCount",
          List.of(ELEMENTS, WriteReceipt.REVISION),
          (count, out) ->
              out.put(ELEMENTS, count.elements).put(WriteReceipt.REVISION, count.revision));

  private static final Member<String> KEY =
      Member.required("key", Type.TEXT, "those with the same key stay in their order");
  private static final Member<String> BODY = Member.optional("body", Type.TEXT, "a text");
  private static final Member<String> BYTES =
      Member.optional("bytes", Type.TEXT, "instead of a text: bytes, as base64");
  private static final Shape<MessageQueues.Message> MESSAGE =
      Shape.of(
          "Message",
          List.of(KEY, BODY, BYTES),
          given -> {
            Optional<String> text = given.find(BODY);
            Optional<byte[]> bytes = given.find(BYTES).map(QueueShapes::bytes);
            if (text.isPresent() == bytes.isPresent()) {
              throw Type.wrong("a message has either a body or bytes", "/body");
            }
            return new MessageQueues.Message(
                given.get(KEY),
                bytes.orElseGet(() -> text.orElseThrow().getBytes(StandardCharsets.UTF_8)));
          },
          (message, out) -> writeBody(message, out.put(KEY, message.key())));

  private static byte[] bytes(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw Type.wrong("bytes are written as base64", "/bytes");
    }
  }

  /// Bytes that are text are shown as text.
  private static void writeBody(MessageQueues.Message message, AnswerObject out) {
    try {
      out.put(
          BODY,
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(message.body())).toString());
    } catch (CharacterCodingException e) {
      out.put(BYTES, Base64.getEncoder().encodeToString(message.body()));
    }
  }

  /// Messages to be sent.
  record Messages(List<MessageQueues.Message> messages) {}

  private static final Member<List<MessageQueues.Message>> MESSAGES =
      Member.required("messages", Type.list(Type.object(MESSAGE)), "all of them, or none");
  static final Shape<Messages> MESSAGES_SHAPE =
      Shape.in("MessagesRequest", List.of(MESSAGES), given -> new Messages(given.get(MESSAGES)));

  private static final Shape<MessageQueues.MessagePosition> SENT =
      Shape.out(
          "MessagePlace",
          List.of(SHARD, IDX),
          (sent, out) -> out.put(SHARD, (long) sent.shard()).put(IDX, sent.idx()));
  private static final Member<List<MessageQueues.MessagePosition>> RESULTS =
      Member.required("results", Type.list(Type.object(SENT)), "where each one went");

  /// The shards and numbers of the messages.
  record SendAnswer(List<MessageQueues.MessagePosition> results, String revision) {}

  static final Shape<SendAnswer> ALL_SENT =
      Shape.out(
          "MessagesSent",
          List.of(RESULTS, WriteReceipt.REVISION),
          (sent, out) -> out.put(RESULTS, sent.results).put(WriteReceipt.REVISION, sent.revision));

  private static final Shape<MessageQueues.NumberedMessage> LISTED =
      Shape.out(
          "MessageInQueue",
          List.of(IDX, ENQUEUED_AT, KEY, BODY, BYTES),
          (listed, out) -> {
            out.put(IDX, listed.idx())
                .put(ENQUEUED_AT, listed.enqueuedAt())
                .put(KEY, listed.message().key());
            writeBody(listed.message(), out);
          });
  private static final Member<List<MessageQueues.NumberedMessage>> ITEMS =
      Member.required("items", Type.list(Type.object(LISTED)), "the next messages");
  private static final Member<Long> GROUP_OFFSET =
      Member.required("offset", NUMBER, "the last message that the group is done with");
  static final Shape<MessageQueues.MessagePage> READ =
      Shape.out(
          "Messages",
          List.of(GROUP_OFFSET, ITEMS),
          (read, out) -> out.put(GROUP_OFFSET, read.offset()).put(ITEMS, read.messages()));

  private static final Member<String> GROUP = Member.required("group", Type.TEXT, "the group");
  private static final Member<Long> LEASE_SHARD =
      Member.optional("shard", NUMBER, "which shard; absent: one that is free");
  private static final Member<String> HOLDER =
      Member.optional("holder", Type.TEXT, "who reads, so that others can see it");
  private static final Member<Long> SECONDS =
      Member.optional(
          "seconds",
          Type.whole(0, MessageQueues.LONGEST_LEASE.toSeconds()),
          "for how long; 30 if absent; 0 with a token: give it back");
  private static final Member<Long> OWN_TOKEN =
      Member.optional("token", NUMBER, "that of a lease, to renew it or to give it back");

  /// A request for a lease on a shard.
  record LeaseRequest(
      String group,
      Optional<Integer> shard,
      String holder,
      Duration duration,
      Optional<Long> token) {}

  static final Shape<LeaseRequest> LEASE_WANTED =
      Shape.in(
          "LeaseRequest",
          List.of(GROUP, LEASE_SHARD, HOLDER, SECONDS, OWN_TOKEN),
          given ->
              new LeaseRequest(
                  given.get(GROUP),
                  given.find(LEASE_SHARD).map(QueueShapes::shard),
                  given.find(HOLDER).filter(name -> !name.isEmpty()).orElse("a reader"),
                  Duration.ofSeconds(given.find(SECONDS).orElse(30L)),
                  given.find(OWN_TOKEN)));

  private static final Member<Long> TOKEN =
      Member.required("token", NUMBER, "what proves that the shard is yours");
  private static final Member<Instant> UNTIL =
      Member.required("until", Type.TIME, "when it ends, unless it is renewed");

  /// A lease and the revision of its commit.
  record LeaseAnswer(ReaderGroup.Lease lease, String revision) {}

  static final Shape<LeaseAnswer> LEASED =
      Shape.out(
          "Lease",
          List.of(SHARD, TOKEN, GROUP_OFFSET, UNTIL, WriteReceipt.REVISION),
          (leased, out) ->
              out.put(SHARD, (long) leased.lease.shard())
                  .put(TOKEN, leased.lease.token())
                  .put(GROUP_OFFSET, leased.lease.offset())
                  .put(UNTIL, leased.lease.until())
                  .put(WriteReceipt.REVISION, leased.revision));

  private static final Member<Long> PREVIOUS =
      Member.required("previous", NUMBER, "the offset that the group has now");
  private static final Member<Long> NEW_OFFSET =
      Member.required("offset", NUMBER, "the one that it is to have");

  /// The offset of a group.
  record Offset(String group, int shard, long token, long previous, long offset) {}

  static final Shape<Offset> OFFSET_SHAPE =
      Shape.in(
          "OffsetRequest",
          List.of(GROUP, SHARD, TOKEN, PREVIOUS, NEW_OFFSET),
          given ->
              new Offset(
                  given.get(GROUP),
                  shard(given.get(SHARD)),
                  given.get(TOKEN),
                  given.get(PREVIOUS),
                  given.get(NEW_OFFSET)));

  private QueueShapes() {}

  private static ElementSelection which(RequestObject given) {
    Optional<List<Long>> idx = given.find(WHICH);
    if (idx.filter(list -> list.size() > MAX_WHICH).isPresent()) {
      throw Type.wrong("at most %d numbers at a time".formatted(MAX_WHICH), "/idx");
    }
    return new ElementSelection(idx.map(HashSet::new));
  }

  /// A number that is no shard stays none.
  static int shard(long number) {
    return (int) Math.min(number, Integer.MAX_VALUE);
  }

  static JsonNode messagesExample() {
    ObjectNode example = JsonNodeFactory.instance.objectNode();
    example.putArray("messages").addObject().put("key", "order-1").put("body", "paid");
    return example;
  }

  static JsonNode leaseExample() {
    return JsonNodeFactory.instance.objectNode().put("group", "mailers").put("seconds", 30);
  }

  static JsonNode offsetExample() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("group", "mailers")
        .put("shard", 0)
        .put("token", 1)
        .put("previous", 0)
        .put("offset", 65_536);
  }
}
