package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.PageWalker;
import dev.veridex.cli.output.Terminal;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// `audit`: what was done and refused in a scope.
public record AuditCommand() implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("audit");
    spec.usageMessage().description("Print what was done and refused in a scope, oldest first.");
    return ApiClient.options(spec)
        .addOption(
            OptionSpec.builder("--scope")
                .type(String.class)
                .required(true)
                .paramLabel("SCOPE")
                .description("exactly this scope, e.g. tenant:acme or global")
                .build())
        .addOption(Options.option("--since", String.class, "TIME", "the earliest time"))
        .addOption(Options.option("--until", String.class, "TIME", "before this time"))
        .addOption(Options.option("--actor", String.class, "ID", "done by this subject or token"))
        .addOption(
            Options.option("--operation", String.class, "NAME", "of this kind, as approval.grant"))
        .addOption(Options.option("--outcome", String.class, "OUTCOME", "done or refused"));
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    boolean json = arguments.matchedOptionValue("--json", false);
    Map<String, String> query =
        new HashMap<>(Map.of("scope", arguments.matchedOptionValue("--scope", "")));
    for (String option : List.of("since", "until", "actor", "operation", "outcome")) {
      if (arguments.hasMatchedOption("--" + option)) {
        query.put(option, arguments.matchedOptionValue("--" + option, ""));
      }
    }
    PageWalker.each(
        ApiClient.of(arguments, terminal),
        "/v1/audit",
        query,
        entry ->
            terminal
                .out()
                .println(
                    json
                        ? new String(JsonText.write(entry), StandardCharsets.UTF_8)
                        : line(terminal, entry)));
    return ExitCode.OK;
  }

  private static String line(Terminal terminal, JsonNode entry) {
    String outcome = entry.path("outcome").asString();
    String key =
        entry.path("key").valueStream().map(JsonNode::asString).collect(Collectors.joining(" "));
    return "%s  %s  %s  %s  %s  %s"
        .formatted(
            terminal.faint(entry.path("time").asString()),
            outcome.equals("done") ? terminal.green("done   ") : terminal.red("refused"),
            terminal.bold("%-16s".formatted(Terminal.safe(entry.path("operation").asString()))),
            Terminal.safe(entry.path("subject").asString(entry.path("actor").asString())),
            Terminal.safe(key),
            Terminal.safe(entry.path("reason").asString("")))
        .stripTrailing();
  }
}
