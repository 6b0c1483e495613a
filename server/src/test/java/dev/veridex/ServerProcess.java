package dev.veridex;

import static dev.veridex.ServerFixture.ROOT;

import dev.veridex.common.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;

/// A server in a process of its own, to be killed.
public final class ServerProcess {
  private ServerProcess() {}

  public static Process start(Path temporary, Path data) throws IOException {
    return ChildJvm.start(
        temporary,
        Main.class,
        "server",
        "--port",
        "0",
        "--data",
        data.toString(),
        "--set",
        "rootToken=" + ROOT,
        "--set",
        "log.access=false");
  }

  /// Where it listens, once it says so.
  public static String address(BufferedReader output) throws IOException {
    String line = output.readLine();
    while (line != null && !line.contains("listens on ")) {
      line = output.readLine();
    }
    if (line == null) {
      throw new IOException("the server did not start");
    }
    return line.replaceAll(".*listens on ([^,]*),.*", "$1");
  }
}
