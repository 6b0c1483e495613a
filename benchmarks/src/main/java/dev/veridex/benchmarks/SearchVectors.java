package dev.veridex.benchmarks;

import dev.veridex.benchmarks.SearchContest.Times;
import dev.veridex.common.VersionTuple;
import dev.veridex.index.Condition;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexProgress;
import dev.veridex.index.IndexResult;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.lucene.LuceneIndexes;
import dev.veridex.protocol.Embedding;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The nearest embeddings, by comparing all of them and through the graph, in this process.
///
/// Some lie in clusters, as those of texts do; some anywhere, which is the hardest for a graph.
final class SearchVectors implements AutoCloseable {
  private static final int COUNT = Integer.getInteger("vectors", 200_000);
  private static final int DIMENSIONS = 128;
  private static final int CLUSTERS = 1000;
  private static final double SPREAD = 0.5;
  private static final int NEAREST = 10;
  private static final int BATCH = 500;
  private static final int WARM_UP = 50;

  /// Which of the documents are candidates: one of so many.
  private static final List<Integer> SHARES = List.of(1, 10, 100);

  private final Path folder = Data.folder();
  private final LuceneIndexes indexes = new LuceneIndexes(folder, 2);
  private final SearchIndex index = indexes.open("vectors");
  private final float[][] centres = new float[CLUSTERS][];
  private final Schema schema = schema();

  /// How embeddings lie.
  private enum Lie {
    CLUSTERED,
    ANYWHERE;

    private String text() {
      return this == CLUSTERED ? "clustered" : "anywhere";
    }
  }

  private SearchVectors() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < CLUSTERS; i++) {
      centres[i] = anywhere(random);
    }
  }

  static void run() {
    try (SearchVectors vectors = new SearchVectors()) {
      System.out.printf("%nvectors: %,d of %d dimensions, cosine%n%n", COUNT, DIMENSIONS);
      long begin = System.nanoTime();
      vectors.fill();
      System.out.printf(
          "two embeddings a document; %.0f documents/s, until files are put together%n%n",
          COUNT / ((System.nanoTime() - begin) / 1e9));
      System.out.println(
          "| embeddings | candidates | exact p50/p99 µs | graph p50/p99 µs | graph/exact | recall@10 |");
      System.out.println("|---|---:|---:|---:|---:|---:|");
      List<Compared> all = new ArrayList<>();
      try (IndexView view = vectors.index.view()) {
        for (Lie lie : Lie.values()) {
          SHARES.forEach(share -> all.add(vectors.compare(view, lie, share)));
        }
      }
      System.out.println();
      all.forEach(each -> DocumentContest.goal(each.name, each.recall, true, 0.95));
    }
  }

  private static Schema schema() {
    TreeMap<String, Schema.Field> fields = new TreeMap<>();
    SHARES.forEach(share -> fields.put("of" + share, Schema.Field.found(FieldKind.KEYWORD, false)));
    TreeMap<String, Schema.Embedding> embeddings = new TreeMap<>();
    for (Lie lie : Lie.values()) {
      embeddings.put(lie.text(), new Schema.Embedding(DIMENSIONS, Schema.Similarity.COSINE, false));
    }
    return new Schema(true, fields, embeddings);
  }

  private void fill() {
    for (int n = 0; n < COUNT; n += BATCH) {
      index.apply(
          schema, IntStream.range(n, Math.min(COUNT, n + BATCH)).mapToObj(this::change).toList());
    }
    index.refresh();
    index.commit(new IndexProgress(new TreeMap<>(), Instant.now()));
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().contains("Lucene Merge Thread"))) {
      SearchProcess.pause(Duration.ofMillis(100));
    }
    index.refresh();
  }

  private IndexChange change(int n) {
    SplittableRandom random = new SplittableRandom(n);
    RawDocument.Builder document = RawDocument.newBuilder().setPk("v" + n).setEpoch(1);
    SHARES.forEach(
        share ->
            document.addFields(
                Field.newBuilder().setName("of" + share).addValues(value(n % share))));
    for (Lie lie : Lie.values()) {
      Embedding.Builder embedding = Embedding.newBuilder().setName(lie.text());
      for (float each : vector(lie, random)) {
        embedding.addValues(each);
      }
      document.addEmbeddings(embedding);
    }
    return new IndexChange(
        "v" + n,
        new VersionTuple(1, 1, 1),
        Optional.of(new IndexChange.Entry(document.build(), Optional.empty(), List.of())),
        Optional.empty());
  }

  private static Value value(int number) {
    return Value.newBuilder().setText(String.valueOf(number)).build();
  }

  private float[] vector(Lie lie, SplittableRandom random) {
    return switch (lie) {
      case ANYWHERE -> anywhere(random);
      case CLUSTERED -> {
        float[] near = centres[random.nextInt(CLUSTERS)].clone();
        for (int i = 0; i < DIMENSIONS; i++) {
          near[i] += (float) (SPREAD * random.nextGaussian());
        }
        yield near;
      }
    };
  }

  private static float[] anywhere(SplittableRandom random) {
    float[] vector = new float[DIMENSIONS];
    for (int i = 0; i < DIMENSIONS; i++) {
      vector[i] = (float) random.nextGaussian();
    }
    return vector;
  }

  private record Compared(String name, double recall) {}

  private Compared compare(IndexView view, Lie lie, int share) {
    SplittableRandom random = new SplittableRandom(-1 - share);
    List<Long> exact = new ArrayList<>();
    List<Long> graph = new ArrayList<>();
    long found = 0;
    long wanted = 0;
    long end = System.nanoTime() + 2 * Driver.ROUNDS * Driver.ROUND_NANOS;
    for (int n = -WARM_UP; n < WARM_UP || System.nanoTime() < end; n++) {
      float[] vector = vector(lie, random);
      Condition filter =
          share == 1
              ? new Condition.All()
              : new Condition.In("of" + share, List.of(value(random.nextInt(share))));
      Set<String> nearest = keys(view, ask(lie, vector, filter, Integer.MAX_VALUE), exact);
      Set<String> some = keys(view, ask(lie, vector, filter, 0), graph);
      wanted += nearest.size();
      found += some.stream().filter(nearest::contains).count();
    }
    double recall = (double) found / wanted;
    String name = "%s, one of %d, recall".formatted(lie.text(), share);
    print(lie, share, measured(exact), measured(graph), recall);
    return new Compared(name, recall);
  }

  private static Times measured(List<Long> nanos) {
    return Times.of("", nanos.subList(WARM_UP, nanos.size()));
  }

  private static void print(Lie lie, int share, Times exact, Times graph, double recall) {
    System.out.printf(
        "| %s | %,d | %,.0f / %,.0f | %,.0f / %,.0f | %.2f | %.3f |%n",
        lie.text(),
        COUNT / share,
        exact.p50(),
        exact.p99(),
        graph.p50(),
        graph.p99(),
        graph.mean() / exact.mean(),
        recall);
  }

  private static Set<String> keys(IndexView view, IndexSearch ask, List<Long> nanos) {
    long begin = System.nanoTime();
    IndexResult found = view.search(ask);
    nanos.add(System.nanoTime() - begin);
    return found.hits().stream().map(IndexResult.Hit::pk).collect(Collectors.toSet());
  }

  private IndexSearch ask(Lie lie, float[] vector, Condition filter, int exactUpTo) {
    return new IndexSearch(
        schema,
        Instant.now(),
        Duration.ofSeconds(30),
        filter,
        Optional.empty(),
        Optional.of(new IndexSearch.Nearest(lie.text(), vector, NEAREST, exactUpTo)),
        List.of(new IndexSearch.Order.ByScore(true)),
        Optional.empty(),
        NEAREST,
        Long.MAX_VALUE,
        IndexSearch.noFacets(),
        List.of(),
        Optional.empty());
  }

  @Override
  public void close() {
    index.close();
    indexes.close();
    Data.delete(folder);
  }
}
