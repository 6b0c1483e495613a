package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.Table;
import dev.veridex.cli.output.ExplainTree;
import dev.veridex.cli.output.Terminal;
import dev.veridex.common.VeridexException;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// `search`: finds documents of a bucket.
public record SearchCommand() implements Command {
  private static final int COLUMNS = 4;
  private static final int WIDTH = 40;

  @Override
  public CommandSpec spec() {
    return Options.spec(
            "search",
            "Find documents by words, \"phrases\", beginnings (bik*) and near misses"
                + " (bike~1), with AND and OR.")
        .addPositional(
            Options.argument(0, "ACCOUNT[/BUCKET]", "the bucket; none: all of the account"))
        .addPositional(Options.argument(1, "QUERY", "what to look for; none: everything", false))
        .addOption(Options.env())
        .addOption(list("--in", "BUCKET", "of the account's buckets only this"))
        .addOption(Options.flag("--all", "all words must be found, not one of them"))
        .addOption(list("--field", "NAME", "look in this field only, as title or title^2"))
        .addOption(
            Options.option(
                "--filter",
                String.class,
                "JSON",
                "what must hold, as '{\"price\": {\"lt\": 100}}'"))
        .addOption(list("--sort", "FIELD", "sort by this field, descending as -price"))
        .addOption(list("--facet", "FIELD", "count the values of this field"))
        .addOption(list("--highlight", "FIELD", "show what was found in this field"))
        .addOption(Options.option("--limit", Integer.class, "N", "the most hits; 10 usually"))
        .addOption(Options.option("--cursor", String.class, "CURSOR", "go on where a page ended"))
        .addOption(
            Options.option(
                "--as", String.class, "SUBJECT", "show what this subject may read, not all"))
        .addOption(Options.flag("--explain", "say of each hit why it is shown"))
        .addOption(
            Options.option(
                "--why", String.class, "PK", "say why a document is shown, or is not, with --as"))
        .addOption(
            Options.option(
                "--at-least",
                String.class,
                "REVISION",
                "wait until everything up to this can be found"));
  }

  private static OptionSpec list(String name, String label, String description) {
    return OptionSpec.builder(name)
        .type(List.class)
        .auxiliaryTypes(String.class)
        .paramLabel(label)
        .description(description + "; may be given again")
        .build();
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    BucketPath address = BucketPath.of(arguments);
    if (arguments.hasMatchedOption("--why")) {
      return why(arguments, terminal, address);
    }
    String path = address.bucket().isPresent() ? address.bucketPath() : address.accountPath();
    JsonNode answer =
        ApiClient.of(arguments, terminal)
            .post(path + "/search", address.query(), request(arguments));
    if (Options.json(arguments)) {
      Options.print(terminal, answer);
    } else {
      print(terminal, answer, address.bucket().isEmpty());
    }
    return ExitCode.OK;
  }

  private static int why(ParseResult arguments, Terminal terminal, BucketPath address) {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.put("pk", arguments.matchedOptionValue("--why", ""));
    if (arguments.hasMatchedOption("--as")) {
      request.put("as", arguments.matchedOptionValue("--as", ""));
    }
    JsonNode answer =
        ApiClient.of(arguments, terminal)
            .post(address.bucketPath() + "/search/why", address.query(), request);
    boolean visible = answer.path("visible").asBoolean();
    if (Options.json(arguments)) {
      Options.print(terminal, answer);
    } else {
      String because = answer.path("because").asString().replace('-', ' ');
      terminal
          .out()
          .println(visible ? terminal.green("shown") : terminal.red("not shown: " + because));
      explain(terminal, answer);
    }
    return visible ? ExitCode.OK : ExitCode.NO;
  }

  private static void explain(Terminal terminal, JsonNode explained) {
    for (JsonNode trace : explained.path("why")) {
      terminal
          .out()
          .println(
              Terminal.safe(
                  "%s on %s"
                      .formatted(
                          trace.path("subject").asString(), trace.path("resource").asString())));
      new ExplainTree(terminal, trace, "R").lines().forEach(terminal.out()::println);
    }
  }

  private static ObjectNode request(ParseResult arguments) {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    if (arguments.hasMatchedOption("--as")) {
      request.put("as", arguments.matchedOptionValue("--as", ""));
    }
    if (arguments.matchedOptionValue("--explain", false)) {
      request.put("explain", true);
    }
    String query = arguments.matchedPositionalValue(1, "");
    if (!query.isEmpty()) {
      request.put("query", query);
    }
    if (arguments.matchedOptionValue("--all", false)) {
      request.put("operator", "and");
    }
    names(arguments, "--in", request, "buckets");
    names(arguments, "--field", request, "fields");
    names(arguments, "--sort", request, "sort");
    names(arguments, "--highlight", request, "highlight");
    for (String facet : arguments.matchedOptionValue("--facet", List.<String>of())) {
      request.withObject("/facets").putObject(facet);
    }
    if (arguments.hasMatchedOption("--filter")) {
      request.set("filter", json(arguments.matchedOptionValue("--filter", "")));
    }
    if (arguments.hasMatchedOption("--limit")) {
      request.put("limit", arguments.matchedOptionValue("--limit", 0));
    }
    if (arguments.hasMatchedOption("--cursor")) {
      request.put("cursor", arguments.matchedOptionValue("--cursor", ""));
    }
    if (arguments.hasMatchedOption("--at-least")) {
      request.put("atLeast", arguments.matchedOptionValue("--at-least", ""));
    }
    return request;
  }

  private static void names(
      ParseResult arguments, String option, ObjectNode request, String member) {
    List<String> names = arguments.matchedOptionValue(option, List.of());
    if (!names.isEmpty()) {
      ArrayNode array = request.putArray(member);
      names.forEach(array::add);
    }
  }

  private static JsonNode json(String text) {
    try {
      return JsonText.read(text.getBytes(StandardCharsets.UTF_8));
    } catch (VeridexException e) {
      throw new CommandFailure(ExitCode.USAGE, "this is not JSON: " + e.getMessage());
    }
  }

  private static void print(Terminal terminal, JsonNode answer, boolean several) {
    Set<String> fields = new LinkedHashSet<>();
    for (JsonNode hit : answer.path("hits")) {
      fields.addAll(hit.path("fields").propertyNames());
    }
    List<String> columns = fields.stream().limit(COLUMNS).toList();
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode hit : answer.path("hits")) {
      List<String> row = new ArrayList<>();
      if (several) {
        row.add(hit.path("bucket").asString());
      }
      row.add(hit.path("pk").asString());
      row.add("%.2f".formatted(hit.path("score").asDouble()));
      columns.forEach(column -> row.add(cell(hit.path("fields").path(column))));
      rows.add(row);
    }
    List<String> heading = new ArrayList<>(several ? List.of("bucket") : List.of());
    heading.addAll(List.of("pk", "score"));
    heading.addAll(columns);
    if (!rows.isEmpty()) {
      Table.print(terminal, heading, rows);
    }
    for (JsonNode hit : answer.path("hits")) {
      highlights(terminal, hit);
      explain(terminal, hit);
    }
    facets(terminal, answer.path("facets"));
    terminal
        .out()
        .println(
            "%,d found in %,d ms%s"
                .formatted(
                    answer.path("total").asLong(),
                    answer.path("tookMs").asLong(),
                    answer.path("complete").asBoolean() ? "" : ", and the time was over"));
    if (answer.path("cursor").isString()) {
      terminal.out().println("more with --cursor " + answer.path("cursor").asString());
    }
  }

  private static String cell(JsonNode value) {
    String text =
        value.isMissingNode() ? "" : value.isString() ? value.asString() : value.toString();
    return text.length() <= WIDTH ? text : text.substring(0, WIDTH - 1) + "…";
  }

  private static void highlights(Terminal terminal, JsonNode hit) {
    for (Map.Entry<String, JsonNode> field : hit.path("highlight").properties()) {
      for (JsonNode part : field.getValue()) {
        terminal
            .out()
            .println(
                "%s, %s: %s"
                    .formatted(
                        Terminal.safe(hit.path("pk").asString()),
                        Terminal.safe(field.getKey()),
                        Terminal.safe(part.asString())));
      }
    }
  }

  private static void facets(Terminal terminal, JsonNode facets) {
    for (Map.Entry<String, JsonNode> facet : facets.properties()) {
      String counts =
          facet
              .getValue()
              .path("buckets")
              .valueStream()
              .map(
                  each -> "%s %,d".formatted(cell(each.path("value")), each.path("count").asLong()))
              .collect(Collectors.joining(", "));
      terminal.out().println(Terminal.safe(facet.getKey() + ": " + counts));
    }
  }
}
