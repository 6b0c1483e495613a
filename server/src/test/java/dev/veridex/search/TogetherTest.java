package dev.veridex.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.common.Tuple;
import dev.veridex.index.Ask;
import dev.veridex.index.Found;
import dev.veridex.index.Schema;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Answers of several buckets, brought together: what cannot be seen from what is found.
final class TogetherTest {
  private static final int BUCKETS = 20;

  private static final List<Together.Source> SOURCES =
      IntStream.range(0, BUCKETS)
          .mapToObj(i -> new Together.Source("bucket-" + i, Schema.EMPTY))
          .toList();

  private static final Request EVERYTHING =
      new Request(
          Optional.empty(),
          Optional.empty(),
          false,
          List.of(),
          Optional.empty(),
          Optional.empty(),
          List.of(),
          Optional.empty(),
          List.of(),
          100,
          Optional.empty(),
          Optional.empty(),
          false,
          Optional.empty(),
          Duration.ZERO,
          Duration.ofMinutes(1));

  private static Found one(int place, int bytes) {
    RawDocument document =
        RawDocument.newBuilder()
            .addFields(
                Field.newBuilder()
                    .setName("t")
                    .addValues(Value.newBuilder().setText("x".repeat(bytes))))
            .build();
    Found.Hit hit =
        new Found.Hit(
            "pk-" + place,
            new Tuple(1, 1, 1),
            1,
            document,
            List.of(),
            Map.of(),
            new byte[] {(byte) place});
    return new Found(List.of(hit), false, 1, new TreeMap<>(), true, Optional.empty());
  }

  private static Together.Answering answering(IntFunction<Found> found) {
    return new Together.Answering() {
      @Override
      public Supplier<Found> search(int source, Ask ask) {
        return () -> found.apply(source);
      }

      @Override
      public Supplier<Found.Nearest> nearest(int source, Ask ask) {
        throw new AssertionError("nobody asks for the nearest");
      }
    };
  }

  /// However many buckets there are, a page does not grow beyond what is sent at once.
  @Test
  void aPageEndsWhenItIsLarge() {
    Together.Page page =
        Together.ask(
            SOURCES,
            EVERYTHING,
            Instant.EPOCH,
            Optional.empty(),
            answering(source -> one(source, 3 << 20)));
    assertThat(page.hits()).hasSize(6);
    assertThat(page.total()).isEqualTo(BUCKETS);
    assertThat(page.last().orElseThrow().source()).isEqualTo(5);
  }

  /// Views are closed when this returns: nobody may be looking at one any more.
  @Test
  void whoFailsWaitsForTheOthers() {
    List<Integer> done = new ArrayList<>();
    assertThatThrownBy(
            () ->
                Together.ask(
                    SOURCES,
                    EVERYTHING,
                    Instant.EPOCH,
                    Optional.empty(),
                    answering(
                        source -> {
                          done.add(source);
                          if (source == 3) {
                            throw new IllegalStateException("this one cannot");
                          }
                          return one(source, 1);
                        })))
        .hasMessage("this one cannot");
    // Those that were not asked yet are not any more.
    assertThat(done).containsExactly(0, 1, 2, 3, 4, 5, 6);
  }
}
