package dev.veridex.benchmarks;

import dev.veridex.benchmarks.SearchContest.Contender;
import dev.veridex.benchmarks.SearchContest.Times;
import dev.veridex.benchmarks.SearchQuestion.Kind;
import dev.veridex.index.Condition;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.TextExpression;
import dev.veridex.index.VisibleResources;
import dev.veridex.index.lucene.LuceneIndexes;
import dev.veridex.protocol.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.apache.lucene.document.BinaryPoint;
import org.apache.lucene.document.SortedSetDocValuesField;
import org.apache.lucene.facet.FacetsCollector;
import org.apache.lucene.facet.FacetsCollectorManager;
import org.apache.lucene.facet.StringDocValuesReaderState;
import org.apache.lucene.facet.StringValueFacetCounts;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexOrDocValuesQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MultiCollectorManager;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortedSetSortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.NumericUtils;

/// Our index next to Lucene itself, in this process, on the same files.
///
/// Lucene finds the best ten and counts all. Ours also breaks ties by key and reads what is stored
/// of the ten; Lucene does that reading, too, in a second measurement.
final class SearchRaw {
  private static final int HITS = 10;
  private static final String WORDS = "t.standard.body";
  private static final String CATEGORY = "k.category";
  private static final String CATEGORIES = "d.category";
  private static final String PRICE = "p.price";
  private static final String PRICES = "d.price";
  private static final String SOURCE = "_source";

  private final IndexView view;
  private final IndexSearcher searcher;
  private final StringDocValuesReaderState categories;
  private final Schema schema = schema();

  SearchRaw(IndexView view, DirectoryReader reader) throws IOException {
    this.view = view;
    this.searcher = new IndexSearcher(reader);
    this.categories = new StringDocValuesReaderState(reader, CATEGORIES);
  }

  static void run(SearchWorld world) {
    world.settle();
    world.stop();
    String name = world.index().getFileName().toString();
    try (LuceneIndexes indexes = new LuceneIndexes(world.indexes(), 1);
        SearchIndex index = indexes.open(name);
        IndexView view = index.view();
        DirectoryReader reader = DirectoryReader.open(FSDirectory.open(world.index()))) {
      System.out.printf(
          "%nraw: in this process, %,d documents in %d segments%n%n",
          world.documents(), reader.leaves().size());
      new SearchRaw(view, reader).compare();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void compare() {
    System.out.println(
        "| search | ours p50/p99 µs | Lucene p50/p99 µs | Lucene with what is stored p50/p99 µs | ours/Lucene | ours/Lucene with what is stored |");
    System.out.println("|---|---:|---:|---:|---:|---:|");
    List<Contender> contenders =
        List.of(
            new Contender("ours", this::ours),
            new Contender("Lucene", question -> lucene(question, false)),
            new Contender("Lucene with what is stored", question -> lucene(question, true)));
    Map<Kind, List<Times>> all = SearchContest.compare(contenders);
    all.forEach(SearchRaw::print);
    System.out.println();
    all.forEach(
        (kind, times) -> {
          DocumentContest.goal(kind.text() + " against Lucene", ratio(times, 1), false, 1.15);
          DocumentContest.goal(
              kind.text() + " against Lucene with what is stored", ratio(times, 2), false, 1.15);
        });
  }

  private static double ratio(List<Times> times, int other) {
    return times.getFirst().mean() / times.get(other).mean();
  }

  private static void print(Kind kind, List<Times> times) {
    System.out.printf("| %s |", kind.text());
    for (Times each : times) {
      System.out.printf(" %,.0f / %,.0f |", each.p50(), each.p99());
    }
    System.out.printf(" %.2f | %.2f |%n", ratio(times, 1), ratio(times, 2));
  }

  /// The schema of the documents.
  static Schema schema() {
    SortedMap<String, Schema.Field> fields = new TreeMap<>();
    fields.put("title", Schema.Field.found(FieldKind.STRING, false));
    fields.put("body", Schema.Field.found(FieldKind.TEXT, false));
    fields.put("category", Schema.Field.found(FieldKind.KEYWORD, false));
    fields.put("price", Schema.Field.found(FieldKind.NUMBER, false));
    fields.put("created", Schema.Field.found(FieldKind.TIMESTAMP, false));
    fields.put("tags", Schema.Field.found(FieldKind.KEYWORD, true));
    return new Schema(true, fields, new TreeMap<>());
  }

  private LongSupplier ours(SearchQuestion question) {
    return ours(question, Optional.empty());
  }

  /// Ours, of what somebody may see.
  LongSupplier ours(SearchQuestion question, Optional<VisibleResources> visible) {
    long total = view.search(ask(question).seenBy(visible)).total();
    return () -> total;
  }

  private IndexSearch ask(SearchQuestion question) {
    SortedMap<String, IndexSearch.Facet> facets = IndexSearch.noFacets();
    if (question.kind() == Kind.FACET) {
      facets.put("category", new IndexSearch.Facet.Terms("category", HITS));
    }
    return new IndexSearch(
        schema,
        Instant.now(),
        Duration.ofSeconds(30),
        question.kind() == Kind.FILTER ? filter(question) : new Condition.All(),
        Optional.of(
            new IndexSearch.Search(text(question), List.of(new TextExpression.Field("body", 1)))),
        Optional.empty(),
        List.of(
            question.kind() == Kind.SORT
                ? new IndexSearch.Order.ByField("price", false)
                : new IndexSearch.Order.ByScore(true)),
        Optional.empty(),
        HITS,
        Long.MAX_VALUE,
        facets,
        List.of(),
        Optional.empty());
  }

  private static TextExpression text(SearchQuestion question) {
    TextExpression first = new TextExpression.Words(question.first());
    TextExpression second = new TextExpression.Words(question.second());
    return switch (question.kind()) {
      case PHRASE -> new TextExpression.Phrase(question.first() + " " + question.second());
      case AND -> new TextExpression.And(List.of(first, second));
      case OR -> new TextExpression.Or(List.of(first, second));
      case PREFIX -> new TextExpression.Prefix(question.first());
      case TERM, FILTER, FACET, SORT -> first;
    };
  }

  private static Condition filter(SearchQuestion question) {
    Value category = Value.newBuilder().setText(question.category()).build();
    return new Condition.And(
        List.of(
            new Condition.Range(
                "price",
                Optional.of(new Condition.Bound(price(question.from()), true)),
                Optional.of(new Condition.Bound(price(question.to()), false))),
            new Condition.In("category", List.of(category))));
  }

  private static Value price(int price) {
    return Value.newBuilder().setInteger(price).build();
  }

  private LongSupplier lucene(SearchQuestion question, boolean stored) {
    return lucene(question, query(question), stored);
  }

  /// Lucene with what is stored, of what a filter lets pass.
  LongSupplier lucene(SearchQuestion question, Query filter) {
    Query query =
        new BooleanQuery.Builder()
            .add(query(question), Occur.MUST)
            .add(filter, Occur.FILTER)
            .build();
    return lucene(question, query, true);
  }

  private LongSupplier lucene(SearchQuestion question, Query query, boolean stored) {
    try {
      TopDocs found = best(question, query);
      if (stored) {
        for (ScoreDoc hit : found.scoreDocs) {
          searcher.storedFields().document(hit.doc, Set.of(SOURCE));
        }
      }
      return found.totalHits::value;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private TopDocs best(SearchQuestion question, Query query) throws IOException {
    TopScoreDocCollectorManager best = new TopScoreDocCollectorManager(HITS, Integer.MAX_VALUE);
    return switch (question.kind()) {
      case SORT ->
          searcher.search(
              query,
              new TopFieldCollectorManager(
                  new Sort(new SortedSetSortField(PRICES, false)), HITS, Integer.MAX_VALUE));
      case FACET -> {
        Object[] both =
            searcher.search(query, new MultiCollectorManager(best, new FacetsCollectorManager()));
        new StringValueFacetCounts(categories, (FacetsCollector) both[1])
            .getTopChildren(HITS, CATEGORIES);
        yield (TopDocs) both[0];
      }
      case TERM, PHRASE, AND, OR, FILTER, PREFIX -> searcher.search(query, best);
    };
  }

  private static Query query(SearchQuestion question) {
    Query first = new TermQuery(new Term(WORDS, question.first()));
    Query second = new TermQuery(new Term(WORDS, question.second()));
    return switch (question.kind()) {
      case PHRASE -> new PhraseQuery(WORDS, question.first(), question.second());
      case AND -> new BooleanQuery.Builder().add(first, Occur.MUST).add(second, Occur.MUST).build();
      case OR ->
          new BooleanQuery.Builder().add(first, Occur.SHOULD).add(second, Occur.SHOULD).build();
      case PREFIX -> new PrefixQuery(new Term(WORDS, question.first()));
      case FILTER ->
          new BooleanQuery.Builder()
              .add(first, Occur.MUST)
              .add(prices(question), Occur.FILTER)
              .add(new TermQuery(new Term(CATEGORY, question.category())), Occur.FILTER)
              .build();
      case TERM, FACET, SORT -> first;
    };
  }

  private static Query prices(SearchQuestion question) {
    byte[] from = key(question.from());
    byte[] to = key(Math.nextDown((double) question.to()));
    return new IndexOrDocValuesQuery(
        BinaryPoint.newRangeQuery(PRICE, from, to),
        SortedSetDocValuesField.newSlowRangeQuery(
            PRICES, new BytesRef(from), new BytesRef(to), true, true));
  }

  /// A number as the index has it: in the order of numbers, and how far it is off its double.
  private static byte[] key(double number) {
    byte[] key = new byte[Double.BYTES + Short.BYTES];
    NumericUtils.longToSortableBytes(NumericUtils.doubleToSortableLong(number), key, 0);
    ByteBuffer.wrap(key).putShort(Double.BYTES, Short.MIN_VALUE);
    return key;
  }
}
