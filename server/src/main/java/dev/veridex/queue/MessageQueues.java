package dev.veridex.queue;

import dev.veridex.acl.Acl.Action;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.QueueSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// Buckets that are queues: messages in, and groups of readers that take turns.
public final class MessageQueues {
  /// The largest body of a message.
  public static final int MAX_BODY_BYTES = 1 << 20;

  /// How long a reader may have a shard without saying anything.
  public static final Duration LONGEST_LEASE = Duration.ofHours(1);

  private static final int MAX_KEY_BYTES = 1024;
  private static final int MAX_GROUPS = 1000;
  private static final int MAX_NAME = 256;
  private static final long PAGE_BYTES = 4L << 20;
  private static final String NAME = "messages";

  private final Store store;
  private final ResourceAccess access;

  public MessageQueues(Store store, ResourceAccess access) {
    this.store = store;
    this.access = access;
  }

  /// The target of a request.
  public record Request(ActingCaller actor, Namespace namespace, String bucket) {}

  /// A message: those with the same key are read in their order.
  public record Message(String key, byte[] body) {}

  /// A message in its position.
  public record NumberedMessage(long idx, Instant enqueuedAt, Message message) {}

  /// The shard and number of a message.
  public record MessagePosition(int shard, long idx) {}

  /// Lets a caller pass who may do something to a queue.
  public void permit(Request request, Action action) {
    try (Snapshot snapshot = store.snapshot()) {
      find(snapshot, request, action);
    }
  }

  private BucketLookup.LocatedBucket find(Reader reader, Request request, Action action) {
    BucketLookup.LocatedBucket found =
        access.find(reader, request.actor, request.namespace, request.bucket);
    access.bucket(reader, found, request.actor, action);
    return found;
  }

  /// The queue of a bucket.
  public static Queue queue(BucketLookup.LocatedBucket found) {
    BucketLocation location = found.data(found.bucket().side());
    return new Queue(location, NAME);
  }

  private static void use(
      Transaction transaction, BucketLookup.LocatedBucket found, ReaderGroup group) {
    boolean fresh = group.lastUsed(transaction).isEmpty();
    if (fresh && ReaderGroup.of(transaction, group.queue()).size() >= MAX_GROUPS) {
      throw new VeridexException(
          Problem.of(ErrorCode.CONFLICT, "a queue has no more groups").with("max", MAX_GROUPS));
    }
    group.use(transaction, shards(found), Optional.of(QueueSettings.of(found.bucket()).groupTtl()));
  }

  private static int shards(BucketLookup.LocatedBucket found) {
    return QueueSettings.of(found.bucket()).shardCount();
  }

  /// Appends messages, all or none.
  public CommitResult<List<MessagePosition>> send(Request request, List<Message> messages) {
    for (int i = 0; i < messages.size(); i++) {
      check(messages.get(i), i);
    }
    CommitResult<List<Pending>> committed =
        store.transact(
            transaction -> {
              BucketLookup.LocatedBucket found = find(transaction, request, Action.WRITE);
              UsageCounters.Delta delta = new UsageCounters.Delta();
              messages.forEach(
                  message -> delta.add(Quota.BYTES, Optional.empty(), encode(message).length));
              VeridexException.throwIf(
                  UsageCounters.count(transaction, found.holder(), found.limits(), delta));
              List<Pending> sent = new ArrayList<>();
              for (Message message : messages) {
                int shard = Queue.shard(message.key, shards(found));
                sent.add(
                    new Pending(shard, queue(found).append(transaction, shard, encode(message))));
              }
              return sent;
            });
    return new CommitResult<>(
        committed.result().stream()
            .map(pending -> new MessagePosition(pending.shard, pending.appended.number()))
            .toList(),
        committed.revision());
  }

  private record Pending(int shard, AppendedRecord appended) {}

  private static void check(Message message, int position) {
    int bytes = message.key.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > MAX_KEY_BYTES || !KeyWriter.isWellFormed(message.key)) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_KEY, "a message's key has 1 to 1024 bytes of UTF-8")
              .at("/messages/" + position + "/key"));
    }
    if (message.body.length > MAX_BODY_BYTES) {
      throw new VeridexException(
          Problem.of(ErrorCode.TOO_LARGE, "a message's body has at most 1 MiB")
              .at("/messages/" + position + "/body"));
    }
  }

  private static byte[] encode(Message message) {
    byte[] key = new KeyWriter().string(message.key).toKey();
    return ByteBuffer.allocate(key.length + message.body.length).put(key).put(message.body).array();
  }

  private static Message decode(byte[] payload) {
    KeyReader in = new KeyReader(payload);
    return new Message(in.string(), in.rest());
  }

  /// Gives a reader a shard for a while.
  ///
  /// @param shard absent: the first one that nobody has
  public CommitResult<ReaderGroup.Lease> lease(
      Request request, String group, Optional<Integer> shard, String holder, Duration duration) {
    return changed(
        store.transact(
            transaction -> {
              BucketLookup.LocatedBucket found = find(transaction, request, Action.READ);
              ReaderGroup readers = group(found, group);
              use(transaction, found, readers);
              if (holder.length() > MAX_NAME) {
                throw new VeridexException(
                    Problem.of(ErrorCode.INVALID_NAME, "a holder has at most 256 characters")
                        .at("/holder"));
              }
              int first = checked(found, shard);
              int last = shard.isPresent() ? first : shards(found) - 1;
              for (int each = first; each <= last; each++) {
                // Only the token proves whose it is, whatever they are called.
                if (!readers.position(transaction, each).isHeld(transaction.now())) {
                  return readers.lease(transaction, each, holder, duration);
                }
              }
              return Optional.<ReaderGroup.Lease>empty();
            }),
        "another reader has it");
  }

  /// Gives a reader more time; none gives the shard back.
  public CommitResult<ReaderGroup.Lease> renew(
      Request request, String group, int shard, long token, Duration duration) {
    return changed(
        store.transact(
            transaction -> {
              BucketLookup.LocatedBucket found = find(transaction, request, Action.READ);
              ReaderGroup readers = group(found, group);
              int checked = checked(found, Optional.of(shard));
              if (duration.isPositive()) {
                use(transaction, found, readers);
                return readers.renew(transaction, checked, token, duration);
              }
              GroupPosition before = readers.position(transaction, checked);
              return readers.release(transaction, checked, token)
                  ? Optional.of(
                      new ReaderGroup.Lease(checked, token, before.offset(), transaction.now()))
                  : Optional.<ReaderGroup.Lease>empty();
            }),
        "another reader has it by now");
  }

  private static CommitResult<ReaderGroup.Lease> changed(
      CommitResult<Optional<ReaderGroup.Lease>> committed, String otherwise) {
    return new CommitResult<>(
        committed
            .result()
            .orElseThrow(
                () ->
                    new VeridexException(
                        Problem.of(ErrorCode.CONFLICT, "the shard is taken: " + otherwise))),
        committed.revision());
  }

  private static ReaderGroup group(BucketLookup.LocatedBucket found, String name) {
    if (name.isEmpty() || name.length() > MAX_NAME) {
      throw new VeridexException(
          Problem.of(ErrorCode.INVALID_NAME, "the name of a group has 1 to 256 characters")
              .with("parameter", "group"));
    }
    return new ReaderGroup(queue(found), name);
  }

  private static int checked(BucketLookup.LocatedBucket found, Optional<Integer> shard) {
    int number = shard.orElse(0);
    if (number < 0 || number >= shards(found)) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "there is no such shard")
              .with("parameter", "shard")
              .with("shards", shards(found)));
    }
    return number;
  }

  /// Messages of a shard, and where the group is that reads them.
  public record MessagePage(long offset, List<NumberedMessage> messages) {}

  /// The messages that a group did not read yet.
  ///
  /// @param after begin after this number instead of where the group is
  public MessagePage read(
      Request request, String group, int shard, Optional<Long> after, int limit) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found = find(snapshot, request, Action.READ);
      int checked = checked(found, Optional.of(shard));
      long offset = group(found, group).position(snapshot, checked).offset();
      return new MessagePage(
          offset,
          queue(found).read(snapshot, checked, after.orElse(offset), limit, PAGE_BYTES).stream()
              .map(
                  element ->
                      new NumberedMessage(
                          element.idx(), element.enqueuedAt(), decode(element.payload())))
              .toList());
    }
  }

  /// Commits the offset of a group. Backwards is possible, too; the reader loses the shard then.
  ///
  /// @param previous where the reader thinks that the group is
  public Revision commit(
      Request request, String group, int shard, long token, long previous, long offset) {
    checkExists(request, shard, previous, offset);
    CommitResult<Optional<GroupPosition>> committed =
        store.transact(
            transaction -> {
              BucketLookup.LocatedBucket found = find(transaction, request, Action.READ);
              ReaderGroup readers = group(found, group);
              int checked = checked(found, Optional.of(shard));
              GroupPosition before = readers.position(transaction, checked);
              boolean own =
                  before.token() == token
                      && !before.holder().isEmpty()
                      && before.offset() == previous;
              if (!own || offset < 0) {
                return Optional.of(before);
              }
              use(transaction, found, readers);
              if (offset < previous) {
                readers.reset(transaction, checked, offset);
                return Optional.<GroupPosition>empty();
              }
              Duration left = Duration.between(transaction.now(), before.until());
              long passed = queue(found).count(transaction, checked, previous, offset);
              boolean done =
                  readers.commit(transaction, checked, token, previous, offset, passed, left);
              return done ? Optional.<GroupPosition>empty() : Optional.of(before);
            });
    committed
        .result()
        .ifPresent(
            there -> {
              throw new VeridexException(
                  Problem.of(ErrorCode.CONFLICT, "the shard was lost, or the group is elsewhere")
                      .with("offset", there.offset()));
            });
    return committed.revision();
  }

  /// Nobody is done with what is not there yet.
  private void checkExists(Request request, int shard, long previous, long offset) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found = find(snapshot, request, Action.READ);
      int checked = checked(found, Optional.of(shard));
      if (offset > previous && offset > queue(found).last(snapshot, checked)) {
        throw new VeridexException(
            Problem.of(ErrorCode.BAD_REQUEST, "there is no message with this number yet")
                .at("/offset"));
      }
    }
  }

  /// A group and how far it is behind.
  public record GroupState(String group, List<ReaderGroup.Lag> shards) {}

  /// The groups of a queue.
  public List<GroupState> groups(Request request) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found = find(snapshot, request, Action.ADMIN);
      return ReaderGroup.of(snapshot, queue(found)).stream()
          .map(
              group ->
                  new GroupState(
                      group.name(),
                      IntStream.range(0, shards(found))
                          .mapToObj(shard -> group.lag(snapshot, shard))
                          .toList()))
          .toList();
    }
  }
}
