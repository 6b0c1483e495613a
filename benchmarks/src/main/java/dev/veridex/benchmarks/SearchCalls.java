package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.veridex.benchmarks.SearchContest.Contender;
import dev.veridex.benchmarks.SearchContest.Times;
import dev.veridex.benchmarks.SearchQuestion.Kind;
import dev.veridex.json.JsonText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/// Searches: how fast documents can be found after they came, how fast they are found, how long a
/// new index takes; next to Lucene itself, and to OpenSearch.
///
/// The server is a process of its own and shares the machine with whoever asks.
final class SearchCalls {
  /// In this order each finds what it needs: what adds documents comes after what compares them.
  private static final List<String> PARTS =
      List.of("ingest", "query", "opensearch", "latency", "raw", "rebuild", "vectors");

  private static final Duration BETWEEN = Duration.ofMillis(10);

  private SearchCalls() {}

  /// @param parts some of them; none: all
  static void run(List<String> parts) {
    for (String part : parts) {
      if (!PARTS.contains(part)) {
        throw new IllegalArgumentException("no part " + part);
      }
    }
    try (SearchWorld world = new SearchWorld()) {
      for (String part : PARTS) {
        if (parts.isEmpty() || parts.contains(part)) {
          run(part, world);
        }
      }
    }
  }

  private static void run(String part, SearchWorld world) {
    switch (part) {
      case "ingest" -> ingest(world);
      case "query" -> query(world);
      case "opensearch" -> SearchRivals.run(world);
      case "latency" -> latency(world);
      case "raw" -> SearchRaw.run(world);
      case "rebuild" -> rebuild(world);
      case "vectors" -> SearchVectors.run();
      default -> throw new IllegalArgumentException("no part " + part);
    }
  }

  private static void ingest(SearchWorld world) {
    SearchWorld.Filling filling = world.fill();
    System.out.printf(
        "%ningest: %,d documents of %,d bytes, JSON lines in %d streams, the first %,d untimed%n%n",
        SearchWorld.DOCUMENTS, SearchData.json(0).length, SearchWorld.STREAMS, SearchWorld.WARM_UP);
    System.out.println(
        "| accepted /s | searchable /s | from the last answer until all are found |");
    System.out.println("|---:|---:|---:|");
    System.out.printf(
        "| %,.0f | %,.0f | %.1f s |%n",
        filling.accepted(), filling.searchable(), filling.lag().toMillis() / 1e3);
  }

  private static void query(SearchWorld world) {
    world.settle();
    System.out.printf(
        "%nquery: over HTTP, one after the other, %,d documents%n%n", world.documents());
    System.out.println("| search | p50 µs | p99 µs | /s |");
    System.out.println("|---|---:|---:|---:|");
    try (Loopback client = new Loopback(world.server().port)) {
      SearchContest.compare(
              List.of(new Contender("HTTP", question -> SearchWorld.ask(client, question))))
          .forEach((kind, times) -> print(kind, times.getFirst()));
    }
    world.server().collectGarbage();
    System.out.printf(
        "%nindex %,d MB, %,.0f bytes a document; heap used %,d MB, garbage aside%n",
        SearchProcess.bytes(world.indexes()) >> 20,
        (double) SearchProcess.bytes(world.indexes()) / world.documents(),
        (long) world.heap() >> 20);
  }

  private static void print(Kind kind, Times times) {
    System.out.printf(
        "| %s | %,.0f | %,.0f | %,.0f |%n",
        kind.text(), times.p50(), times.p99(), 1e6 / times.mean());
  }

  private static void latency(SearchWorld world) {
    double perSecond = world.fill().searchable();
    System.out.printf(
        "%nlatency: from the answer to one document until a search has found it, %,d documents%n%n",
        world.documents());
    System.out.println("| meanwhile | samples | p50 ms | p99 ms |");
    System.out.println("|---|---:|---:|---:|");
    long duration = Driver.ROUNDS * Driver.ROUND_NANOS;
    probe(world, () -> false, Driver.ROUND_NANOS);
    Times idle = print("nothing", probe(world, () -> false, duration));
    double load = perSecond * Integer.getInteger("load", 50) / 100;
    long count = Math.max(1, (long) (load * duration / 1e9));
    Thread sending = Thread.ofPlatform().start(world.sending(count, load));
    Times loaded =
        print(
            "%,.0f documents/s".formatted(load), probe(world, () -> !sending.isAlive(), duration));
    Driver.join(sending);
    world.awaitAll();
    System.out.println();
    DocumentContest.goal("alone, p99 in ms", idle.p99() / 1e3, false, 50);
    DocumentContest.goal("under load, p99 in ms", loaded.p99() / 1e3, false, 1000);
  }

  private static Times print(String meanwhile, List<Long> nanos) {
    Times times = Times.of(meanwhile, nanos);
    System.out.printf(
        "| %s | %,d | %.1f | %.1f |%n",
        meanwhile, nanos.size(), times.p50() / 1e3, times.p99() / 1e3);
    return times;
  }

  /// Sends a document, searches for it, and so on.
  private static List<Long> probe(SearchWorld world, BooleanSupplier over, long duration) {
    List<Long> nanos = new ArrayList<>();
    try (Loopback client = new Loopback(world.server().port)) {
      long end = System.nanoTime() + duration;
      while (nanos.isEmpty() || (System.nanoTime() < end && !over.getAsBoolean())) {
        nanos.add(probe(client, world.take()));
        SearchProcess.pause(BETWEEN);
      }
    }
    return nanos;
  }

  private static long probe(Loopback client, long n) {
    Loopback.Reply sent =
        client.ask(SearchProcess.request("POST", SearchWorld.TARGET, SearchData.json(n)));
    long begin = System.nanoTime();
    String revision = JsonText.read(sent.body()).get("revision").asString();
    Loopback.Reply found =
        client.ask(
            SearchProcess.request(
                "POST",
                SearchWorld.SEARCH,
                "{\"query\":\"%s\",\"fields\":[\"title\"],\"atLeast\":\"%s\"}"
                    .formatted(SearchData.own(n), revision)
                    .getBytes(US_ASCII)));
    long nanos = System.nanoTime() - begin;
    if (SearchWorld.total(found) != 1) {
      throw new IllegalStateException("not found: " + new String(found.body(), US_ASCII));
    }
    return nanos;
  }

  private static void rebuild(SearchWorld world) {
    world.settle();
    world.stop();
    Data.delete(world.indexes());
    long begin = System.nanoTime();
    world.server();
    double ready = (System.nanoTime() - begin) / 1e9;
    world.awaitAll();
    double found = (System.nanoTime() - begin) / 1e9;
    System.out.printf("%nrebuild: the server is started without its index%n%n");
    System.out.println("| documents | ready after | all found after | documents/s |");
    System.out.println("|---:|---:|---:|---:|");
    System.out.printf(
        "| %,d | %.1f s | %.1f s | %,.0f |%n",
        world.documents(), ready, found, world.documents() / (found - ready));
  }
}
