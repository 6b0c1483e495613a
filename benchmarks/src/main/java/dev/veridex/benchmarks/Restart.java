package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How long it takes from starting a server that was killed while it was being loaded to its first
/// right answer.
final class Restart {
  private static final int BATCH = 2000;
  private static final int TIMES = 3;
  private static final int AFTER_LOADING = 60;
  private static final String DOCS = "/v1/accounts/acme/buckets/docs";
  private static final Pattern ACKNOWLEDGED = Pattern.compile("\"status\":\"ACK\"");
  private static final Pattern TOTAL = Pattern.compile("\"total\":(\\d+)");
  private static final Pattern PERCENT = Pattern.compile("\"percent\":\"?(\\d+)");

  private final Path root;
  private final Path data;
  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicLong acknowledged = new AtomicLong();
  private final Random random = new Random(1);
  private long next;
  private int port;
  private String token = "";

  private Restart(Path root, Path data) {
    this.root = root;
    this.data = data;
  }

  /// @param root the folder of the project, where the launcher is
  static void run(Path root, int documents) throws IOException, InterruptedException {
    Path data = Data.folder();
    try {
      new Restart(root, data).run(documents);
    } finally {
      Data.delete(data);
    }
  }

  private void run(int documents) throws IOException, InterruptedException {
    Process server = start();
    awaitAnswer();
    token = Files.readString(data.resolve("data/root-token")).strip();
    ask("PUT", "/v1/accounts/acme", "{}");
    ask("PUT", DOCS, "{\"type\":\"documents\"}");
    while (acknowledged.get() < documents) {
      load(BATCH);
    }
    for (int time = 0; time < TIMES; time++) {
      // Killed in the middle of the next batches.
      Process killed = server;
      Thread killer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    sleep(3000 + random.nextInt(500));
                    killed.destroyForcibly();
                  });
      boolean alive = true;
      for (int i = 0; alive && i < AFTER_LOADING; i++) {
        alive = load(BATCH);
      }
      killer.join();
      killed.waitFor();
      long begin = System.nanoTime();
      server = start();
      awaitAnswer();
      long answering = System.nanoTime();
      List<Integer> percents = new ArrayList<>();
      long total = awaitTotal(percents);
      long end = System.nanoTime();
      System.out.printf(
          "%,d documents acknowledged, %,d found (a batch of %,d was under way); first answer of any kind after %,d ms, first search after %,d ms, told on the way: %s %%%n",
          acknowledged.get(),
          total,
          BATCH,
          (answering - begin) / 1_000_000,
          (end - begin) / 1_000_000,
          percents);
      if (total < acknowledged.get()) {
        throw new IllegalStateException("documents are missing");
      }
      acknowledged.set(total);
    }
    server.destroyForcibly();
    server.waitFor();
    client.close();
  }

  private Process start() throws IOException {
    port = StartUp.freePort();
    return new ProcessBuilder(
            root.resolve("veridex").toString(),
            "server",
            "--port",
            String.valueOf(port),
            "--data",
            data.resolve("data").toString(),
            "--set",
            "log.access=false")
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /// @return whether it was answered
  private boolean load(int count) {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      lines.writeBytes(SearchData.json(next++));
      lines.write('\n');
    }
    try {
      HttpResponse<String> answer =
          client.send(
              request("POST", DOCS + "/documents", lines.toByteArray())
                  .header("Content-Type", "application/x-ndjson")
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      acknowledged.addAndGet(ACKNOWLEDGED.matcher(answer.body()).results().count());
      return answer.statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private long awaitTotal(List<Integer> percents) throws IOException, InterruptedException {
    while (true) {
      String answer = ask("POST", DOCS + "/search", "{\"limit\":1}");
      Matcher total = TOTAL.matcher(answer);
      if (total.find()) {
        return Long.parseLong(total.group(1));
      }
      Matcher percent = PERCENT.matcher(answer);
      if (percent.find()
          && (percents.isEmpty() || percents.getLast() != Integer.parseInt(percent.group(1)))) {
        percents.add(Integer.parseInt(percent.group(1)));
      }
    }
  }

  private void awaitAnswer() {
    while (true) {
      try {
        ask("GET", "/health/live", "");
        return;
      } catch (IOException | InterruptedException e) {
        sleep(5);
      }
    }
  }

  private String ask(String method, String target, String body)
      throws IOException, InterruptedException {
    return client
        .send(
            request(method, target, body.getBytes(UTF_8)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private HttpRequest.Builder request(String method, String target, byte[] body) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
        .header("Authorization", "Bearer " + token)
        .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
