package dev.veridex.benchmarks;

import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Loop;
import dev.veridex.documents.publish.DocumentQueues;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.protocol.RawDocument;
import dev.veridex.queue.Queue;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// Documents on their way from the queue to the topic: how many a second if many wait, how long one
/// takes if nothing else is to do, and what it takes to send all of them anew.
final class DocumentDelivery {
  private static final int QUEUED = Integer.getInteger("documents", 200_000);
  private static final int REBUILT = Integer.getInteger("documents", 1_000_000);
  private static final int SAMPLES = Integer.getInteger("samples", 2_000);
  private static final int WARM_UP = SAMPLES;

  /// Long enough for whoever sends to have nothing left to do.
  private static final Duration PAUSE = Duration.ofMillis(3);

  private static final double GOAL = 4;

  private DocumentDelivery() {}

  static void send() {
    System.out.printf("%nqueue: documents of %d bytes to the topic%n", DocumentData.BYTES);
    // First: after the rest, the disk would not be idle for a while.
    latency();
    System.out.println();
    System.out.println("| what | documents | seconds | documents/s |");
    System.out.println("|---|---:|---:|---:|");
    try (DocumentWorld world = new DocumentWorld()) {
      world.drain(world.waiting());
      timed("received in bulk, 4 threads", QUEUED, () -> world.fill(QUEUED));
      timed("sent to the topic", QUEUED, () -> world.drain(QUEUED));
    }
  }

  private static double timed(String what, int documents, Runnable work) {
    long begin = System.nanoTime();
    work.run();
    double seconds = (System.nanoTime() - begin) / 1e9;
    print(what, documents, seconds);
    return seconds;
  }

  private static void print(String what, int documents, double seconds) {
    System.out.printf(
        "| %s | %,d | %.1f | %,.0f |%n", what, documents, seconds, documents / seconds);
  }

  static void rebuild() {
    System.out.printf("%nrebuild: documents of %d bytes%n%n", DocumentData.BYTES);
    System.out.println("| what | documents | seconds | documents/s |");
    System.out.println("|---|---:|---:|---:|");
    try (DocumentWorld world = new DocumentWorld()) {
      timed("received in bulk, 4 threads", REBUILT, () -> world.fill(REBUILT - 1));
      timed("sent to the topic for the first time", REBUILT, () -> world.drain(REBUILT));
      double queued =
          timed(
              "queued anew",
              REBUILT,
              () -> {
                world
                    .domain
                    .documents()
                    .rebuild()
                    .start(world.caller, DocumentWorld.ACME, DocumentWorld.BUCKET);
                world.domain.jobs().runAll();
              });
      if (waiting(world, DocumentQueues.EMERGENCY) != REBUILT) {
        throw new IllegalStateException("not everything is queued");
      }
      double sent = timed("sent anew", REBUILT, () -> world.drain(REBUILT));
      print("queued and sent anew, one after the other", REBUILT, queued + sent);
    }
  }

  private static long waiting(DocumentWorld world, String queue) {
    return world
        .domain
        .documents()
        .queues()
        .states(world.actor, DocumentWorld.ACME, DocumentWorld.BUCKET)
        .stream()
        .filter(state -> state.name().equals(queue))
        .mapToLong(state -> state.elements())
        .sum();
  }

  /// One document at a time, and one small commit in between, both after a pause: what has rested
  /// is slower than what goes on and on.
  private static void latency() {
    long[] commits = new long[SAMPLES];
    long[] received = new long[SAMPLES];
    long[] published = new long[SAMPLES];
    try (DocumentWorld world = new DocumentWorld()) {
      world.drain(world.waiting());
      Watch watch = new Watch(world);
      try (Loop loop = world.indexing()) {
        for (int i = -WARM_UP; i < SAMPLES; i++) {
          LockSupport.parkNanos(PAUSE.toNanos());
          long begin = System.nanoTime();
          DocumentRaw.commit(world.store);
          long committed = System.nanoTime() - begin;
          LockSupport.parkNanos(PAUSE.toNanos());
          RawDocument document = DocumentData.message(DocumentData.take(1));
          begin = System.nanoTime();
          world.receive(List.of(new DocumentInput.Parsed(document, List.of())));
          long acknowledged = System.nanoTime() - begin;
          watch.await(document.getPk());
          long seen = System.nanoTime() - begin;
          if (i >= 0) {
            commits[i] = committed;
            received[i] = acknowledged;
            published[i] = seen;
          }
        }
        loop.stop();
      }
    }
    System.out.printf("%n| one at a time, %,d times | p50 µs | p99 µs |%n", SAMPLES);
    System.out.println("|---|---:|---:|");
    print("one small commit", commits);
    print("received", received);
    print("received and seen in the topic", published);
    System.out.println();
    System.out.printf(
        "received and seen in the topic, p50 against one small commit: %.2f%n",
        (double) percentile(published, 50) / percentile(commits, 50));
    DocumentContest.goal(
        "received and seen in the topic, p99 against one small commit",
        (double) percentile(published, 99) / percentile(commits, 99),
        false,
        GOAL);
  }

  private static void print(String what, long[] nanos) {
    System.out.printf(
        "| %s | %d | %d |%n", what, percentile(nanos, 50) / 1000, percentile(nanos, 99) / 1000);
  }

  private static long percentile(long[] values, int percent) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) (sorted.length * (long) percent / 100)];
  }

  /// Looks at the topic until something is there.
  private static final class Watch {
    private static final Duration LOOK_AGAIN = Duration.ofNanos(20_000);

    private final DocumentWorld world;
    private final IndexGeneration topic;
    private final long[] seen;

    private Watch(DocumentWorld world) {
      this.world = world;
      this.topic = new IndexGeneration(world.location, 1);
      this.seen = new long[world.shards];
      for (int partition = 0; partition < seen.length; partition++) {
        look(partition, "");
      }
    }

    private void await(String pk) {
      int partition = Queue.shard(pk, world.shards);
      while (!look(partition, pk)) {
        // Not all the time: others need the processor to get there, and whoever finds none free
        // waits for milliseconds.
        LockSupport.parkNanos(LOOK_AGAIN.toNanos());
      }
    }

    private boolean look(int partition, String pk) {
      for (Topics.Message message :
          world.domain.documents().topics().read(topic, partition, seen[partition], 10, 1 << 20)) {
        seen[partition] = message.number();
        if (message.key().equals(pk)) {
          return true;
        }
      }
      return false;
    }
  }
}
