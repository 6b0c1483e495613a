package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.veridex.json.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import tools.jackson.databind.JsonNode;

/// OpenSearch with the same documents: a process of its own, one shard, no replicas, and every bulk
/// on disk when it is answered.
final class OpenSearch implements AutoCloseable {
  /// How many documents a bulk has.
  private static final int BULK = Integer.getInteger("bulk", 1000);

  private static final String INDEX = "/items";
  private static final String SETTINGS =
      """
      {"settings":{"index":{
      "number_of_shards":1,"number_of_replicas":0,"translog.durability":"request"}},
      "mappings":{"dynamic":false,"properties":{
      "title":{"type":"text","fields":{"keyword":{"type":"keyword"}}},
      "body":{"type":"text"},
      "category":{"type":"keyword"},
      "price":{"type":"double"},
      "created":{"type":"date"},
      "tags":{"type":"keyword"},
      "acl":{"type":"keyword"}}}}""";

  private final LongFunction<byte[]> fields;
  private final Path folder = Data.folder();
  private final SearchProcess process;

  /// @throws SearchProcess.CannotStart if it was not built or does not start
  OpenSearch() {
    this(SearchData::fields);
  }

  /// @param fields of each document, as JSON
  OpenSearch(LongFunction<byte[]> fields) {
    this.fields = fields;
    Path built = Path.of(System.getProperty("opensearch", "opensearch"));
    try {
      process =
          SearchProcess.start(
              folder.resolve("log"),
              "/_cluster/health",
              port ->
                  List.of(
                      "-cp",
                      built.resolve("opensearch-node.jar") + ":" + built.resolve("lib") + "/*",
                      "dev.veridex.benchmarks.opensearch.OpenSearchNode",
                      folder.toString(),
                      String.valueOf(port)));
    } catch (SearchProcess.CannotStart e) {
      Data.delete(folder);
      throw e;
    }
  }

  int port() {
    return process.port;
  }

  String version() {
    return process.ask("GET", "/", "").at("/version/number").asString();
  }

  /// Puts documents in until all are found.
  ///
  /// @param warmUp how many of them are not timed
  /// @return how many a second
  double fill(long warmUp, long documents, int connections) {
    process.text("PUT", INDEX, SETTINGS);
    put(0, warmUp, connections);
    long begin = System.nanoTime();
    put(warmUp, documents, connections);
    double perSecond = (documents - warmUp) / ((System.nanoTime() - begin) / 1e9);
    long found = process.ask("GET", INDEX + "/_count", "").get("count").asLong();
    if (found != documents) {
      throw new IllegalStateException(found + " of " + documents + " are found");
    }
    return perSecond;
  }

  private void put(long from, long to, int connections) {
    AtomicLong next = new AtomicLong(from);
    Driver.inParallel(
        connections,
        () -> {
          try (Loopback client = new Loopback(process.port)) {
            for (long first = next.getAndAdd(BULK); first < to; first = next.getAndAdd(BULK)) {
              bulk(client, first, Math.min(to, first + BULK));
            }
          }
        });
    process.text("POST", INDEX + "/_refresh", "");
  }

  private void bulk(Loopback client, long first, long end) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try {
      for (long n = first; n < end; n++) {
        body.write("{\"index\":{\"_id\":\"%s\"}}\n".formatted(SearchData.pk(n)).getBytes(US_ASCII));
        body.write(fields.apply(n));
        body.write('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] request =
        Loopback.requestWith(
            "POST", INDEX + "/_bulk", "Content-Type: application/x-ndjson", body.toByteArray());
    Loopback.Reply reply = client.ask(request);
    if (reply.status() != 200 || JsonText.read(reply.body()).get("errors").asBoolean()) {
      throw new IllegalStateException(new String(reply.body(), US_ASCII));
    }
  }

  /// Waits until nothing is done any more.
  void settle() {
    process.awaitMerges();
    process.text("POST", INDEX + "/_flush", "");
    process.text("POST", INDEX + "/_refresh", "");
  }

  /// Asks for documents with a word that a filter lets pass.
  ///
  /// @return the answer
  static JsonNode ask(Loopback client, String word, String filter) {
    String body =
        "{\"track_total_hits\":true,\"size\":10,\"query\":{\"bool\":{\"must\":[{\"match\":{\"body\":\"%s\"}}],\"filter\":[%s]}}}"
            .formatted(word, filter);
    return JsonText.read(
        client
            .ask(SearchProcess.request("POST", INDEX + "/_search", body.getBytes(US_ASCII)))
            .body());
  }

  /// Asks a question over HTTP.
  static LongSupplier ask(Loopback client, SearchQuestion question) {
    Loopback.Reply reply =
        client.ask(SearchProcess.request("POST", INDEX + "/_search", question.openSearch()));
    return () -> total(reply);
  }

  private static long total(Loopback.Reply reply) {
    JsonNode answer = JsonText.read(reply.body());
    if (reply.status() != 200) {
      throw new IllegalStateException(answer.toString());
    }
    return answer.at("/hits/total/value").asLong();
  }

  /// The bytes of its index.
  long bytes() {
    return process
        .ask("GET", INDEX + "/_stats/store", "")
        .at("/_all/primaries/store/size_in_bytes")
        .asLong();
  }

  /// The bytes of objects that somebody needs.
  long heap() {
    process.collectGarbage();
    for (JsonNode node : process.ask("GET", "/_nodes/stats/jvm", "").get("nodes")) {
      return node.at("/jvm/mem/heap_used_in_bytes").asLong();
    }
    throw new IllegalStateException("there is one node");
  }

  @Override
  public void close() {
    process.close();
    Data.delete(folder);
  }
}
