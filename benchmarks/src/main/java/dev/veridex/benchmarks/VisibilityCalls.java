package dev.veridex.benchmarks;

import dev.veridex.access.visibility.DecisionCache;
import dev.veridex.access.visibility.PermittedResources;
import dev.veridex.benchmarks.SearchContest.Contender;
import dev.veridex.benchmarks.SearchContest.Times;
import dev.veridex.benchmarks.SearchQuestion.Kind;
import dev.veridex.benchmarks.VisibilityWorld.Person;
import dev.veridex.index.VisibleResources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.search.ConstantScoreScorerSupplier;
import org.apache.lucene.search.ConstantScoreWeight;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.ScorerSupplier;
import org.apache.lucene.search.Weight;
import org.apache.lucene.util.BitSetIterator;
import org.apache.lucene.util.FixedBitSet;
import org.jspecify.annotations.Nullable;

/// What it costs that everybody sees only what they may.
final class VisibilityCalls {
  private static final int READ = 2;
  private static final int FIRSTS = Integer.getInteger("firsts", 40);

  private VisibilityCalls() {}

  /// @param parts some of them; none: all
  static void run(List<String> parts) {
    List<String> wanted =
        parts.isEmpty() ? List.of("query", "first", "approvals", "opensearch", "change") : parts;
    List<String> here = wanted.stream().filter(part -> !part.equals("change")).toList();
    if (!here.isEmpty()) {
      runHere(here);
    }
    if (wanted.contains("change")) {
      VisibilityChanges.run();
    }
  }

  private static void runHere(List<String> parts) {
    try (VisibilityWorld world = new VisibilityWorld()) {
      for (String part : parts) {
        switch (part) {
          case "query" -> query(world);
          case "first" -> first(world);
          case "approvals" -> VisibilityApprovals.run(world);
          case "opensearch" -> VisibilityRivals.run(world);
          default -> throw new IllegalArgumentException("no part " + part);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A filter whose bits are there already.
  private static final class Ready extends Query {
    private final FixedBitSet[] bits;

    private Ready(FixedBitSet[] bits) {
      this.bits = bits;
    }

    /// Everything that somebody may see.
    private static Ready of(VisibilityWorld world, VisibleResources visible) throws IOException {
      FixedBitSet[] bits = new FixedBitSet[world.reader.leaves().size()];
      for (LeafReaderContext leaf : world.reader.leaves()) {
        bits[leaf.ord] = new FixedBitSet(leaf.reader().maxDoc());
        SortedDocValues keys = leaf.reader().getSortedDocValues("_key");
        for (int document = 0; document < leaf.reader().maxDoc(); document++) {
          if (keys.advanceExact(document)
              && visible.test(visible.find(keys.lookupOrd(keys.ordValue()).utf8ToString()))) {
            bits[leaf.ord].set(document);
          }
        }
      }
      return new Ready(bits);
    }

    @Override
    public Weight createWeight(IndexSearcher searcher, ScoreMode mode, float boost) {
      return new ConstantScoreWeight(this, boost) {
        @Override
        public ScorerSupplier scorerSupplier(LeafReaderContext leaf) {
          FixedBitSet set = bits[leaf.ord];
          return ConstantScoreScorerSupplier.fromIterator(
              new BitSetIterator(set, set.approximateCardinality()),
              score(),
              mode,
              leaf.reader().maxDoc());
        }

        @Override
        public boolean isCacheable(LeafReaderContext leaf) {
          return false;
        }
      };
    }

    @Override
    public void visit(QueryVisitor visitor) {
      visitor.visitLeaf(this);
    }

    @Override
    public String toString(String field) {
      return "ready";
    }

    @Override
    public boolean equals(@Nullable Object object) {
      return this == object;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /// What may be seen as bits that are there already, without anything to decide.
  private static final class Known implements VisibleResources {
    private final VisibleResources real;
    private final FixedBitSet bits;
    private final boolean others;

    private Known(VisibleResources real) {
      this.real = real;
      this.bits = new FixedBitSet(real.size());
      this.others = real.test(-1);
      for (int number = 0; number < real.size(); number++) {
        if (real.test(number)) {
          bits.set(number);
        }
      }
    }

    @Override
    public Object numbering() {
      return real.numbering();
    }

    @Override
    public Object identity() {
      return this;
    }

    @Override
    public int size() {
      return real.size();
    }

    @Override
    public int find(String resource) {
      return real.find(resource);
    }

    @Override
    public String name(int number) {
      return real.name(number);
    }

    @Override
    public boolean test(int number) {
      return number < 0 || number >= bits.length() ? others : bits.get(number);
    }
  }

  private static void query(VisibilityWorld world) throws IOException {
    System.out.println(
        "query: in this process; ours decides who sees what, Lucene is given the bits");
    System.out.println();
    System.out.println(
        "| permitted | groups | search | ours p50/p99 µs | ours with ready bits p50/p99 µs | Lucene with ready bits p50/p99 µs | ours/ready p50 | p99 | ours/Lucene p50 | KB a person |");
    System.out.println("|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|");
    SearchRaw raw = new SearchRaw(world.view, world.reader);
    DecisionCache decisions = new DecisionCache(1L << 30);
    // What is sorted into classes for all of them is counted for none.
    decisions.of(world.rights, "nobody", List.of(), READ);
    for (Person person : VisibilityWorld.people()) {
      long before = decisions.bytes();
      PermittedResources permitted = decisions.of(world.rights, person.id(), List.of(), READ);
      Ready ready = Ready.of(world, permitted);
      VisibleResources known = new Known(permitted);
      Map<Kind, List<Times>> all =
          SearchContest.compare(
              List.of(Kind.TERM, Kind.AND, Kind.OR, Kind.FACET, Kind.SORT),
              List.of(
                  new Contender(
                      "ours",
                      question ->
                          raw.ours(
                              question,
                              Optional.of(
                                  decisions.of(world.rights, person.id(), List.of(), READ)))),
                  new Contender(
                      "ours with ready bits", question -> raw.ours(question, Optional.of(known))),
                  new Contender("bits", question -> raw.lucene(question, ready))));
      // What is decided when it is asked for has been by now, and is counted when it is found
      // again.
      decisions.of(world.rights, person.id(), List.of(), READ);
      long bytes = decisions.bytes() - before;
      all.forEach(
          (kind, times) -> {
            Times ours = times.getFirst();
            Times same = times.get(1);
            Times bits = times.getLast();
            System.out.printf(
                "| %d %% | %,d | %s | %,.0f / %,.0f | %,.0f / %,.0f | %,.0f / %,.0f | %.2f | %.2f | %.2f | %,d |%n",
                person.percent(),
                person.groups(),
                kind.text(),
                ours.p50(),
                ours.p99(),
                same.p50(),
                same.p99(),
                bits.p50(),
                bits.p99(),
                ours.p50() / same.p50(),
                ours.p99() / same.p99(),
                ours.p50() / bits.p50(),
                bytes >> 10);
          });
    }
    System.out.println();
  }

  /// Whoever searches for the first time after some right has changed.
  private static void first(VisibilityWorld world) throws IOException {
    System.out.println("first: the first search after a right has changed, of words");
    System.out.println();
    System.out.println("| permitted | groups | decided p50/max ms | with the search p50/max ms |");
    System.out.println("|---:|---:|---:|---:|");
    SearchRaw raw = new SearchRaw(world.view, world.reader);
    DecisionCache decisions = new DecisionCache(1L << 30);
    List<SearchQuestion> questions = SearchQuestion.some(Kind.TERM, VisibilityWorld.DOCUMENTS);
    for (Person person : VisibilityWorld.people()) {
      long[] decided = new long[FIRSTS];
      long[] whole = new long[FIRSTS];
      for (int i = 0; i < 2 * FIRSTS; i++) {
        world.change(person, i / 2, i % 2 == 1);
        long begin = System.nanoTime();
        PermittedResources permitted = decisions.of(world.rights, person.id(), List.of(), READ);
        decided[i % FIRSTS] = System.nanoTime() - begin;
        raw.ours(questions.get(i), Optional.of(permitted));
        whole[i % FIRSTS] = System.nanoTime() - begin;
      }
      System.out.printf(
          "| %d %% | %,d | %s | %s |%n",
          person.percent(), person.groups(), millis(decided), millis(whole));
    }
    System.out.println();
  }

  private static String millis(long[] nanos) {
    long[] sorted = nanos.clone();
    java.util.Arrays.sort(sorted);
    return "%.1f / %.1f"
        .formatted(sorted[sorted.length / 2] / 1e6, sorted[sorted.length - 1] / 1e6);
  }
}
