package dev.veridex.topic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Scope;
import dev.veridex.topic.Topics.Message;
import dev.veridex.topic.Topics.Outgoing;
import dev.veridex.topic.Topics.Producer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What every engine of [Topics] must do.
public interface TopicContract {
  BucketLocation PLACE = new BucketLocation(new Scope.Tenant("acme"), 0, "offers", 0);
  IndexGeneration TOPIC = new IndexGeneration(PLACE, 1);

  Topics topics();

  /// The same after a restart of everything.
  Topics reopened();

  private static List<Outgoing> messages(String... texts) {
    return Arrays.stream(texts)
        .map(text -> new Outgoing("k" + text, text.getBytes(UTF_8)))
        .toList();
  }

  private static Producer producer(long session, long sequence) {
    return new Producer("main:0", session, sequence);
  }

  private static List<String> texts(List<Message> messages) {
    return messages.stream().map(message -> new String(message.value(), UTF_8)).toList();
  }

  private static List<String> all(Topics topics, IndexGeneration topic, int partition) {
    return texts(topics.read(topic, partition, 0, Integer.MAX_VALUE, Long.MAX_VALUE));
  }

  @Test
  default void whatIsAppendedIsReadInOrderAlsoAfterARestart() {
    Topics topics = topics();
    topics.append(TOPIC, 0, producer(1, 1), messages("a", "b"));
    topics.append(TOPIC, 0, producer(1, 2), messages("c"));
    topics.append(TOPIC, 0, producer(1, 3), List.of());
    assertThat(all(topics, TOPIC, 0)).containsExactly("a", "b", "c");
    Topics after = reopened();
    List<Message> read = after.read(TOPIC, 0, 0, 100, Long.MAX_VALUE);
    assertThat(texts(read)).containsExactly("a", "b", "c");
    assertThat(read.stream().map(Message::key)).containsExactly("ka", "kb", "kc");
    assertThat(read.stream().map(Message::number)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  default void readersGoOnWhereTheyWere() {
    Topics topics = topics();
    topics.append(TOPIC, 0, producer(1, 1), messages("a", "b", "c", "d"));
    List<Message> first = topics.read(TOPIC, 0, 0, 2, Long.MAX_VALUE);
    assertThat(texts(first)).containsExactly("a", "b");
    assertThat(texts(topics.read(TOPIC, 0, first.getLast().number(), 9, Long.MAX_VALUE)))
        .containsExactly("c", "d");
    assertThat(texts(topics.read(TOPIC, 0, 0, 9, 1)))
        .as("the first one, however large")
        .containsExactly("a");
  }

  @Test
  default void nothingIsMixedUp() {
    Topics topics = topics();
    topics.append(TOPIC, 0, producer(1, 1), messages("a"));
    topics.append(TOPIC, 1, producer(1, 1), messages("b"));
    topics.append(new IndexGeneration(PLACE, 2), 0, producer(1, 1), messages("c"));
    BucketLocation other = new BucketLocation(PLACE.scope(), 0, "offers", 7);
    topics.append(new IndexGeneration(other, 1), 0, producer(1, 1), messages("d"));
    assertThat(all(topics, TOPIC, 0)).containsExactly("a");
    assertThat(all(topics, TOPIC, 1)).containsExactly("b");
    assertThat(all(topics, new IndexGeneration(PLACE, 2), 0)).containsExactly("c");
    assertThat(all(topics, new IndexGeneration(other, 1), 0)).containsExactly("d");
    assertThat(all(topics, TOPIC, 2)).isEmpty();
  }

  @Test
  default void aBatchThatIsSentAgainIsThereOnce() {
    Topics topics = topics();
    topics.append(TOPIC, 0, producer(3, 10), messages("a", "b"));
    topics.append(TOPIC, 0, producer(3, 10), messages("a", "b"));
    topics.append(TOPIC, 0, producer(3, 12), messages("c"));
    topics = reopened();
    topics.append(TOPIC, 0, producer(3, 12), messages("c"));
    topics.append(TOPIC, 0, new Producer("emergency:0", 3, 5), messages("d"));
    assertThat(all(topics, TOPIC, 0))
        .as("others have their own")
        .containsExactly("a", "b", "c", "d");
    topics.append(TOPIC, 0, producer(4, 10), messages("a"));
    assertThat(all(topics, TOPIC, 0)).as("a new session").endsWith("a");
  }

  @Test
  default void groupsAreIndependentAndMoveOnlyFromWhereTheyAre() {
    Topics topics = topics();
    assertThat(topics.position(TOPIC, 0, "search")).isZero();
    assertThat(topics.move(TOPIC, 0, "search", 0, 5)).isTrue();
    assertThat(topics.move(TOPIC, 0, "search", 0, 6)).isFalse();
    assertThat(topics.move(TOPIC, 0, "search", 5, 9)).isTrue();
    assertThat(topics.position(TOPIC, 0, "archive")).isZero();
    assertThat(topics.position(TOPIC, 1, "search")).isZero();
    assertThat(reopened().position(TOPIC, 0, "search")).isEqualTo(9);
  }

  /// Whoever reads while others append sees no gap that is filled later.
  @Test
  default void nothingAppearsBehindAReader() throws InterruptedException {
    Topics topics = topics();
    int writers = 4;
    int each = 25;
    List<Long> seen = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      for (int writer = 0; writer < writers; writer++) {
        Producer own = new Producer("writer" + writer, 1, 0);
        threads.execute(
            () ->
                IntStream.range(1, each + 1)
                    .forEach(
                        i ->
                            topics.append(
                                TOPIC, 0, new Producer(own.id(), 1, i), messages("m" + i))));
      }
      long last = 0;
      while (seen.size() < writers * each) {
        for (Message message : topics.read(TOPIC, 0, last, 10, Long.MAX_VALUE)) {
          last = message.number();
          seen.add(last);
        }
      }
    }
    assertThat(
            topics.read(TOPIC, 0, 0, Integer.MAX_VALUE, Long.MAX_VALUE).stream()
                .map(Message::number))
        .containsExactlyElementsOf(seen);
  }
}
