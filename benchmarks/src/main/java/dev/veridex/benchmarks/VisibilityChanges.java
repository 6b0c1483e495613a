package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.veridex.benchmarks.SearchContest.Times;
import dev.veridex.benchmarks.SearchQuestion.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// A group's right on half of all documents, given and taken again and again on one of our servers,
/// each followed by a search; next to the same change where it is about nothing.
final class VisibilityChanges {
  private static final int CHANGES = Integer.getInteger("changes", 1000);
  private static final int MEMBERS = 50_000;
  private static final String OTHER = "/v1/accounts/other";

  private final SearchWorld world;
  private final Loopback client;
  private final List<Long> acks = new ArrayList<>();
  private final List<Long> others = new ArrayList<>();
  private final List<Long> searches = new ArrayList<>();
  private int wrong;

  private VisibilityChanges(SearchWorld world, Loopback client) {
    this.world = world;
    this.client = client;
  }

  static void run() {
    try (SearchWorld world = new SearchWorld()) {
      world.settle();
      world.server().text("PUT", OTHER, "{}");
      try (Loopback client = new Loopback(world.server().port)) {
        new VisibilityChanges(world, client).run(SearchWorld.DOCUMENTS / 2);
      }
    }
  }

  private void run(long half) {
    for (long from = 0; from < half; from += MEMBERS) {
      String some =
          LongStream.range(from, Math.min(half, from + MEMBERS))
              .mapToObj(n -> "\"" + SearchData.pk(n) + "\"")
              .collect(Collectors.joining(","));
      member(SearchWorld.ACCOUNT, "in-" + from, "half", "[" + some + "]");
    }
    for (String account : List.of(SearchWorld.ACCOUNT, OTHER)) {
      member(account, "u", "group", "\"u\"");
    }
    // Until everything is in memory and compiled.
    change(CHANGES);
    acks.clear();
    others.clear();
    searches.clear();
    double before = written();
    change(CHANGES);
    double changed = written() - before;
    world.send(1, 1, Double.MAX_VALUE);
    world.awaitAll();
    print(half, changed, written() - before - changed);
  }

  private double written() {
    return world.metric("veridex_search_written_total");
  }

  private void change(int count) {
    // A word that many documents have.
    byte[] question = SearchQuestion.some(Kind.TERM, SearchWorld.DOCUMENTS).getFirst().json();
    byte[] search =
        SearchProcess.request("POST", SearchWorld.SEARCH, as("u", new String(question, US_ASCII)));
    for (int i = 0; i < count; i++) {
      boolean may = i % 2 == 0;
      others.add(state(OTHER, right(may)));
      acks.add(state(SearchWorld.ACCOUNT, right(may)));
      long begin = System.nanoTime();
      long found = SearchWorld.total(client.ask(search));
      searches.add(System.nanoTime() - begin);
      wrong += found > 0 == may ? 0 : 1;
    }
  }

  private static byte[] as(String subject, String search) {
    return search.replaceFirst("\\{", "{\"as\":\"" + subject + "\",").getBytes(US_ASCII);
  }

  /// @param changed how often anything was written to the index because rights changed
  /// @param document the same for one document
  private void print(long half, double changed, double document) {
    System.out.printf(
        "%nchange: one group's right on %,d of %,d documents, %,d times, over HTTP%n%n",
        half, world.documents(), CHANGES);
    System.out.println("| | p50 µs | p99 µs |");
    System.out.println("|---|---:|---:|");
    Times ack = Times.of("ACK, on half of all documents", acks);
    Times other = Times.of("ACK, on nothing", others);
    for (Times each : List.of(ack, other, Times.of("the next search", searches))) {
      System.out.printf("| %s | %,.0f | %,.0f |%n", each.name(), each.p50(), each.p99());
    }
    System.out.printf(
        "%nwrong answers after the ACK: %d; written to the index by the changes: %,.0f, by one document"
            + " after them: %,.0f%n",
        wrong, changed, document);
    DocumentContest.goal("delay of the ACK, p99 in ms", (ack.p99() - other.p99()) / 1e3, false, 5);
    DocumentContest.goal("written to the index", changed, false, 0);
  }

  private void member(String account, String id, String group, String resources) {
    state(
        account,
        "{\"@id\":\"%s\",\"rdf:type\":\"v-s:Membership\",\"v-s:memberOf\":\"%s\",\"v-s:resource\":%s}"
            .formatted(id, group, resources));
  }

  private static String right(boolean may) {
    return "{\"@id\":\"right\",\"rdf:type\":\"v-s:PermissionStatement\",\"v-s:permissionObject\":\"half\",\"v-s:permissionSubject\":\"group\",\"v-s:canRead\":%s}"
        .formatted(may);
  }

  /// @return how long it took
  private long state(String account, String json) {
    byte[] request =
        SearchProcess.request("POST", account + "/access/individuals", json.getBytes(US_ASCII));
    long begin = System.nanoTime();
    client.http(request);
    return System.nanoTime() - begin;
  }
}
