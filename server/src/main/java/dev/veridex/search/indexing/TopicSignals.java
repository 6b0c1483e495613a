package dev.veridex.search.indexing;

import dev.veridex.access.statement.Message;
import dev.veridex.common.IndexGeneration;
import dev.veridex.topic.Topics;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The set of topics with new messages, which wakes the indexers.
public final class TopicSignals {
  private final Set<IndexGeneration> arrived = ConcurrentHashMap.newKeySet();

  /// One at the start: indexes that are there are opened at once.
  private final Semaphore signalled = new Semaphore(1);

  private volatile Consumer<IndexGeneration> listener = _ -> {};

  /// Has somebody told of each publishing, on the thread that published.
  void listen(Consumer<IndexGeneration> published) {
    listener = published;
  }

  void add(IndexGeneration generation) {
    if (arrived.add(generation)) {
      signalled.release();
    }
  }

  /// Waits for something new, but not long.
  void await(long millis) {
    try {
      if (signalled.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
        signalled.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Ends a wait, although nothing came.
  void wake() {
    signalled.release();
  }

  /// What has got something; what comes from now on is told again.
  Set<IndexGeneration> take() {
    Set<IndexGeneration> taken = new HashSet<>(arrived);
    arrived.removeAll(taken);
    return taken;
  }

  /// The same topics, whose messages are announced here.
  public Topics announcing(Topics topics) {
    return new Topics() {
      @Override
      public void append(
          IndexGeneration topic, int partition, Producer producer, List<Outgoing> messages) {
        topics.append(topic, partition, producer, messages);
        listener.accept(topic);
        add(topic);
      }

      @Override
      public List<Message> read(
          IndexGeneration topic, int partition, long after, int limit, long maxBytes) {
        return topics.read(topic, partition, after, limit, maxBytes);
      }

      @Override
      public long last(IndexGeneration topic, int partition) {
        return topics.last(topic, partition);
      }

      @Override
      public long position(IndexGeneration topic, int partition, String group) {
        return topics.position(topic, partition, group);
      }

      @Override
      public boolean move(IndexGeneration topic, int partition, String group, long from, long to) {
        return topics.move(topic, partition, group, from, to);
      }

      @Override
      public void trim(IndexGeneration topic, int partition, Instant before) {
        topics.trim(topic, partition, before);
      }
    };
  }
}
