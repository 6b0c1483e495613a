package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.Table;
import dev.veridex.cli.output.Terminal;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// `bucket put`, `show`, `list`, `delete`, `upgrade`.
public final class BucketCommands {
  private BucketCommands() {}

  public static CommandLineInterface.CommandGroup group() {
    return new CommandLineInterface.CommandGroup(
        "bucket",
        "Make, look at, upgrade and delete buckets.",
        List.of(new Put(), new Show(), new ListAll(), new Delete(), new Upgrade()));
  }

  private static CommandSpec ofBucket(String name, String description) {
    return Options.spec(name, description)
        .addPositional(Options.argument(0, "ACCOUNT/BUCKET", "which bucket"))
        .addOption(Options.env());
  }

  private record Put() implements Command {
    @Override
    public CommandSpec spec() {
      return ofBucket("put", "Make a bucket, or change it as a whole.")
          .addOption(
              Options.option(
                  "--from", String.class, "FILE", "JSON with its settings; - for standard input"))
          .addOption(
              Options.option("--type", String.class, "TYPE", "what it holds; items if absent"))
          .addOption(
              Options.option(
                  "--ttl", String.class, "POLICY", "temporary, short-lived, long-lived or default"))
          .addOption(Options.option("--owner", String.class, "SUBJECT", "who owns it"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      ObjectNode body =
          AccountCommands.body(
              arguments, Map.of("--type", "type", "--ttl", "ttl", "--owner", "owner"));
      if (!body.has("type")) {
        body.put("type", "items");
      }
      JsonNode put =
          ApiClient.of(arguments, terminal).put(address.bucketPath(), address.query(), body);
      return Options.done(
          arguments,
          terminal,
          put,
          terminal.green("bucket ")
              + Terminal.safe(address.text())
              + " of "
              + put.path("type").asString());
    }
  }

  private record Show() implements Command {
    @Override
    public CommandSpec spec() {
      return ofBucket("show", "Show a bucket.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      Options.print(
          terminal, ApiClient.of(arguments, terminal).get(address.bucketPath(), address.query()));
      return ExitCode.OK;
    }
  }

  private record ListAll() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec("list", "List the buckets of an account that you may see.")
          .addPositional(Options.argument(0, "ACCOUNT", "which account"))
          .addOption(Options.env())
          .addOption(Options.flag("--orphaned", "only those whose owner is gone"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      return list(arguments, terminal, arguments.matchedOptionValue("--orphaned", false));
    }
  }

  /// Prints the buckets of an account.
  static int list(ParseResult arguments, Terminal terminal, boolean orphaned) {
    BucketPath address = BucketPath.of(arguments);
    Map<String, String> query = address.query();
    if (orphaned) {
      query.put("orphaned", "true");
    }
    return Table.list(
        arguments,
        terminal,
        address.accountPath() + "/buckets",
        query,
        List.of("NAME", "TYPE", "OWNER", "UPGRADE"),
        bucket ->
            List.of(
                bucket.path("name").asString(),
                bucket.path("type").asString(),
                bucket.path("owner").asString(""),
                bucket.path("upgrade").path("to").asString("")));
  }

  private record Delete() implements Command {
    @Override
    public CommandSpec spec() {
      return ofBucket("delete", "Delete a bucket and everything in it, at once.")
          .addOption(Options.flag("--yes", "you mean it"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      String path = address.bucketPath();
      if (!arguments.matchedOptionValue("--yes", false)) {
        throw new CommandFailure(
            ExitCode.USAGE, "this deletes everything in " + address.text() + ": say --yes");
      }
      JsonNode deleted = ApiClient.of(arguments, terminal).delete(path, address.query());
      return Options.done(
          arguments, terminal, deleted, terminal.green("deleted ") + Terminal.safe(address.text()));
    }
  }

  private record Upgrade() implements Command {
    @Override
    public CommandSpec spec() {
      return ofBucket("upgrade", "Upgrade a bucket to another version of its type.")
          .addOption(Options.option("--to", String.class, "TYPE", "the newest version if absent"))
          .addOption(Options.flag("--finish", "compare both versions and go on with the new one"))
          .addOption(Options.flag("--abort", "give the upgrade up"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      boolean finish = arguments.matchedOptionValue("--finish", false);
      boolean abort = arguments.matchedOptionValue("--abort", false);
      if (finish && abort) {
        throw new CommandFailure(ExitCode.USAGE, "say either --finish or --abort");
      }
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      if (arguments.hasMatchedOption("--to")) {
        body.put("type", arguments.matchedOptionValue("--to", ""));
      }
      String step = finish ? "/finish" : abort ? "/abort" : "";
      terminal.progress(finish ? "comparing …" : "");
      try {
        JsonNode bucket =
            ApiClient.of(arguments, terminal)
                .post(address.bucketPath() + "/upgrade" + step, address.query(), body);
        terminal.endProgress();
        String what = finish ? "finished, now " : abort ? "given up, still " : "begun, still ";
        return Options.done(
            arguments, terminal, bucket, terminal.green(what) + bucket.path("type").asString());
      } finally {
        terminal.endProgress();
      }
    }
  }
}
