package dev.veridex.queue;

import dev.veridex.common.CityHash64;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The nodes that share the shards of all queues, and which of them each shard is for.
///
/// It only decides who tries to take a shard: that there is one reader at a time is for the leases
/// to say. So nodes may see different nodes for a while.
public final class LiveNodes {
  /// A node that is not heard of for so long is gone.
  static final Duration LIFE = Duration.ofSeconds(15);

  private static final Duration BEAT_EVERY = Duration.ofSeconds(5);

  private final Store store;
  private final String own;
  private final boolean alone;
  private Instant lastBeat = Instant.MIN;
  private List<String> live = List.of();

  /// @param own the id of this one, which no other ever has
  public LiveNodes(Store store, String own) {
    this(store, own, false);
  }

  private LiveNodes(Store store, String own, boolean alone) {
    this.store = store;
    this.own = own;
    this.alone = alone;
  }

  /// The only node of a store that no other process can have open. Whatever says that there is
  /// another one was left by a process that has ended.
  ///
  /// @param own the id of this one, which no other ever has
  public static LiveNodes alone(Store store, String own) {
    return new LiveNodes(store, own, true);
  }

  public boolean isAlone() {
    return alone;
  }

  public String own() {
    return own;
  }

  /// Registers this node and reads the others, both now and then.
  public void beat() {
    try (Snapshot snapshot = store.snapshot()) {
      if (lastBeat.isAfter(snapshot.now().minus(BEAT_EVERY))) {
        return;
      }
    }
    store.transact(
        transaction -> {
          transaction.put(key(own), new byte[0], transaction.now().plus(LIFE));
          return true;
        });
    try (Snapshot snapshot = store.snapshot()) {
      live = live(snapshot);
      lastBeat = snapshot.now();
    }
  }

  /// Removes this node.
  public void leave() {
    store.transact(
        transaction -> {
          transaction.delete(key(own));
          return true;
        });
  }

  /// Whether a shard is for this node. Of the shards of a queue each node has as many as any other,
  /// or one more.
  public boolean isOwn(Queue queue, int shard) {
    if (alone) {
      return true;
    }
    if (live.isEmpty()) {
      return false;
    }
    // Not every queue begins with the same node.
    String name = queue.location().scope().text() + "/" + queue.location().bucket() + queue.name();
    int first = (int) Long.remainderUnsigned(CityHash64.of(name), live.size());
    return live.get((first + shard) % live.size()).equals(own);
  }

  private static List<String> live(Reader reader) {
    byte[] prefix = new KeyWriter().octet(RecordKind.NODE.code()).toKey();
    List<String> ids = new ArrayList<>();
    try (Cursor cursor = reader.scan(KeyRange.prefix(prefix), Direction.FORWARD)) {
      while (cursor.next()) {
        ids.add(new KeyReader(cursor.key(), prefix.length).string());
      }
    }
    return ids;
  }

  private static byte[] key(String id) {
    return new KeyWriter().octet(RecordKind.NODE.code()).string(id).toKey();
  }
}
