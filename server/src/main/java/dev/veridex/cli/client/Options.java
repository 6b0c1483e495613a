package dev.veridex.cli.client;

import dev.veridex.cli.output.Terminal;
import dev.veridex.json.JsonText;
import dev.veridex.settings.Numbers;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// Options that commands share: declared, read and answered.
public final class Options {
  static final String JSON = "--json";

  private Options() {}

  /// A command that talks to a server.
  public static CommandSpec spec(String name, String... description) {
    CommandSpec spec = CommandSpec.create().name(name);
    spec.usageMessage().description(description);
    return ApiClient.options(spec);
  }

  public static OptionSpec option(String name, Class<?> type, String label, String description) {
    return OptionSpec.builder(name).type(type).paramLabel(label).description(description).build();
  }

  public static OptionSpec flag(String name, String description) {
    return OptionSpec.builder(name).type(boolean.class).description(description).build();
  }

  public static OptionSpec env() {
    return option("--env", String.class, "ENV", "the environment of the account");
  }

  public static PositionalParamSpec argument(int index, String label, String description) {
    return argument(index, label, description, true);
  }

  public static PositionalParamSpec argument(
      int index, String label, String description, boolean required) {
    return PositionalParamSpec.builder()
        .index(String.valueOf(index))
        .type(String.class)
        .required(required)
        .arity(required ? "1" : "0..1")
        .paramLabel(label)
        .description(description)
        .build();
  }

  public static boolean json(ParseResult arguments) {
    return arguments.matchedOptionValue(JSON, false);
  }

  public static void print(Terminal terminal, JsonNode json) {
    terminal.out().println(new String(JsonText.write(json), StandardCharsets.UTF_8));
  }

  /// Says what was done: as JSON for programs, as a sentence for people.
  public static int done(ParseResult arguments, Terminal terminal, JsonNode answer, String text) {
    if (json(arguments)) {
      print(terminal, answer);
    } else {
      terminal.out().println(text);
    }
    return ExitCode.OK;
  }

  public static long seconds(String ttl) {
    return Numbers.duration(ttl)
        .map(Duration::toSeconds)
        .orElseThrow(
            () -> new CommandFailure(ExitCode.USAGE, "a TTL looks like 90s, 1h or 30d: " + ttl));
  }

  /// The bytes of a file, or of the standard input for `-`.
  public static byte[] read(String file) {
    try {
      if (file.equals("-")) {
        try (InputStream in = System.in) {
          return in.readAllBytes();
        }
      }
      return Files.readAllBytes(Path.of(file));
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.USAGE, "cannot be read: " + file);
    }
  }
}
