package dev.veridex.benchmarks;

import dev.veridex.benchmarks.SearchQuestion.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/// Asks several the same questions in turn, one question after the other, and tells how long each
/// took. All must find equally much.
final class SearchContest {
  private SearchContest() {}

  /// Who answers.
  interface Answering {
    /// @return how much was found, which is not looked at before the time is taken
    LongSupplier ask(SearchQuestion question);
  }

  record Contender(String name, Answering answering) {}

  /// How long answers took, in microseconds.
  record Times(String name, double mean, double p50, double p99) {
    static Times of(String name, List<Long> nanos) {
      long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
      return new Times(
          name,
          Arrays.stream(sorted).average().orElseThrow() / 1e3,
          sorted[sorted.length / 2] / 1e3,
          sorted[(int) (sorted.length * 99L / 100)] / 1e3);
    }
  }

  /// Lets all answer questions of all kinds: for a round of each to warm up, then for as many
  /// rounds as there are.
  static Map<Kind, List<Times>> compare(List<Contender> contenders) {
    return compare(List.of(Kind.values()), contenders);
  }

  /// The same with questions of some kinds.
  static Map<Kind, List<Times>> compare(List<Kind> kinds, List<Contender> contenders) {
    for (Kind kind : kinds) {
      asked(kind, contenders, Driver.ROUND_NANOS);
    }
    Map<Kind, List<Times>> all = new EnumMap<>(Kind.class);
    for (Kind kind : kinds) {
      List<List<Long>> nanos = asked(kind, contenders, Driver.ROUNDS * Driver.ROUND_NANOS);
      List<Times> times = new ArrayList<>();
      for (int i = 0; i < contenders.size(); i++) {
        times.add(Times.of(contenders.get(i).name, nanos.get(i)));
      }
      all.put(kind, times);
    }
    return all;
  }

  private static List<List<Long>> asked(Kind kind, List<Contender> contenders, long duration) {
    List<SearchQuestion> questions = SearchQuestion.some(kind, SearchWorld.DOCUMENTS);
    List<List<Long>> nanos = new ArrayList<>();
    contenders.forEach(_ -> nanos.add(new ArrayList<>()));
    long end = System.nanoTime() + duration * contenders.size();
    for (int n = 0; n == 0 || System.nanoTime() < end; n++) {
      SearchQuestion question = questions.get(n % questions.size());
      long found = -1;
      for (int i = 0; i < contenders.size(); i++) {
        // Who comes first finds nothing in the processor's caches; so it is another one each time.
        int who = (i + n + n / questions.size()) % contenders.size();
        long begin = System.nanoTime();
        LongSupplier answer = contenders.get(who).answering.ask(question);
        nanos.get(who).add(System.nanoTime() - begin);
        long total = answer.getAsLong();
        if (found >= 0 && total != found) {
          throw new IllegalStateException(
              "%s found %d, not %d: %s"
                  .formatted(contenders.get(who).name, total, found, question));
        }
        found = total;
      }
    }
    return nanos;
  }
}
