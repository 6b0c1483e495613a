package dev.veridex.topic;

import dev.veridex.common.IndexGeneration;
import java.time.Instant;
import java.util.List;

/// The same topics, of which a test changes something.
public class DelegatingTopics implements Topics {
  private final Topics topics;

  public DelegatingTopics(Topics topics) {
    this.topics = topics;
  }

  @Override
  public void append(
      IndexGeneration topic, int partition, Producer producer, List<Outgoing> messages) {
    topics.append(topic, partition, producer, messages);
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
}
