package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.Table;
import dev.veridex.cli.output.Terminal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// `token mint`, `list`, `show`, `revoke`.
public final class TokenCommands {
  private TokenCommands() {}

  public static CommandLineInterface.CommandGroup group() {
    return new CommandLineInterface.CommandGroup(
        "token",
        "Mint, look at and revoke tokens.",
        List.of(new Mint(), new ListAll(), new Show(), new Revoke()));
  }

  private static CommandSpec ofId(String name, String description) {
    return Options.spec(name, description)
        .addPositional(Options.argument(0, "ID", "the token's id, never its secret"));
  }

  private static void describe(Terminal terminal, JsonNode token) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("token", token.path("token").asString(""));
    facts.put("id", token.path("id").asString());
    facts.put("scope", token.path("scope").asString());
    facts.put("subject", token.path("subject").asString(""));
    facts.put("groups", joined(token.path("groups")));
    facts.put("service", token.path("serviceId").asString(""));
    facts.put("flags", flags(token));
    facts.put("created", token.path("createdAt").asString());
    facts.put("expires", token.path("expiresAt").asString("never"));
    facts.forEach(
        (name, value) -> {
          if (!value.isEmpty()) {
            terminal.out().println(terminal.faint("%-8s ".formatted(name)) + Terminal.safe(value));
          }
        });
  }

  private static String joined(JsonNode list) {
    return list.valueStream().map(JsonNode::asString).collect(Collectors.joining(", "));
  }

  private static String flags(JsonNode token) {
    return token.path("flags").properties().stream()
        .filter(flag -> flag.getValue().asBoolean())
        .map(Map.Entry::getKey)
        .collect(Collectors.joining(", "));
  }

  private record Mint() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec("mint", "Mint a token, never wider than yours.")
          .addOption(
              OptionSpec.builder("--scope")
                  .type(String.class)
                  .required(true)
                  .paramLabel("SCOPE")
                  .description("what it may touch, e.g. tenant:acme")
                  .build())
          .addOption(Options.option("--subject", String.class, "ID", "the person it stands for"))
          .addOption(Options.option("--service", String.class, "ID", "the service it stands for"))
          .addOption(
              OptionSpec.builder("--group")
                  .type(List.class)
                  .auxiliaryTypes(String.class)
                  .paramLabel("ID")
                  .description("a group it brings; may be given several times")
                  .build())
          .addOption(
              Options.option(
                  "--ttl", String.class, "DURATION", "how long it lives, e.g. 1h or 30d"))
          .addOption(Options.flag("--admin", "it administers what it reaches"))
          .addOption(Options.flag("--impersonate", "it may ask on behalf of others"))
          .addOption(Options.flag("--grantor", "it may grant approvals"))
          .addOption(Options.flag("--descendants", "a custom scope reaches what lies below it"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      JsonNode minted =
          ApiClient.of(arguments, terminal).post("/v1/tokens", Map.of(), request(arguments));
      if (Options.json(arguments)) {
        Options.print(terminal, minted);
      } else {
        describe(terminal, minted);
        terminal.err().println(terminal.faint("This is the only time the token is shown."));
      }
      return ExitCode.OK;
    }

    private static ObjectNode request(ParseResult arguments) {
      ObjectNode request = JsonNodeFactory.instance.objectNode();
      request.put("scope", arguments.matchedOptionValue("--scope", ""));
      Map<String, String> texts = Map.of("--subject", "subject", "--service", "serviceId");
      texts.forEach(
          (option, member) -> {
            if (arguments.hasMatchedOption(option)) {
              request.put(member, arguments.matchedOptionValue(option, ""));
            }
          });
      List<String> groups = arguments.matchedOptionValue("--group", List.of());
      ArrayNode array = request.putArray("groups");
      groups.forEach(array::add);
      ObjectNode flags = request.putObject("flags");
      for (String flag : List.of("admin", "impersonate", "grantor")) {
        flags.put(flag, arguments.matchedOptionValue("--" + flag, false));
      }
      if (arguments.matchedOptionValue("--descendants", false)) {
        request.put("descendants", true);
      }
      if (arguments.hasMatchedOption("--ttl")) {
        request.put("ttlSeconds", Options.seconds(arguments.matchedOptionValue("--ttl", "")));
      }
      return request;
    }
  }

  private record ListAll() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec("list", "List the tokens of a scope.")
          .addOption(
              OptionSpec.builder("--scope")
                  .type(String.class)
                  .required(true)
                  .paramLabel("SCOPE")
                  .description("exactly this scope")
                  .build());
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      return Table.list(
          arguments,
          terminal,
          "/v1/tokens",
          Map.of("scope", arguments.matchedOptionValue("--scope", "")),
          List.of("ID", "SUBJECT", "SERVICE", "FLAGS", "GROUPS", "EXPIRES"),
          ListAll::row);
    }

    private static List<String> row(JsonNode token) {
      return List.of(
          token.path("id").asString(),
          token.path("subject").asString(""),
          token.path("serviceId").asString(""),
          flags(token),
          joined(token.path("groups")),
          token.path("expiresAt").asString("never"));
    }
  }

  private record Show() implements Command {
    @Override
    public CommandSpec spec() {
      return ofId("show", "Show a token, without its secret.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      String id = arguments.matchedPositionalValue(0, "");
      JsonNode token =
          ApiClient.of(arguments, terminal).get("/v1/tokens/" + ApiClient.segment(id), Map.of());
      if (Options.json(arguments)) {
        Options.print(terminal, token);
      } else {
        describe(terminal, token);
      }
      return ExitCode.OK;
    }
  }

  private record Revoke() implements Command {
    @Override
    public CommandSpec spec() {
      return ofId("revoke", "Make a token worthless at once.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      String id = arguments.matchedPositionalValue(0, "");
      JsonNode revoked =
          ApiClient.of(arguments, terminal).delete("/v1/tokens/" + ApiClient.segment(id), Map.of());
      if (Options.json(arguments)) {
        Options.print(terminal, revoked);
      } else {
        terminal.out().println(terminal.green("revoked ") + id);
      }
      return ExitCode.OK;
    }
  }
}
