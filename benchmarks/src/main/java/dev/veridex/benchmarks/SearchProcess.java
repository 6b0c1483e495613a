package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.veridex.json.JsonText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/// A server in a process of its own, with the flags of this one, that answers over HTTP.
final class SearchProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Process process;
  private final Path log;
  final int port;

  private SearchProcess(Process process, Path log, int port) {
    this.process = process;
    this.log = log;
    this.port = port;
  }

  /// A server did not start.
  static final class CannotStart extends RuntimeException {
    private CannotStart(String message) {
      super(message);
    }
  }

  /// What comes after the flags of the JVM.
  interface Arguments {
    List<String> of(int port);
  }

  /// Starts one and waits until it answers.
  ///
  /// @param log where its output goes
  /// @param ready what answers with success once it can serve
  static SearchProcess start(Path log, String ready, Arguments arguments) {
    try {
      int port = StartUp.freePort();
      List<String> command = new ArrayList<>();
      command.add(java("java").toString());
      command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
      command.addAll(arguments.of(port));
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      // Nothing is left running when somebody ends this one.
      Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(process::destroy));
      SearchProcess started = new SearchProcess(process, log, port);
      started.await(ready);
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path java(String tool) {
    return Path.of(System.getProperty("java.home"), "bin", tool);
  }

  private void await(String ready) throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end && process.isAlive()) {
      try (Loopback client = new Loopback(port)) {
        if (client.ask(Loopback.request("GET", ready, HttpCalls.SECRET, new byte[0])).status()
            == 200) {
          return;
        }
      } catch (UncheckedIOException e) {
        // It does not listen yet.
      }
      pause(Duration.ofMillis(5));
    }
    process.destroy();
    List<String> said = Files.readAllLines(log);
    throw new CannotStart(
        String.join("\n", said.subList(Math.max(0, said.size() - 20), said.size())));
  }

  static void pause(Duration duration) {
    try {
      Thread.sleep(duration);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Asks once, on a connection of its own; the answer must be a success.
  JsonNode ask(String method, String target, String body) {
    return JsonText.read(text(method, target, body).getBytes(US_ASCII));
  }

  String text(String method, String target, String body) {
    try (Loopback client = new Loopback(port)) {
      Loopback.Reply reply = client.ask(request(method, target, body.getBytes(US_ASCII)));
      String text = new String(reply.body(), US_ASCII);
      if (reply.status() >= 300) {
        throw new IllegalStateException("answered " + reply.status() + ": " + text);
      }
      return text;
    }
  }

  static byte[] request(String method, String target, byte[] body) {
    return Loopback.requestWith(
        method,
        target,
        "Authorization: Bearer " + HttpCalls.SECRET + "\r\nContent-Type: application/json",
        body);
  }

  /// Lets it throw away what nobody needs.
  void collectGarbage() {
    tell("GC.run");
  }

  /// Waits until Lucene puts no more files together.
  void awaitMerges() {
    for (int quiet = 0; quiet < 3; quiet++) {
      if (tell("Thread.print").contains("Lucene Merge Thread")) {
        quiet = -1;
      }
      pause(Duration.ofMillis(300));
    }
  }

  /// Has the JVM do something that every JVM can.
  private String tell(String command) {
    try {
      Process jcmd =
          new ProcessBuilder(java("jcmd").toString(), String.valueOf(process.pid()), command)
              .redirectErrorStream(true)
              .start();
      String said = new String(jcmd.getInputStream().readAllBytes(), US_ASCII);
      if (jcmd.waitFor() != 0) {
        throw new IllegalStateException(said);
      }
      return said;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The bytes of all files below a folder.
  static long bytes(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.mapToLong(file -> Files.isDirectory(file) ? 0 : file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
