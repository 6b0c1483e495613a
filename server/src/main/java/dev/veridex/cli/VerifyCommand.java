package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.output.Terminal;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// `verify`: an integrity scan of a running server, or of a store that nobody has open.
///
/// @param offline what looks at a folder
public record VerifyCommand(Offline offline) implements Command {
  /// Looks at a store that nobody has open.
  @FunctionalInterface
  public interface Offline {
    /// Looks and prints.
    ///
    /// @return one of [ExitCode]
    int verify(Path folder, boolean json, Terminal terminal);
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("verify");
    spec.usageMessage()
        .description(
            "Compare what is stored with what it was derived from. Ends with 1 if it differs.");
    return ApiClient.options(spec)
        .addOption(
            OptionSpec.builder("--offline")
                .type(Path.class)
                .paramLabel("FOLDER")
                .description("read all of a store or a backup that no process has open")
                .build());
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    boolean json = arguments.matchedOptionValue("--json", false);
    Path folder = arguments.matchedOptionValue("--offline", (Path) null);
    if (folder != null) {
      return offline.verify(folder, json, terminal);
    }
    terminal.progress("checking …");
    JsonNode verified;
    try {
      verified =
          ApiClient.of(arguments, terminal)
              .follow(
                  "GET",
                  "/v1/admin/verify",
                  Map.of(),
                  line ->
                      terminal.progress(
                          "checking %s: %,d records"
                              .formatted(
                                  line.path("check").asString(), line.path("examined").asLong())));
    } finally {
      terminal.endProgress();
    }
    if (json) {
      terminal.out().println(new String(JsonText.write(verified), StandardCharsets.UTF_8));
    } else {
      verified.path("checks").forEach(check -> print(terminal, check));
    }
    return verified.path("ok").asBoolean() ? ExitCode.OK : ExitCode.NO;
  }

  private static void print(Terminal terminal, JsonNode check) {
    boolean good = check.path("drift").isEmpty();
    terminal
        .out()
        .printf(
            "%s  %s: %,d records%n",
            good ? terminal.green("ok   ") : terminal.red("drift"),
            check.path("name").asString(),
            check.path("examined").asLong());
    check.path("drift").forEach(drift -> terminal.out().println("       " + drift.asString()));
  }
}
