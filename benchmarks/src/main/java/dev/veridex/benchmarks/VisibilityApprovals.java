package dev.veridex.benchmarks;

import dev.veridex.access.compiled.AccessIndexEdit;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledGrants;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.CompiledIndex.Table;
import dev.veridex.access.compiled.LiveApprovals;
import dev.veridex.access.visibility.DecisionCache;
import dev.veridex.benchmarks.SearchContest.Contender;
import dev.veridex.benchmarks.SearchContest.Times;
import dev.veridex.benchmarks.SearchQuestion.Kind;
import dev.veridex.benchmarks.VisibilityWorld.Person;
import dev.veridex.index.VisibleResources;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/// Searches and checks of people with approvals, among a million approvals of others on single
/// documents, next to the same rights as statements, and to a scope without them.
final class VisibilityApprovals {
  private static final int OTHERS = Integer.getInteger("approvals", 1_000_000);
  private static final int OTHER_PEOPLE = 10_000;
  private static final List<Integer> SIZES = List.of(0, 10, 10_000);
  private static final Person LIKE = new Person(100, 10);
  private static final int READ = 2;
  private static final int RIGHT = 1;
  private static final long BEGIN = 1_000_000_000_000_000L;
  private static final long SECOND = 1_000_000;

  private final VisibilityWorld world;
  private final SearchRaw raw;

  private VisibilityApprovals(VisibilityWorld world) throws IOException {
    this.world = world;
    this.raw = new SearchRaw(world.view, world.reader);
  }

  /// A state of rights, and what was found out from it.
  private record State(CompiledIndex index, CompiledGrants grants, DecisionCache decisions) {
    VisibleResources permitted(String subject, long now) {
      return decisions.of(index, new LiveApprovals(grants, now), subject, List.of(), READ);
    }
  }

  static void run(VisibilityWorld world) throws IOException {
    new VisibilityApprovals(world).run();
  }

  private void run() {
    System.out.printf(
        "approvals: in this process, %,d documents, with or without %,d approvals of others%n%n",
        VisibilityWorld.DOCUMENTS, OTHERS);
    CompiledIndex people = people();
    State alone = state(people, approvals(people, CompiledGrants.NONE, false));
    State among = state(people, approvals(people, CompiledGrants.NONE, true));
    State stated = state(statements(people), CompiledGrants.NONE);
    System.out.printf(
        "memory beside the index: %,d MB of approvals, %,d MB for the same as statements%n%n",
        among.grants.bytes() >> 20, stated.index.bytes() - people.bytes() >> 20);
    searches(alone, among, stated);
    checks(alone, among, stated);
    first(among, people);
    ends(people);
  }

  private static State state(CompiledIndex index, CompiledGrants grants) {
    return new State(index, grants, new DecisionCache(1L << 30));
  }

  private static String subject(int size) {
    return "has-" + size;
  }

  private static String own(int i) {
    return SearchData.pk((i * 97L) % VisibilityWorld.DOCUMENTS);
  }

  private static String other(int i) {
    return SearchData.pk((i * 31L + 7) % VisibilityWorld.DOCUMENTS);
  }

  private CompiledIndex people() {
    AccessIndexEdit edit = world.rights.edit();
    for (int size : SIZES) {
      for (int i = 0; i < LIKE.groups(); i++) {
        edit.put(Table.MEMBERSHIP, "", subject(size), LIKE.group(i), 0, 0xF);
      }
    }
    for (int i = 0; i < OTHER_PEOPLE; i++) {
      int _ = edit.intern("other-" + i);
    }
    return edit.done();
  }

  private static CompiledGrants approvals(
      CompiledIndex index, CompiledGrants before, boolean others) {
    CompiledGrants.Edit edit = before.edit();
    for (int size : SIZES) {
      for (int i = 0; i < size; i++) {
        edit.approve(number(index, subject(size)), number(index, own(i)), RIGHT, BEGIN + SECOND);
      }
    }
    for (int i = 0; others && i < OTHERS; i++) {
      edit.approve(
          number(index, "other-" + i % OTHER_PEOPLE),
          number(index, other(i)),
          RIGHT,
          BEGIN + SECOND);
    }
    return edit.done();
  }

  private static int number(CompiledIndex index, String name) {
    return index.dictionary().find(name);
  }

  private static CompiledIndex statements(CompiledIndex people) {
    AccessIndexEdit edit = people.edit();
    for (int size : SIZES) {
      for (int i = 0; i < size; i++) {
        edit.put(Table.PERMISSION, "", own(i), subject(size), 0, READ);
      }
    }
    for (int i = 0; i < OTHERS; i++) {
      edit.put(Table.PERMISSION, "", other(i), "other-" + i % OTHER_PEOPLE, 0, READ);
    }
    return edit.done();
  }

  private void searches(State alone, State among, State stated) {
    System.out.println(
        "| own approvals | search | no others p50/p99 µs | among others p50/p99 µs | the same as statements p50/p99 µs | others/none p50 | p99 | approvals/statements p50 | p99 |");
    System.out.println("|---:|---|---:|---:|---:|---:|---:|---:|---:|");
    for (int size : SIZES) {
      String subject = subject(size);
      Map<Kind, List<Times>> all =
          SearchContest.compare(
              List.of(Kind.TERM, Kind.FACET),
              List.of(
                  contender("none", alone, subject),
                  contender("others", among, subject),
                  contender("statements", stated, subject)));
      all.forEach(
          (kind, times) -> {
            Times none = times.getFirst();
            Times others = times.get(1);
            Times statements = times.getLast();
            System.out.printf(
                "| %,d | %s | %,.0f / %,.0f | %,.0f / %,.0f | %,.0f / %,.0f | %.2f | %.2f | %.2f | %.2f |%n",
                size,
                kind.text(),
                none.p50(),
                none.p99(),
                others.p50(),
                others.p99(),
                statements.p50(),
                statements.p99(),
                others.p50() / none.p50(),
                others.p99() / none.p99(),
                others.p50() / statements.p50(),
                others.p99() / statements.p99());
          });
    }
    System.out.println();
  }

  private Contender contender(String name, State state, String subject) {
    return new Contender(
        name, question -> raw.ours(question, Optional.of(state.permitted(subject, BEGIN))));
  }

  private static void checks(State alone, State among, State stated) {
    System.out.println(
        "| own approvals | a check, no others ns | among others ns | the same as statements ns | others/none | approvals/statements |");
    System.out.println("|---:|---:|---:|---:|---:|---:|");
    for (int size : SIZES) {
      double[] best = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
      List<State> states = List.of(alone, among, stated);
      for (int round = 0; round < 2 + 3 * Driver.ROUNDS; round++) {
        for (int i = 0; i < 3; i++) {
          double nanos = check(states.get(i), subject(size));
          best[i] = round < 2 ? best[i] : Math.min(best[i], nanos);
        }
      }
      System.out.printf(
          "| %,d | %.0f | %.0f | %.0f | %.2f | %.2f |%n",
          size, best[0], best[1], best[2], best[1] / best[0], best[1] / best[2]);
    }
    System.out.println();
  }

  /// Checks of one's own and others' documents, half and half.
  private static double check(State state, String subject) {
    CompiledCheck check = new CompiledCheck(state.index, new LiveApprovals(state.grants, BEGIN));
    check.subject(subject);
    SplittableRandom random = new SplittableRandom(3);
    int count = 300_000;
    int[] asked = new int[count];
    for (int i = 0; i < count; i++) {
      asked[i] =
          number(
              state.index,
              i % 2 == 0 ? own(random.nextInt(10_000)) : other(random.nextInt(OTHERS)));
    }
    long found = 0;
    long begin = System.nanoTime();
    for (int resource : asked) {
      found += check.rights(resource) & READ;
    }
    long nanos = System.nanoTime() - begin;
    if (found < 0) {
      throw new IllegalStateException();
    }
    return (double) nanos / count;
  }

  private static void print(String what, List<Long> nanos) {
    Times times = Times.of(what, nanos);
    System.out.printf("| %s | %,.0f | %,.0f |%n", what, times.p50(), times.p99());
  }

  /// The first search after a grant: of who got it, and of somebody else.
  private void first(State among, CompiledIndex index) {
    System.out.println("| the first search after a grant | p50 µs | p99 µs |");
    System.out.println("|---|---:|---:|");
    List<SearchQuestion> questions = SearchQuestion.some(Kind.TERM, VisibilityWorld.DOCUMENTS);
    for (int size : SIZES) {
      List<Long> own = new ArrayList<>();
      List<Long> others = new ArrayList<>();
      CompiledGrants grants = among.grants;
      for (int i = 0; i < 400; i++) {
        CompiledGrants.Edit edit = grants.edit();
        edit.approve(number(index, subject(size)), number(index, other(i)), RIGHT, BEGIN + SECOND);
        grants = edit.done();
        State now = new State(index, grants, among.decisions);
        own.add(timed(now, subject(size), BEGIN, questions.get(i % questions.size())));
        others.add(
            timed(now, subject(size == 0 ? 10 : 0), BEGIN, questions.get(i % questions.size())));
      }
      print("with %,d, for who got it".formatted(size), own);
      print("with %,d, for somebody else".formatted(size), others);
    }
    System.out.println();
  }

  private long timed(State state, String subject, long now, SearchQuestion question) {
    long begin = System.nanoTime();
    raw.ours(question, Optional.of(state.permitted(subject, now)));
    return System.nanoTime() - begin;
  }

  /// Ten thousand approvals of one person end in the same second, each at another microsecond,
  /// while that person searches every millisecond.
  private void ends(CompiledIndex index) {
    CompiledGrants.Edit edit = CompiledGrants.NONE.edit();
    for (int i = 0; i < 10_000; i++) {
      edit.approve(
          number(index, subject(10_000)), number(index, own(i)), RIGHT, BEGIN + SECOND + 100L * i);
    }
    State state = state(index, edit.done());
    List<SearchQuestion> questions = SearchQuestion.some(Kind.TERM, VisibilityWorld.DOCUMENTS);
    List<Long> before = new ArrayList<>();
    List<Long> during = new ArrayList<>();
    List<Long> after = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      SearchQuestion question = questions.get(i % questions.size());
      before.add(timed(state, subject(10_000), BEGIN + i, question));
    }
    for (int i = 0; i < 1000; i++) {
      SearchQuestion question = questions.get(i % questions.size());
      during.add(timed(state, subject(10_000), BEGIN + SECOND + 1000L * i, question));
    }
    for (int i = 0; i < 1000; i++) {
      SearchQuestion question = questions.get(i % questions.size());
      after.add(timed(state, subject(10_000), BEGIN + 2 * SECOND + i, question));
    }
    System.out.println(
        "| 10,000 approvals end in one second, a search each millisecond | p50 µs | p99 µs |");
    System.out.println("|---|---:|---:|");
    print("before", before);
    print("while they end", during);
    print("after", after);
    System.out.println();
  }
}
