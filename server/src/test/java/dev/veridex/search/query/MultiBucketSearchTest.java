package dev.veridex.search.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.common.VersionTuple;
import dev.veridex.index.IndexResult;
import dev.veridex.index.IndexSearch;
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
final class MultiBucketSearchTest {
  private static final int BUCKETS = 20;

  private static final List<MultiBucketSearch.Source> SOURCES =
      IntStream.range(0, BUCKETS)
          .mapToObj(i -> new MultiBucketSearch.Source("bucket-" + i, Schema.EMPTY))
          .toList();

  private static final SearchRequest EVERYTHING =
      new SearchRequest(
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

  private static IndexResult one(int place, int bytes) {
    RawDocument document =
        RawDocument.newBuilder()
            .addFields(
                Field.newBuilder()
                    .setName("t")
                    .addValues(Value.newBuilder().setText("x".repeat(bytes))))
            .build();
    IndexResult.Hit hit =
        new IndexResult.Hit(
            "pk-" + place,
            new VersionTuple(1, 1, 1),
            1,
            document,
            List.of(),
            Map.of(),
            new byte[] {(byte) place});
    return new IndexResult(List.of(hit), false, 1, new TreeMap<>(), true, Optional.empty());
  }

  private static MultiBucketSearch.BucketSearches answering(IntFunction<IndexResult> found) {
    return new MultiBucketSearch.BucketSearches() {
      @Override
      public Supplier<IndexResult> search(int source, IndexSearch ask) {
        return () -> found.apply(source);
      }

      @Override
      public Supplier<IndexResult.Nearest> nearest(int source, IndexSearch ask) {
        throw new AssertionError("nobody asks for the nearest");
      }
    };
  }

  /// However many buckets there are, a page does not grow beyond what is sent at once.
  @Test
  void aPageEndsWhenItIsLarge() {
    MultiBucketSearch.Page page =
        MultiBucketSearch.ask(
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
                MultiBucketSearch.ask(
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
