package dev.veridex.common;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Starts a class of the tests in a process of its own, to be looked at or killed from outside.
public final class ChildJvm {
  private ChildJvm() {}

  /// Starts it, its errors among its output.
  ///
  /// @param folder where it leaves its temporary files: a process that is killed cleans nothing up
  public static Process start(Path folder, Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Djava.io.tmpdir=" + folder);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
