package dev.veridex.search.indexing;

import dev.veridex.common.IndexGeneration;
import dev.veridex.index.IndexProgress;
import dev.veridex.topic.Topics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Reads the topic of a generation in batches, of all partitions together.
final class TopicBatches {
  private static final int MESSAGES = 500;

  /// The size of a batch, all partitions together.
  private static final long BATCH_BYTES = 16L << 20;

  /// No message is larger.
  private static final long MAX_MESSAGE_BYTES = 6L << 20;

  private final Topics topics;
  private final IndexGeneration generation;
  private int nextPartition;

  TopicBatches(Topics topics, IndexGeneration generation) {
    this.topics = topics;
    this.generation = generation;
  }

  /// Messages read at once, by partition.
  ///
  /// @param isWhole whether they are all that there was
  record Batch(Map<Integer, List<Topics.Message>> messages, boolean isWhole) {
    boolean isEmpty() {
      return messages.isEmpty();
    }

    /// The progress with these messages applied.
    IndexProgress after(IndexProgress before) {
      IndexProgress progress = before;
      for (Map.Entry<Integer, List<Topics.Message>> each : messages.entrySet()) {
        progress = progress.with(each.getKey(), each.getValue().getLast().number(), progress.at());
      }
      return progress;
    }
  }

  /// Reads on in all partitions, as far as there is room; the next time those come first that there
  /// was none for.
  Batch read(int partitions, IndexProgress applied) {
    Map<Integer, List<Topics.Message>> read = new TreeMap<>();
    boolean whole = true;
    long left = BATCH_BYTES;
    int first = nextPartition;
    for (int i = 0; i < partitions; i++) {
      int partition = (first + i) % partitions;
      if (left < MAX_MESSAGE_BYTES) {
        nextPartition = partition;
        return new Batch(read, false);
      }
      List<Topics.Message> messages =
          topics.read(generation, partition, applied.offset(partition), MESSAGES, left);
      left -= messages.stream().mapToLong(message -> message.value().length).sum();
      whole &= messages.size() < MESSAGES && left >= MAX_MESSAGE_BYTES;
      if (!messages.isEmpty()) {
        read.put(partition, messages);
      }
    }
    return new Batch(read, whole);
  }
}
