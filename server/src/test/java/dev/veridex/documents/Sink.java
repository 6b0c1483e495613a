package dev.veridex.documents;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.veridex.common.Expiry;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.VersionTuple;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.IndexMessage;
import dev.veridex.protocol.RawDocument;
import dev.veridex.topic.Topics;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// An index in memory: it reads a topic and applies what is not older than what it holds.
final class Sink {
  private final Topics topics;
  private final IndexGeneration topic;
  private final int partitions;
  private final Map<Integer, Long> read = new HashMap<>();
  private final Map<String, IndexMessage> held = new HashMap<>();
  private final Map<String, VersionTuple> last = new HashMap<>();
  private boolean wentBack;

  Sink(Topics topics, IndexGeneration topic, int partitions) {
    this.topics = topics;
    this.topic = topic;
    this.partitions = partitions;
  }

  /// Reads what is there.
  void run() {
    for (int partition = 0; partition < partitions; partition++) {
      List<Topics.Message> some;
      do {
        some = topics.read(topic, partition, read.getOrDefault(partition, 0L), 7, 1000);
        for (Topics.Message message : some) {
          apply(message);
          read.put(partition, message.number());
        }
      } while (!some.isEmpty());
    }
  }

  private void apply(Topics.Message message) {
    IndexMessage state = parse(message);
    VersionTuple tuple = tuple(state);
    VersionTuple before = last.put(state.getPk(), tuple);
    wentBack |= before != null && before.compareTo(tuple) > 0;
    IndexMessage there = held.get(state.getPk());
    if (there == null || tuple(there).compareTo(tuple) <= 0) {
      held.put(state.getPk(), state);
    }
  }

  static IndexMessage parse(Topics.Message message) {
    try {
      return IndexMessage.parseFrom(message.value());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  static VersionTuple tuple(IndexMessage message) {
    return new VersionTuple(message.getEpoch(), message.getVersion(), message.getModifiedMicros());
  }

  /// Whether any document was published after a newer state of it.
  boolean wentBack() {
    return wentBack;
  }

  /// The tuples that it holds, of what is there and of what is not.
  Map<String, VersionTuple> tuples() {
    Map<String, VersionTuple> tuples = new HashMap<>();
    held.forEach((pk, message) -> tuples.put(pk, tuple(message)));
    return tuples;
  }

  /// What is to be found at a time.
  Map<String, RawDocument> documents(Instant now) {
    Map<String, RawDocument> documents = new HashMap<>();
    held.forEach(
        (pk, message) -> {
          boolean ended =
              message.hasExpiresMicros()
                  && !Expiry.instant(message.getExpiresMicros()).isAfter(now);
          if (message.hasDocument() && !ended) {
            documents.put(pk, message.getDocument());
          }
        });
    return documents;
  }

  /// The same: the field `n` of each document.
  Map<String, Long> found(Instant now) {
    Map<String, Long> found = new HashMap<>();
    documents(now)
        .forEach(
            (pk, document) -> {
              for (Field field : document.getFieldsList()) {
                if (field.getName().equals("n")) {
                  found.put(pk, field.getValues(0).getInteger());
                }
              }
            });
    return found;
  }
}
