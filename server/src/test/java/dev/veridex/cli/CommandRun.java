package dev.veridex.cli;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.Main;
import dev.veridex.ServerFixture;
import dev.veridex.cli.output.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/// Runs commands as on a terminal, and keeps what the last one said.
final class CommandRun {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private InstantSource clock = InstantSource.system();

  /// @param interactive whether somebody sits before the terminal
  int run(Map<String, String> environment, boolean interactive, String... arguments) {
    out.reset();
    err.reset();
    return Main.run(
        List.of(arguments),
        new Terminal(
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
            interactive,
            environment,
            clock));
  }

  /// Runs a command of the root of a server.
  int run(ServerFixture server, String... arguments) {
    clock = server.clock;
    return run(Map.of("VERIDEX_URL", server.url(), "VERIDEX_TOKEN", ROOT), false, arguments);
  }

  String out() {
    return out.toString(UTF_8);
  }

  String err() {
    return err.toString(UTF_8);
  }
}
