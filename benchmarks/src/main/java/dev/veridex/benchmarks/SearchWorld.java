package dev.veridex.benchmarks;

import dev.veridex.benchmarks.DocumentStreams.Sent;
import dev.veridex.benchmarks.DocumentStreams.Source;
import dev.veridex.json.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// One of our servers, in a process of its own, with a bucket of documents to search.
final class SearchWorld implements AutoCloseable {
  static final long DOCUMENTS = Long.getLong("documents", 1_000_000);

  /// The first of them, while which everything gets going: they are not timed.
  static final long WARM_UP = DOCUMENTS / 20;

  static final int STREAMS = Integer.getInteger("streams", 2);

  static final String ACCOUNT = "/v1/accounts/acme";
  private static final String BUCKET = ACCOUNT + "/buckets/items";
  static final String TARGET = BUCKET + "/documents";
  static final String SEARCH = BUCKET + "/search";

  private static final String SCHEMA =
      """
      {"fields":{
      "title":{"type":"string","filter":true,"sort":true,"facet":true},
      "body":{"type":"text"},
      "category":{"type":"keyword","filter":true,"sort":true,"facet":true},
      "price":{"type":"number","filter":true,"sort":true,"facet":true},
      "created":{"type":"timestamp","filter":true,"sort":true,"facet":true},
      "tags":{"type":"keyword","multi":true,"filter":true,"facet":true}}}""";

  private final Path folder = Data.folder();
  private Optional<SearchProcess> process = Optional.empty();
  private final AtomicLong documents = new AtomicLong();
  private String revision = "";
  private Optional<Filling> filling = Optional.empty();
  private volatile boolean settled;

  /// How it went to put all documents in.
  ///
  /// @param accepted documents a second, until the last was accepted
  /// @param searchable documents a second, until all were found
  /// @param lag between the two
  record Filling(double accepted, double searchable, Duration lag) {}

  /// The server, which is started if it is not running.
  SearchProcess server() {
    if (process.isEmpty()) {
      process =
          Optional.of(
              SearchProcess.start(
                  folder.resolve("log"),
                  "/health/ready",
                  port ->
                      List.of(
                          "-cp",
                          System.getProperty("java.class.path"),
                          "dev.veridex.Main",
                          "server",
                          "--port=" + port,
                          "--data=" + folder.resolve("data"),
                          "--set=log.access=false",
                          "--set=rootToken=" + HttpCalls.SECRET)));
    }
    return process.get();
  }

  void stop() {
    process.ifPresent(SearchProcess::close);
    process = Optional.empty();
  }

  /// Where the indexes are.
  Path indexes() {
    return only(folder.resolve("data").resolve("index"));
  }

  /// The only index.
  Path index() {
    return only(indexes());
  }

  private static Path only(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.findFirst().orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// How many documents are in it.
  long documents() {
    return documents.get();
  }

  /// Puts all documents in, if they are not there yet.
  Filling fill() {
    if (filling.isEmpty()) {
      SearchProcess server = server();
      server.text("PUT", ACCOUNT, "{}");
      server.text("PUT", BUCKET, "{\"type\":\"documents\"}");
      server.text("PUT", BUCKET + "/epochs/1", SCHEMA);
      send(WARM_UP, STREAMS, Double.MAX_VALUE);
      awaitAll();
      long timed = DOCUMENTS - WARM_UP;
      long begin = System.nanoTime();
      send(timed, STREAMS, Double.MAX_VALUE);
      long accepted = System.nanoTime();
      awaitAll();
      long found = System.nanoTime();
      filling =
          Optional.of(
              new Filling(
                  timed / ((accepted - begin) / 1e9),
                  timed / ((found - begin) / 1e9),
                  Duration.ofNanos(found - accepted)));
    }
    return filling.get();
  }

  /// Puts all documents in, waits until nothing is done any more, and starts the server anew: it
  /// searches the files that are there in the end.
  void settle() {
    fill();
    if (!settled) {
      server().awaitMerges();
      stop();
      server();
      awaitAll();
      settled = true;
    }
  }

  /// Sends more documents.
  ///
  /// @param perSecond how many at most
  void send(long count, int streams, double perSecond) {
    List<Source> sources = new ArrayList<>();
    settled = false;
    long first = documents.getAndAdd(count);
    for (int i = 0; i < streams; i++) {
      sources.add(
          new Range(
              first + i * count / streams, first + (i + 1) * count / streams, perSecond / streams));
    }
    List<Sent> sent = DocumentStreams.send(server().port, TARGET, "application/x-ndjson", sources);
    // What was written last is not known: any that is as late will do.
    revision = sent.getLast().revision();
  }

  /// Sends more documents, when it is run.
  Runnable sending(long count, double perSecond) {
    return () -> send(count, 1, perSecond);
  }

  /// Takes the number of a document that somebody sends by itself.
  long take() {
    settled = false;
    return documents.getAndIncrement();
  }

  /// Documents by number, not faster than they should be.
  private static final class Range implements Source {
    private final long first;
    private final long end;
    private final double perSecond;
    private final long begin = System.nanoTime();
    private long next;

    private Range(long first, long end, double perSecond) {
      this.first = first;
      this.end = end;
      this.perSecond = perSecond;
      this.next = first;
    }

    @Override
    public boolean isOver() {
      return next >= end;
    }

    @Override
    public void write(ByteArrayOutputStream out) throws IOException {
      long due = begin + (long) ((next - first) / perSecond * 1e9);
      long early = due - System.nanoTime();
      if (early > 0) {
        SearchProcess.pause(Duration.ofNanos(early));
      }
      out.write(SearchData.json(next++));
      out.write('\n');
    }
  }

  /// Waits until everything is found.
  void awaitAll() {
    byte[] search =
        SearchProcess.request(
            "POST",
            SEARCH,
            "{\"limit\":0,\"waitMs\":30000,\"atLeast\":\"%s\"}".formatted(revision).getBytes());
    try (Loopback client = new Loopback(server().port)) {
      Loopback.Reply reply = client.ask(search);
      while (reply.status() == 503) {
        reply = client.ask(search);
      }
      if (total(reply) != documents()) {
        throw new IllegalStateException("not all is found: " + new String(reply.body()));
      }
    }
  }

  /// How many bytes of objects the server has.
  double heap() {
    return metric("veridex_heap_used_bytes");
  }

  /// What the server counts.
  double metric(String name) {
    return server()
        .text("GET", "/metrics", "")
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.split(" ")[1]))
        .findFirst()
        .orElseThrow();
  }

  /// How many documents an answer says there are.
  static long total(Loopback.Reply reply) {
    if (reply.status() != 200) {
      throw new IllegalStateException(
          "answered " + reply.status() + ": " + new String(reply.body()));
    }
    return JsonText.read(reply.body()).get("total").asLong();
  }

  /// Asks a question over HTTP.
  static LongSupplier ask(Loopback client, SearchQuestion question) {
    Loopback.Reply reply = client.ask(SearchProcess.request("POST", SEARCH, question.json()));
    return () -> total(reply);
  }

  @Override
  public void close() {
    stop();
    Data.delete(folder);
  }
}
