package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.output.Terminal;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// `backup`: copies the running store.
public record BackupCommand() implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("backup");
    spec.usageMessage()
        .description("Copy the running store into a folder below the server's data folder.");
    return ApiClient.options(spec)
        .addOption(
            OptionSpec.builder("--name")
                .type(String.class)
                .paramLabel("NAME")
                .description("what to call it; else it is called after the time")
                .build());
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    if (arguments.hasMatchedOption("--name")) {
      request.put("name", arguments.matchedOptionValue("--name", ""));
    }
    terminal.progress("copying …");
    JsonNode backup;
    try {
      backup = ApiClient.of(arguments, terminal).post("/v1/admin/backup", Map.of(), request);
    } finally {
      terminal.endProgress();
    }
    terminal
        .out()
        .println(
            arguments.matchedOptionValue("--json", false)
                ? new String(JsonText.write(backup), StandardCharsets.UTF_8)
                : "%s %s (%,d bytes)"
                    .formatted(
                        terminal.green("made"),
                        backup.path("folder").asString(),
                        backup.path("bytes").asLong()));
    return ExitCode.OK;
  }
}
