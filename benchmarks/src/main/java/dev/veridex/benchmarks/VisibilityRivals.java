package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.veridex.access.visibility.DecisionCache;
import dev.veridex.access.visibility.PermittedResources;
import dev.veridex.benchmarks.SearchContest.Times;
import dev.veridex.benchmarks.SearchQuestion.Kind;
import dev.veridex.benchmarks.VisibilityWorld.Person;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;

/// The first search after a right has changed, next to OpenSearch: there, each document has the
/// groups that may read it, and a search names all groups that somebody is in, one of them another
/// one each time.
final class VisibilityRivals {
  private static final int READ = 2;
  private static final int SEARCHES = Integer.getInteger("firsts", 40);

  /// All do all of it so often before it is measured.
  private static final int GET_GOING = 3;

  private static final List<Person> MANY =
      VisibilityWorld.PERCENT.stream().map(percent -> new Person(10_000, percent)).toList();

  private final VisibilityWorld world;
  private final SearchRaw raw;
  private final Loopback client;
  private final DecisionCache decisions = new DecisionCache(1L << 30);
  private final List<SearchQuestion> questions =
      SearchQuestion.some(Kind.TERM, VisibilityWorld.DOCUMENTS);

  private VisibilityRivals(VisibilityWorld world, Loopback client) throws IOException {
    this.world = world;
    this.raw = new SearchRaw(world.view, world.reader);
    this.client = client;
  }

  static void run(VisibilityWorld world) throws IOException {
    try (OpenSearch rival = new OpenSearch(VisibilityRivals::document)) {
      rival.fill(0, VisibilityWorld.DOCUMENTS, 2);
      rival.settle();
      System.out.printf(
          "opensearch: the first search after a right has changed, 10,000 groups; OpenSearch %s over HTTP, ours in this process%n%n",
          rival.version());
      try (Loopback client = new Loopback(rival.port())) {
        new VisibilityRivals(world, client).compare();
      }
    } catch (SearchProcess.CannotStart e) {
      System.out.println("OpenSearch cannot be started here, so there is nothing to compare: " + e);
    }
  }

  /// A document with the groups of everybody here that may read it.
  private static byte[] document(long n) {
    String acl =
        MANY.stream()
            .flatMap(
                person ->
                    person.reads(VisibilityWorld.folderOf(n)).stream()
                        .map(group -> "\"" + person.group(group) + "\""))
            .collect(Collectors.joining(","));
    String json = new String(SearchData.fields(n), US_ASCII);
    return (json.substring(0, json.length() - 1) + ",\"acl\":[" + acl + "]}").getBytes(US_ASCII);
  }

  private record Measured(Person person, double ours, double theirs, double took) {}

  private void compare() {
    List<Measured> last = List.of();
    for (int round = 0; round <= GET_GOING; round++) {
      int first = round * SEARCHES;
      last = MANY.stream().map(person -> measure(person, first)).toList();
    }
    System.out.println(
        "| permitted | ours p50 ms | OpenSearch p50 ms | its own count, p50 ms | ours is so many times faster |");
    System.out.println("|---:|---:|---:|---:|---:|");
    for (Measured each : last) {
      System.out.printf(
          "| %d %% | %.2f | %.2f | %.0f | %.1f |%n",
          each.person.percent(), each.ours, each.theirs, each.took, each.took / each.ours);
    }
    System.out.println();
    for (Measured each : last) {
      DocumentContest.goal(
          "10,000 groups, %d %% permitted".formatted(each.person.percent()),
          each.took / each.ours,
          true,
          5);
    }
  }

  /// One after the other: neither finds what the other one has left of the processor's caches.
  ///
  /// @param first a number from which on nobody has measured: no filter is asked for twice, though
  ///   the words are
  private Measured measure(Person person, int first) {
    List<Long> ours = new ArrayList<>();
    List<Long> theirs = new ArrayList<>();
    List<Long> took = new ArrayList<>();
    for (int i = first; i < first + SEARCHES; i++) {
      world.change(person, i, false);
      long begin = System.nanoTime();
      PermittedResources permitted = decisions.of(world.rights, person.id(), List.of(), READ);
      raw.ours(questions.get(i - first), Optional.of(permitted));
      ours.add(System.nanoTime() - begin);
      world.change(person, i, true);
    }
    for (int i = first; i < first + SEARCHES; i++) {
      String filter = filter(person, i);
      long begin = System.nanoTime();
      JsonNode answer = OpenSearch.ask(client, questions.get(i - first).first(), filter);
      theirs.add(System.nanoTime() - begin);
      took.add(answer.get("took").asLong() * 1_000_000);
    }
    return new Measured(person, p50(ours), p50(theirs), p50(took));
  }

  private static String filter(Person person, int gone) {
    String terms =
        IntStream.range(0, person.groups())
            .filter(group -> group != gone)
            .mapToObj(group -> "\"" + person.group(group) + "\"")
            .collect(Collectors.joining(","));
    return "{\"terms\":{\"acl\":[" + terms + "]}}";
  }

  private static double p50(List<Long> nanos) {
    return Times.of("", nanos).p50() / 1e3;
  }
}
