package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.BulkSender;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.output.ExplainTree;
import dev.veridex.cli.output.Terminal;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// `access put`, `check`, `rebuild`: the access index of an account or an environment.
public final class AccessCommands {
  private AccessCommands() {}

  public static CommandLineInterface.CommandGroup group() {
    return new CommandLineInterface.CommandGroup(
        "access", "Fill access indexes.", List.of(new Put()));
  }

  public static List<Command> all() {
    return List.of(new Check(), new Rebuild());
  }

  private static CommandSpec ofAccount(String name, String... description) {
    return Options.spec(name, description)
        .addPositional(Options.argument(0, "ACCOUNT", "the account"))
        .addOption(Options.env());
  }

  /// `access put`: states what a file says.
  private record Put() implements Command {
    @Override
    public CommandSpec spec() {
      return ofAccount(
              "put",
              "State permissions, memberships, filters and logins from a file: one JSON object,"
                  + " an array, or an object a line. Ends with 1 if any of them was rejected or in"
                  + " conflict.")
          .addPositional(
              Options.argument(1, "FILE", "what to state; - or none: standard input", false));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      BulkSender sending =
          new BulkSender(
              ApiClient.of(arguments, terminal),
              address.accountPath() + "/access/individuals",
              address.query(),
              new BulkSender.Words(
                  "state",
                  "stated",
                  "id",
                  status -> status.equals("rejected") || status.equals("conflict")),
              terminal,
              Options.json(arguments));
      sending.file(arguments.matchedPositionalValue(1, "-"));
      return sending.end();
    }
  }

  /// `check`: may somebody do something, and why.
  private record Check() implements Command {
    @Override
    public CommandSpec spec() {
      return ofAccount(
              "check",
              "Say which rights a subject has on a resource. Ends with 1 if one of those asked for"
                  + " is missing.")
          .addPositional(Options.argument(1, "SUBJECT", "who"))
          .addPositional(Options.argument(2, "RESOURCE", "on what"))
          .addPositional(Options.argument(3, "RIGHTS", "some of C, R, U, D; all if absent", false))
          .addOption(
              Options.option("--filter", String.class, "NAME", "the filter under which to ask"))
          .addOption(
              Options.option("--bucket", String.class, "NAME", "the bucket the resource is in"))
          .addOption(
              Options.option(
                  "--at-least", String.class, "REVISION", "what the answer must have seen"))
          .addOption(
              Options.option("--at", String.class, "TIME", "a time or a revision: as it was then"))
          .addOption(Options.flag("--explain", "say why"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      Map<String, String> query = address.query();
      query.put("subject", arguments.matchedPositionalValue(1, ""));
      query.put("resource", arguments.matchedPositionalValue(2, ""));
      if (arguments.hasMatchedPositional(3)) {
        query.put("rights", arguments.matchedPositionalValue(3, ""));
      }
      for (String option : List.of("--filter", "--bucket", "--at")) {
        if (arguments.hasMatchedOption(option)) {
          query.put(option.substring(2), arguments.matchedOptionValue(option, ""));
        }
      }
      if (arguments.hasMatchedOption("--at-least")) {
        query.put("atLeast", arguments.matchedOptionValue("--at-least", ""));
      }
      if (arguments.matchedOptionValue("--explain", false)) {
        query.put("explain", "true");
      }
      JsonNode answer =
          ApiClient.of(arguments, terminal).get(address.accountPath() + "/access/check", query);
      boolean granted = answer.path("granted").asBoolean();
      if (Options.json(arguments)) {
        Options.print(terminal, answer);
      } else {
        terminal.out().println(sentence(terminal, arguments, answer));
        if (answer.has("trace")) {
          new ExplainTree(
                  terminal, answer.path("trace"), arguments.matchedPositionalValue(3, "CRUD"))
              .lines()
              .forEach(terminal.out()::println);
        }
      }
      return granted ? ExitCode.OK : ExitCode.NO;
    }

    private static String sentence(Terminal terminal, ParseResult arguments, JsonNode answer) {
      String rights = answer.path("allRights").asString();
      return "%s  %s has %s on %s"
          .formatted(
              answer.path("granted").asBoolean() ? terminal.green("yes") : terminal.red("no "),
              Terminal.safe(arguments.matchedPositionalValue(1, "")),
              rights.isEmpty() ? "no rights" : terminal.bold(rights),
              Terminal.safe(arguments.matchedPositionalValue(2, "")));
    }
  }

  /// `rebuild`: derives an index anew.
  private record Rebuild() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec(
              "rebuild",
              "Derive the access index of an account anew from its ledger, or send the documents of"
                  + " a bucket anew to its index. Nobody is kept waiting.")
          .addPositional(
              Options.argument(0, "ACCOUNT[/BUCKET]", "an account, or a bucket of documents"))
          .addOption(Options.env());
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      if (address.bucket().isPresent()) {
        return DocumentCommands.rebuild(arguments, terminal, address);
      }
      JsonNode rebuilt;
      try {
        rebuilt =
            ApiClient.of(arguments, terminal)
                .follow(
                    "POST",
                    address.accountPath() + "/access/rebuild",
                    address.query(),
                    line ->
                        terminal.progress(
                            "rebuilding: %,d records".formatted(line.path("records").asLong())));
      } finally {
        terminal.endProgress();
      }
      return Options.done(
          arguments,
          terminal,
          rebuilt,
          "%s %,d records from %,d individuals"
              .formatted(
                  terminal.green("rebuilt"),
                  rebuilt.path("records").asLong(),
                  rebuilt.path("individuals").asLong()));
    }
  }
}
