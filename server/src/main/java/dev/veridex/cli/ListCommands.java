package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.output.Terminal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// `what` and `who`: on what somebody has rights, and who has rights on something.
public final class ListCommands {
  private static final String PAGE = "10000";

  private ListCommands() {}

  public static List<Command> all() {
    return List.of(
        new Listing(
            "what", "subject", "resources", "List on what a subject has rights, an id a line."),
        new Listing(
            "who", "resource", "subjects", "List who has rights on a resource, an id a line."));
  }

  private static CommandSpec spec(
      String name, String label, String meaning, String... description) {
    return Options.spec(name, description)
        .addPositional(Options.argument(0, "ACCOUNT", "the account"))
        .addPositional(Options.argument(1, label, meaning))
        .addPositional(Options.argument(2, "RIGHTS", "some of C, R, U, D; R if absent", false))
        .addOption(Options.env())
        .addOption(
            Options.option("--bucket", String.class, "NAME", "the bucket the resources are in"))
        .addOption(
            Options.option("--at", String.class, "TIME", "a time or a revision: as it was then"));
  }

  private static Map<String, String> query(
      ParseResult arguments, BucketPath address, String about) {
    Map<String, String> query = address.query();
    query.put(about, arguments.matchedPositionalValue(1, ""));
    query.put("right", arguments.matchedPositionalValue(2, "R"));
    query.put("limit", PAGE);
    for (String option : List.of("--bucket", "--at")) {
      if (arguments.hasMatchedOption(option)) {
        query.put(option.substring(2), arguments.matchedOptionValue(option, ""));
      }
    }
    return query;
  }

  /// Prints all ids, page by page.
  private static int print(
      ParseResult arguments, Terminal terminal, String path, Map<String, String> query) {
    ApiClient api = ApiClient.of(arguments, terminal);
    boolean json = Options.json(arguments);
    boolean first = true;
    boolean more = true;
    while (more) {
      JsonNode page = api.get(path, query);
      boolean all = page.path("all").asBoolean(false);
      if (json) {
        Options.print(terminal, page);
      } else {
        JsonNode ids = page.path(all ? "except" : "items");
        if (all && first) {
          boolean none = ids.isEmpty() && page.path("cursor").isNull();
          terminal.out().println(terminal.bold("everything" + (none ? "" : " except")));
        }
        ids.forEach(id -> terminal.out().println(Terminal.safe(id.asString())));
      }
      first = false;
      more = !page.path("cursor").isNull();
      query.put("cursor", page.path("cursor").asString(""));
    }
    return ExitCode.OK;
  }

  /// One of the list commands.
  ///
  /// @param about what is given: the parameter of its route
  private record Listing(String name, String about, String route, String description)
      implements Command {
    @Override
    public CommandSpec spec() {
      return ListCommands.spec(
          name, about.toUpperCase(Locale.ROOT), "whose list it is", description);
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      return print(
          arguments,
          terminal,
          address.accountPath() + "/access/" + route,
          query(arguments, address, about));
    }
  }
}
