package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.Table;
import dev.veridex.cli.output.Terminal;
import dev.veridex.json.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// `account put`, `show`, `list`, `usage`, `delete`.
public final class AccountCommands {
  private AccountCommands() {}

  public static CommandLineInterface.CommandGroup group() {
    return new CommandLineInterface.CommandGroup(
        "account",
        "Make, look at and delete accounts.",
        List.of(new Put(), new Show(), new ListAll(), new Used(), new Delete()));
  }

  /// A body from a file, with what options say about it.
  static ObjectNode body(ParseResult arguments, Map<String, String> members) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    if (arguments.hasMatchedOption("--from")) {
      JsonNode given = JsonText.read(Options.read(arguments.matchedOptionValue("--from", "")));
      if (!(given instanceof ObjectNode object)) {
        throw new CommandFailure(ExitCode.USAGE, "the file of --from holds one JSON object");
      }
      body = object;
    }
    for (Map.Entry<String, String> member : members.entrySet()) {
      if (arguments.hasMatchedOption(member.getKey())) {
        body.put(member.getValue(), arguments.matchedOptionValue(member.getKey(), ""));
      }
    }
    return body;
  }

  private static CommandSpec ofName(String name, String description) {
    return Options.spec(name, description)
        .addPositional(Options.argument(0, "ACCOUNT", "its name"));
  }

  private record Put() implements Command {
    @Override
    public CommandSpec spec() {
      return ofName("put", "Make an account, or change it as a whole.")
          .addOption(
              Options.option(
                  "--from", String.class, "FILE", "JSON with its settings; - for standard input"))
          .addOption(Options.option("--description", String.class, "TEXT", "what it is for"))
          .addOption(Options.option("--owner", String.class, "SUBJECT", "who owns it"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      JsonNode put =
          ApiClient.of(arguments, terminal)
              .put(
                  address.accountPath(),
                  Map.of(),
                  body(arguments, Map.of("--description", "description", "--owner", "owner")));
      return Options.done(arguments, terminal, put, terminal.green("account ") + address.account());
    }
  }

  private record Show() implements Command {
    @Override
    public CommandSpec spec() {
      return ofName("show", "Show an account.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      JsonNode account =
          ApiClient.of(arguments, terminal).get(BucketPath.of(arguments).accountPath(), Map.of());
      Options.print(terminal, account);
      return ExitCode.OK;
    }
  }

  private record ListAll() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec("list", "List the accounts that your token reaches.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      return Table.list(
          arguments,
          terminal,
          "/v1/accounts",
          Map.of(),
          List.of("NAME", "OWNER", "DESCRIPTION"),
          account ->
              List.of(
                  account.path("name").asString(),
                  account.path("owner").asString(""),
                  account.path("description").asString("")));
    }
  }

  private record Used() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec("usage", "Show what an account or a bucket holds of its quotas.")
          .addPositional(Options.argument(0, "ACCOUNT[/BUCKET]", "which"))
          .addOption(Options.env());
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      Map<String, String> query = address.query();
      address.bucket().ifPresent(name -> query.put("bucket", name));
      JsonNode usage =
          ApiClient.of(arguments, terminal).get(address.accountPath() + "/usage", query);
      if (Options.json(arguments)) {
        Options.print(terminal, usage);
        return ExitCode.OK;
      }
      List<List<String>> rows = new ArrayList<>();
      usage
          .path("used")
          .properties()
          .forEach(
              used ->
                  rows.add(
                      List.of(
                          used.getKey(),
                          "%,d".formatted(used.getValue().asLong()),
                          limit(usage.path("quotas").path(used.getKey())))));
      Table.print(terminal, List.of("QUOTA", "USED", "LIMIT"), rows);
      return ExitCode.OK;
    }

    private static String limit(JsonNode limit) {
      return limit.isMissingNode() ? "none" : "%,d".formatted(limit.asLong());
    }
  }

  private record Delete() implements Command {
    @Override
    public CommandSpec spec() {
      return ofName("delete", "Delete an account and everything in it, at once.")
          .addOption(Options.flag("--yes", "you mean it"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      if (!arguments.matchedOptionValue("--yes", false)) {
        throw new CommandFailure(
            ExitCode.USAGE, "this deletes everything in " + address.account() + ": say --yes");
      }
      JsonNode deleted = ApiClient.of(arguments, terminal).delete(address.accountPath(), Map.of());
      return Options.done(
          arguments, terminal, deleted, terminal.green("deleted ") + address.account());
    }
  }
}
