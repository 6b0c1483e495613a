package dev.veridex.index.lucene;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.common.VersionTuple;
import dev.veridex.index.Condition;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexResult;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.SearchIndexContract;
import dev.veridex.index.SearchIndexes;
import dev.veridex.protocol.Embedding;
import dev.veridex.protocol.RawDocument;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LuceneIndexTest implements SearchIndexContract {
  @TempDir private Path parent;

  @Override
  public SearchIndexes indexes() {
    try {
      return new LuceneIndexes(Files.createTempDirectory(parent, "indexes"), 3);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A resource keeps its number through new versions, also if it is the key of its document, which
  /// is not written twice then.
  @Test
  void theNumberOfAKeyStays() {
    try (SearchIndexes indexes = indexes();
        SearchIndex index = indexes.open("numbers")) {
      List<Long> numbers = new ArrayList<>();
      for (int version = 1; version <= 3; version++) {
        for (String pk : List.of("other" + version, "a")) {
          IndexChange.Entry entry =
              new IndexChange.Entry(
                  RawDocument.getDefaultInstance(), Optional.empty(), List.of(pk));
          index.apply(
              Schema.EMPTY,
              List.of(
                  new IndexChange(
                      pk, new VersionTuple(1, version, 1), Optional.of(entry), Optional.empty())));
        }
        index.refresh();
        try (IndexView view = index.view()) {
          numbers.addAll(view.find(List.of("a"), NOW).getFirst().orElseThrow().ordinals());
        }
      }
      assertThat(numbers).hasSize(3).containsOnly(numbers.getFirst());
    }
  }

  /// Either it cannot be opened, or reading all of it finds the flipped byte.
  @Test
  void aFlippedByteIsFound() throws IOException {
    Random random = new Random(7);
    for (int flip = 0; flip < 30; flip++) {
      Path folder = Files.createTempDirectory(parent, "flipped");
      try (SearchIndexes indexes = new LuceneIndexes(folder, 1)) {
        try (SearchIndex index = indexes.open("a")) {
          for (int i = 0; i < 20; i++) {
            index.apply(
                SearchIndexContract.SCHEMA,
                List.of(SearchIndexContract.put("k" + i, 1, Optional.empty())));
          }
          index.commit(SearchIndexContract.progress(1));
          index.scan();
        }
        flip(folder.resolve("a"), random);
        assertThatThrownBy(
                () -> {
                  try (SearchIndex index = indexes.open("a")) {
                    index.scan();
                  }
                })
            .isInstanceOf(DamagedIndexException.class);
      }
    }
  }

  private static void flip(Path index, Random random) throws IOException {
    try (Stream<Path> files = Files.list(index)) {
      List<Path> data = files.filter(file -> !file.endsWith("write.lock")).sorted().toList();
      Path file = data.get(random.nextInt(data.size()));
      byte[] bytes = Files.readAllBytes(file);
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, bytes);
    }
  }

  /// Most of the nearest are found through the graph, too, in either form.
  @Test
  void theGraphFindsMostOfTheNearest() {
    for (boolean quantized : List.of(false, true)) {
      Schema schema =
          Schema.EMPTY.with(
              Map.of(), Map.of("v", new Schema.Embedding(16, Schema.Similarity.COSINE, quantized)));
      Random random = new Random(5);
      List<IndexChange> changes = new ArrayList<>();
      List<float[]> all = new ArrayList<>();
      for (int i = 0; i < 3000; i++) {
        Embedding.Builder vector = Embedding.newBuilder().setName("v");
        all.add(vector(random));
        for (float each : all.getLast()) {
          vector.addValues(each);
        }
        RawDocument document = RawDocument.newBuilder().addEmbeddings(vector).build();
        changes.add(
            new IndexChange(
                "d" + i,
                new VersionTuple(1, 1, 1),
                Optional.of(new IndexChange.Entry(document, Optional.empty(), List.of())),
                Optional.empty()));
      }
      try (SearchIndexes indexes = indexes();
          SearchIndex index = indexes.open("vectors")) {
        index.apply(schema, changes);
        index.refresh();
        try (IndexView view = index.view()) {
          int same = 0;
          for (int i = 0; i < 20; i++) {
            float[] wanted = vector(random);
            IndexResult exact = view.search(nearest(schema, wanted, Integer.MAX_VALUE));
            IndexResult graph = view.search(nearest(schema, wanted, 0));
            assertThat(exact.exact()).contains(true);
            assertThat(graph.exact()).contains(false);
            List<String> keys = exact.hits().stream().map(IndexResult.Hit::pk).toList();
            assertThat(keys).isEqualTo(nearest(all, wanted));
            same += (int) graph.hits().stream().filter(hit -> keys.contains(hit.pk())).count();
          }
          assertThat(same).as("of 200, quantized: %s", quantized).isGreaterThan(170);
        }
      }
    }
  }

  /// The keys of the ten nearest, by looking at all.
  private static List<String> nearest(List<float[]> all, float[] wanted) {
    return IntStream.range(0, all.size())
        .boxed()
        .sorted(Comparator.comparingDouble(i -> -cosine(all.get(i), wanted)))
        .limit(10)
        .map(i -> "d" + i)
        .toList();
  }

  private static double cosine(float[] one, float[] other) {
    double product = 0;
    double squares = 0;
    double others = 0;
    for (int i = 0; i < one.length; i++) {
      product += (double) one[i] * other[i];
      squares += (double) one[i] * one[i];
      others += (double) other[i] * other[i];
    }
    return product / Math.sqrt(squares * others);
  }

  private static float[] vector(Random random) {
    float[] vector = new float[16];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = (float) random.nextGaussian();
    }
    return vector;
  }

  private static IndexSearch nearest(Schema schema, float[] vector, int exactUpTo) {
    return new IndexSearch(
        schema,
        NOW,
        Duration.ofMinutes(1),
        new Condition.All(),
        Optional.empty(),
        Optional.of(new IndexSearch.Nearest("v", vector, 10, exactUpTo)),
        List.of(new IndexSearch.Order.ByScore(true)),
        Optional.empty(),
        10,
        Long.MAX_VALUE,
        IndexSearch.noFacets(),
        List.of(),
        Optional.empty());
  }

  @Override
  public void crash(SearchIndex index) {
    // The files stay as they are; what a torn disk leaves is tried with Lucene's own wrapper.
    index.close();
  }
}
