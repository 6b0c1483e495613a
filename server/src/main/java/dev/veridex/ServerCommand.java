package dev.veridex;

import dev.veridex.cli.Command;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.output.Terminal;
import dev.veridex.settings.SettingsSources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `server`: runs until it is told to stop.
record ServerCommand(String version) implements Command {
  private static final Path DEFAULT_FILE = Path.of("veridex.yaml");

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("server");
    spec.usageMessage()
        .description(
            "Run the server. Settings come from a file, the environment (VERIDEX_HTTP_PORT) and"
                + " --set (http.port=7400); later ones win.");
    return spec.addOption(option("--port", Integer.class, "PORT", "the port; 0 for any free one"))
        .addOption(option("--data", String.class, "FOLDER", "where everything is kept"))
        .addOption(option("--config", Path.class, "FILE", "the configuration; else veridex.yaml"))
        .addOption(
            OptionSpec.builder("--set")
                .type(List.class)
                .auxiliaryTypes(String.class)
                .paramLabel("KEY=VALUE")
                .description("a setting; may be given several times")
                .build())
        .addOption(
            OptionSpec.builder("--print-config")
                .type(boolean.class)
                .description("print what the settings amount to, and end")
                .build());
  }

  private static OptionSpec option(String name, Class<?> type, String label, String description) {
    return OptionSpec.builder(name).type(type).paramLabel(label).description(description).build();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    SettingsSources sources = sources(arguments, terminal);
    Config config = Config.read(sources);
    if (arguments.matchedOptionValue("--print-config", false)) {
      terminal.out().print(sources.effective());
      return ExitCode.OK;
    }
    LogSetup.level(config.log().level());
    long started = System.nanoTime();
    Server server = start(config, terminal, version);
    terminal
        .err()
        .printf(
            "veridex %s listens on http://%s:%d, data in %s, ready after %d ms%n",
            version,
            config.http().host(),
            server.port(),
            config.data(),
            (System.nanoTime() - started) / 1_000_000);
    stopWithProcess(server, terminal);
    return waitForever();
  }

  static Server start(Config config, Terminal terminal, String version) {
    try {
      return Server.start(
          config,
          new Server.World(
              InstantSource.system(),
              new SecureRandom(),
              terminal.out(),
              ServerCommand::pause,
              version));
    } catch (UncheckedIOException e) {
      throw new CommandFailure(
          ExitCode.FAILURE,
          "the folder %s cannot be used: %s".formatted(config.data(), e.getMessage()));
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(
          ExitCode.USAGE, "the configuration makes no sense: " + e.getMessage());
    }
  }

  private static void pause(Duration duration) {
    try {
      Thread.sleep(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Ends the server in good order when the process is told to stop.
  private static void stopWithProcess(Server server, Terminal terminal) {
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .unstarted(
                    () -> {
                      terminal.err().println("veridex: finishing what is in flight");
                      server.close();
                      terminal.err().println("veridex: stopped");
                    }));
  }

  /// Leaves the process to its shutdown hooks.
  static int waitForever() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.OK;
  }

  private static SettingsSources sources(ParseResult arguments, Terminal terminal) {
    List<String> assignments = new ArrayList<>(arguments.matchedOptionValue("--set", List.of()));
    if (arguments.hasMatchedOption("--port")) {
      assignments.add("http.port=" + arguments.matchedOptionValue("--port", 0));
    }
    if (arguments.hasMatchedOption("--data")) {
      assignments.add("data=" + arguments.matchedOptionValue("--data", ""));
    }
    Path file = arguments.matchedOptionValue("--config", DEFAULT_FILE);
    return new SettingsSources(
        arguments.hasMatchedOption("--config") || Files.exists(file)
            ? Optional.of(read(file))
            : Optional.empty(),
        terminal.environment(),
        assignments);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.USAGE, "the configuration cannot be read: " + file);
    }
  }
}
