package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.BulkSender;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.Table;
import dev.veridex.cli.output.Terminal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// Commands for catalogues of object stores.
public final class ObjectCommands {
  private static final String ADDRESS = "ACCOUNT/BUCKET";
  private static final String EVENTS = "put-events";

  private ObjectCommands() {}

  /// `objects` and its parts.
  public static CommandLineInterface.CommandGroup group() {
    return new CommandLineInterface.CommandGroup(
        "objects",
        "Objects of an object store: list them, ask what happened to them, send events.",
        List.of(new Listing(), new Show(), new History(), new Why(), new Stats(), new PutEvents()));
  }

  private static OptionSpec as() {
    return Options.option("--as", String.class, "SUBJECT", "show what this subject may read");
  }

  /// The query of a command: its bucket's environment, and what else it asks for.
  private static Map<String, String> query(ParseResult arguments, BucketPath address) {
    Map<String, String> query = new LinkedHashMap<>(address.query());
    if (arguments.commandSpec().findOption("--as") != null && arguments.hasMatchedOption("--as")) {
      query.put("as", arguments.matchedOptionValue("--as", ""));
    }
    return query;
  }

  private static String objects(BucketPath address) {
    return address.bucketPath() + "/objects";
  }

  private static void pattern(ParseResult arguments, Map<String, String> query) {
    String pattern = arguments.matchedPositionalValue(1, "");
    if (!pattern.isEmpty()) {
      query.put("key", pattern);
    }
  }

  private static void print(Terminal terminal, ParseResult arguments, JsonNode answer) {
    if (Options.json(arguments)) {
      Options.print(terminal, answer);
    }
  }

  private static String size(JsonNode row) {
    return row.path("size").isMissingNode() ? "" : row.get("size").asString();
  }

  private static List<String> columns(JsonNode row) {
    return List.of(
        row.path("isCurrentState").asBoolean() ? "*" : "",
        "s3://" + row.path("bucket").asString() + "/" + row.path("key").asString(),
        size(row),
        row.path("storageClass").asString(""),
        row.path("reason").asString(),
        row.path("eventTime").asString(row.path("deletedDate").asString("")),
        row.path("sequencer").asString(""));
  }

  private static void table(Terminal terminal, Iterable<JsonNode> rows) {
    List<List<String>> cells = new ArrayList<>();
    rows.forEach(row -> cells.add(columns(row)));
    Table.print(
        terminal, List.of("", "object", "size", "class", "reason", "time", "sequencer"), cells);
  }

  /// `objects ls`: current objects, by key.
  private record Listing() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec(
              "ls", "List objects whose keys match a pattern, as 'runs/*.bam'; none: all.")
          .addPositional(Options.argument(0, ADDRESS, "the catalogue"))
          .addPositional(Options.argument(1, "PATTERN", "which keys, with * and ?", false))
          .addOption(Options.env())
          .addOption(as())
          .addOption(
              OptionSpec.builder("--filter")
                  .type(List.class)
                  .auxiliaryTypes(String.class)
                  .paramLabel("FIELD=VALUE")
                  .description("as size[gte]=1000 or storageClass=GLACIER; may be given again")
                  .build())
          .addOption(Options.option("--sort", String.class, "FIELDS", "as -size,key"))
          .addOption(Options.option("--limit", Integer.class, "N", "the most rows; default: 100"))
          .addOption(Options.option("--at", String.class, "TIME", "as it was known at a time"))
          .addOption(Options.option("--event-at", String.class, "TIME", "what was there at a time"))
          .addOption(Options.flag("--history", "all rows there ever were"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      Map<String, String> query = query(arguments, address);
      pattern(arguments, query);
      for (String filter : arguments.matchedOptionValue("--filter", List.<String>of())) {
        int equals = filter.indexOf('=');
        if (equals < 1) {
          throw new CommandFailure(
              ExitCode.USAGE, "A filter is FIELD=VALUE, unlike \"%s\".".formatted(filter));
        }
        String name = filter.substring(0, equals);
        // One of several: each has a number.
        query.put(
            name.endsWith("[]")
                ? name.substring(0, name.length() - 1) + "#" + query.size() + "]"
                : name,
            filter.substring(equals + 1));
      }
      option(arguments, "--sort", query, "sort");
      option(arguments, "--at", query, "at");
      option(arguments, "--event-at", query, "eventAt");
      if (arguments.hasMatchedOption("--limit")) {
        query.put("limit", arguments.matchedOptionValue("--limit", 0).toString());
      }
      if (arguments.matchedOptionValue("--history", false)) {
        query.put("currentState", "false");
      }
      JsonNode answer = ApiClient.of(arguments, terminal).get(objects(address), query);
      print(terminal, arguments, answer);
      if (!Options.json(arguments)) {
        table(terminal, answer.get("items"));
        int shown = answer.get("items").size();
        String total = answer.get("total").asString();
        terminal
            .err()
            .println(
                "%d of %s%s"
                        .formatted(
                            shown, answer.get("totalIsExact").asBoolean() ? "" : "at least ", total)
                    + (answer.get("complete").asBoolean()
                        ? ""
                        : "; not everything was looked at: narrow the pattern"));
      }
      return ExitCode.OK;
    }

    private static void option(
        ParseResult arguments, String option, Map<String, String> query, String name) {
      if (arguments.hasMatchedOption(option)) {
        query.put(name, arguments.matchedOptionValue(option, ""));
      }
    }
  }

  private static CommandSpec ofRow(String name, String description) {
    return Options.spec(name, description)
        .addPositional(Options.argument(0, ADDRESS, "the catalogue"))
        .addPositional(Options.argument(1, "KEY|ID", "the key of an object, or the id of a row"))
        .addOption(Options.env())
        .addOption(as());
  }

  private static String named(ParseResult arguments) {
    return arguments.matchedPositionalValue(1, "");
  }

  /// What the server takes as it is in a pattern.
  private static String exactly(String key) {
    return key.replace("\\", "\\\\").replace("*", "\\*").replace("?", "\\?");
  }

  private static boolean isId(String text) {
    return text.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  }

  /// The row of an id, or the current one of a key.
  private static JsonNode row(
      ApiClient api, BucketPath address, Map<String, String> query, String named) {
    if (isId(named)) {
      return api.get(objects(address) + "/" + named, query);
    }
    Map<String, String> one = new LinkedHashMap<>(query);
    one.remove("why");
    one.put("key", exactly(named));
    JsonNode items = api.get(objects(address), one).get("items");
    if (items.isEmpty()) {
      throw new CommandFailure(
          ExitCode.NO,
          "There is no object %s now. See what happened to it with: objects history"
              .formatted(named));
    }
    return api.get(objects(address) + "/" + items.get(0).get("id").asString(), query);
  }

  /// All rows that the history of a key has.
  private static List<JsonNode> history(
      ApiClient api, BucketPath address, Map<String, String> query) {
    query.put("limit", "1000");
    List<JsonNode> rows = new ArrayList<>();
    JsonNode page = api.get(objects(address) + "/history", query);
    page.get("items").forEach(rows::add);
    while (!page.get("cursor").isNull()) {
      query.put("cursor", page.get("cursor").asString());
      page = api.get(objects(address) + "/history", query);
      page.get("items").forEach(rows::add);
    }
    return rows;
  }

  /// The row of an id, or of a key the one that decides whether there is an object: the last.
  private static JsonNode decisive(
      ApiClient api, BucketPath address, Map<String, String> query, String named) {
    if (isId(named)) {
      return row(api, address, query, named);
    }
    Map<String, String> all = new LinkedHashMap<>(query);
    all.remove("why");
    all.put("key", exactly(named));
    List<JsonNode> rows = history(api, address, all);
    if (rows.isEmpty()) {
      throw new CommandFailure(
          ExitCode.NO, "Nothing is known of an object %s in this catalogue.".formatted(named));
    }
    JsonNode last =
        rows.stream()
            .filter(row -> row.get("isCurrentState").asBoolean())
            .findAny()
            .orElse(rows.getLast());
    return row(api, address, query, last.get("id").asString());
  }

  /// `objects get`: one row, whole.
  private record Show() implements Command {
    @Override
    public CommandSpec spec() {
      return ofRow("get", "Show an object with all that is known of it.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      Options.print(
          terminal,
          row(
              ApiClient.of(arguments, terminal),
              address,
              query(arguments, address),
              named(arguments)));
      return ExitCode.OK;
    }
  }

  /// `objects history`: all rows of a key.
  private record History() implements Command {
    @Override
    public CommandSpec spec() {
      return ofRow("history", "Show all that happened to a key, in its order.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      Map<String, String> query = query(arguments, address);
      query.put("key", exactly(named(arguments)));
      List<JsonNode> rows = history(ApiClient.of(arguments, terminal), address, query);
      if (Options.json(arguments)) {
        rows.forEach(row -> Options.print(terminal, row));
      } else {
        table(terminal, rows);
      }
      return rows.isEmpty() ? ExitCode.NO : ExitCode.OK;
    }
  }

  /// `objects why`: what makes an object current, or not.
  private record Why() implements Command {
    @Override
    public CommandSpec spec() {
      return ofRow("why", "Show the events that make an object current, or not.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      Map<String, String> query = query(arguments, address);
      query.put("why", "true");
      JsonNode row = decisive(ApiClient.of(arguments, terminal), address, query, named(arguments));
      print(terminal, arguments, row);
      boolean current = row.get("isCurrentState").asBoolean();
      if (!Options.json(arguments)) {
        terminal.out().println(current ? terminal.green("current") : terminal.red("not current"));
        table(terminal, row.get("why"));
      }
      return current ? ExitCode.OK : ExitCode.NO;
    }
  }

  /// `objects stats`: how many there are.
  private record Stats() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec("stats", "Count objects and bytes by storage class, reason and prefix.")
          .addPositional(Options.argument(0, ADDRESS, "the catalogue"))
          .addPositional(Options.argument(1, "PATTERN", "which keys, with * and ?", false))
          .addOption(Options.env())
          .addOption(as())
          .addOption(
              Options.option(
                  "--delimiter", String.class, "TEXT", "count by prefix up to this, as /"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      Map<String, String> query = query(arguments, address);
      pattern(arguments, query);
      if (arguments.hasMatchedOption("--delimiter")) {
        query.put("delimiter", arguments.matchedOptionValue("--delimiter", ""));
      }
      JsonNode stats = ApiClient.of(arguments, terminal).get(objects(address) + "/stats", query);
      print(terminal, arguments, stats);
      if (!Options.json(arguments)) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("all", "", stats.get("count").asString(), stats.get("bytes").asString()));
        group(rows, "class", stats.get("byStorageClass"));
        group(rows, "reason", stats.get("byReason"));
        group(rows, "prefix", stats.get("byPrefix"));
        Table.print(terminal, List.of("", "name", "objects", "bytes"), rows);
        if (!stats.get("complete").asBoolean()) {
          terminal.err().println("Not everything was looked at: narrow the pattern.");
        }
      }
      return ExitCode.OK;
    }

    private static void group(List<List<String>> rows, String title, JsonNode groups) {
      for (JsonNode group : groups) {
        rows.add(
            List.of(
                title,
                group.get("name").asString(),
                group.get("count").asString(),
                group.get("bytes").asString()));
      }
    }
  }

  /// `objects put-events`: sends files of messages, one a line.
  private record PutEvents() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec(
              EVENTS, "Send events of an object store: S3, EventBridge, SNS or SQS, one a line.")
          .addPositional(Options.argument(0, ADDRESS, "the catalogue"))
          .addPositional(
              PositionalParamSpec.builder()
                  .index("1..*")
                  .type(List.class)
                  .auxiliaryTypes(String.class)
                  .arity("0..*")
                  .paramLabel("FILE")
                  .description("files of messages, one a line; - or none: standard input")
                  .build())
          .addOption(Options.env());
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      BulkSender sending =
          new BulkSender(
              ApiClient.of(arguments, terminal),
              address.bucketPath() + "/events",
              address.query(),
              new BulkSender.Words("send", "sent", "id", "rejected"::equals),
              terminal,
              Options.json(arguments));
      List<String> files = arguments.matchedPositionalValue(1, List.of());
      (files.isEmpty() ? List.of("-") : files).forEach(sending::file);
      return sending.end();
    }
  }
}
