package dev.veridex.benchmarks;

import dev.veridex.benchmarks.SearchContest.Contender;
import dev.veridex.benchmarks.SearchContest.Times;
import dev.veridex.benchmarks.SearchQuestion.Kind;
import java.util.List;
import java.util.Map;

/// Our server next to OpenSearch: the same documents, and the same questions in turn.
final class SearchRivals {
  private SearchRivals() {}

  static void run(SearchWorld world) {
    world.settle();
    System.out.printf("%nopensearch: over HTTP, %,d documents%n", world.documents());
    try (OpenSearch rival = new OpenSearch()) {
      System.out.printf(
          "OpenSearch %s, 1 shard, no replicas, translog.durability=request%n", rival.version());
      ingest(world, rival);
      rival.settle();
      query(world, rival);
    } catch (SearchProcess.CannotStart e) {
      System.out.println("OpenSearch cannot be started here, so there is nothing to compare: " + e);
    }
  }

  private static void ingest(SearchWorld world, OpenSearch rival) {
    double ours = world.fill().searchable();
    double theirs = rival.fill(SearchWorld.WARM_UP, SearchWorld.DOCUMENTS, SearchWorld.STREAMS);
    world.server().collectGarbage();
    System.out.printf("%n| who | streams | searchable /s | index MB | heap used MB |%n");
    System.out.println("|---|---:|---:|---:|---:|");
    print("ours", ours, SearchProcess.bytes(world.indexes()), (long) world.heap());
    print("OpenSearch", theirs, rival.bytes(), rival.heap());
    System.out.println();
    DocumentContest.goal("ingest against OpenSearch", ours / theirs, true, 1.5);
  }

  private static void print(String who, double perSecond, long index, long heap) {
    System.out.printf(
        "| %s | %d | %,.0f | %,d | %,d |%n",
        who, SearchWorld.STREAMS, perSecond, index >> 20, heap >> 20);
  }

  private static void query(SearchWorld world, OpenSearch rival) {
    System.out.printf(
        "%n| search | ours p50/p99 µs | OpenSearch p50/p99 µs | p50: ours/OpenSearch |%n");
    System.out.println("|---|---:|---:|---:|");
    Map<Kind, List<Times>> all;
    try (Loopback ours = new Loopback(world.server().port);
        Loopback theirs = new Loopback(rival.port())) {
      all =
          SearchContest.compare(
              List.of(
                  new Contender("ours", question -> SearchWorld.ask(ours, question)),
                  new Contender("OpenSearch", question -> OpenSearch.ask(theirs, question))));
    }
    all.forEach(SearchRivals::print);
    System.out.println();
    all.forEach(
        (kind, times) ->
            DocumentContest.goal(kind.text() + ", p50 against OpenSearch", ratio(times), false, 1));
  }

  private static double ratio(List<Times> times) {
    return times.getFirst().p50() / times.getLast().p50();
  }

  private static void print(Kind kind, List<Times> times) {
    Times ours = times.getFirst();
    Times theirs = times.getLast();
    System.out.printf(
        "| %s | %,.0f / %,.0f | %,.0f / %,.0f | %.2f |%n",
        kind.text(), ours.p50(), ours.p99(), theirs.p50(), theirs.p99(), ratio(times));
  }
}
