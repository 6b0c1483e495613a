package dev.veridex.benchmarks;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// How long an empty server takes from the command to its first answer, and how much memory it has
/// then.
final class StartUp {
  private static final int TIMES = 7;
  private static final long IDLE_MILLIS = 5_000;

  private StartUp() {}

  /// @param root the folder of the project, where the launcher is
  static void run(Path root) throws IOException, InterruptedException {
    List<Long> millis = new ArrayList<>();
    List<Long> megabytes = new ArrayList<>();
    for (int i = 0; i <= TIMES; i++) {
      Path data = Data.folder();
      int port = freePort();
      long begin = System.nanoTime();
      Process server =
          new ProcessBuilder(
                  root.resolve("veridex").toString(),
                  "server",
                  "--port",
                  String.valueOf(port),
                  "--data",
                  data.resolve("data").toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      awaitReady(port);
      if (i > 0) { // The first may have to build.
        millis.add((System.nanoTime() - begin) / 1_000_000);
        Thread.sleep(IDLE_MILLIS);
        megabytes.add(resident(server.pid()));
      }
      server.destroy();
      server.waitFor();
      Data.delete(data);
    }
    Collections.sort(millis);
    Collections.sort(megabytes);
    System.out.printf(
        "ready after %d ms (%d to %d), resident when idle %d MB (%d to %d)%n",
        millis.get(TIMES / 2),
        millis.getFirst(),
        millis.getLast(),
        megabytes.get(TIMES / 2),
        megabytes.getFirst(),
        megabytes.getLast());
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static void awaitReady(int port) throws IOException, InterruptedException {
    URI ready = URI.create("http://127.0.0.1:" + port + "/health/ready");
    while (true) {
      try {
        HttpURLConnection connection = (HttpURLConnection) ready.toURL().openConnection();
        if (connection.getResponseCode() == 200) {
          return;
        }
      } catch (IOException e) {
        Thread.sleep(5);
      }
    }
  }

  private static long resident(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
        .findFirst()
        .orElseThrow();
  }
}
