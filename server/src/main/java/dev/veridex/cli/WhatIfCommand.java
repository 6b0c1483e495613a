package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.Table;
import dev.veridex.cli.output.Terminal;
import dev.veridex.common.VeridexException;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// `whatif`: who would gain and lose which rights.
public record WhatIfCommand() implements Command {
  @Override
  public CommandSpec spec() {
    return Options.spec(
            "whatif",
            "Say who would gain and lose which rights if a file were stated: one JSON object, an"
                + " array, or an object a line. Nothing is written. Ends with 1 if anything would"
                + " change.")
        .addPositional(Options.argument(0, "ACCOUNT", "the account"))
        .addPositional(Options.argument(1, "FILE", "what to try; - or none: standard input", false))
        .addOption(Options.env())
        .addOption(
            Options.option("--bucket", String.class, "NAME", "the bucket the resources are in"));
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    BucketPath address = BucketPath.of(arguments);
    ObjectNode trial = JsonNodeFactory.instance.objectNode();
    trial.set("individuals", individuals(Options.read(arguments.matchedPositionalValue(1, "-"))));
    if (arguments.hasMatchedOption("--bucket")) {
      trial.put("bucket", arguments.matchedOptionValue("--bucket", ""));
    }
    JsonNode told =
        ApiClient.of(arguments, terminal)
            .post(address.accountPath() + "/access/whatif", address.query(), trial);
    if (Options.json(arguments)) {
      Options.print(terminal, told);
    } else {
      print(terminal, told);
    }
    boolean known =
        told.path("complete").asBoolean()
            && told.path("results").findValuesAsString("status").stream()
                .noneMatch(status -> status.equals("rejected") || status.equals("conflict"));
    return known && told.path("classes").isEmpty() ? ExitCode.OK : ExitCode.NO;
  }

  private static ArrayNode individuals(byte[] bytes) {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    try {
      JsonNode whole = JsonText.read(bytes);
      (whole.isArray() ? whole : List.of(whole)).forEach(all::add);
    } catch (VeridexException e) {
      for (String line : new String(bytes, StandardCharsets.UTF_8).lines().toList()) {
        if (!line.isBlank()) {
          all.add(line(line));
        }
      }
    }
    return all;
  }

  private static JsonNode line(String line) {
    try {
      return JsonText.read(line.getBytes(StandardCharsets.UTF_8));
    } catch (VeridexException e) {
      throw new CommandFailure(ExitCode.USAGE, "this is not JSON: " + e.getMessage());
    }
  }

  private static void print(Terminal terminal, JsonNode told) {
    for (JsonNode result : told.path("results")) {
      String status = result.path("status").asString();
      if (!status.equals("applied")) {
        terminal
            .err()
            .println(
                "%s would be %s %s"
                    .formatted(
                        Terminal.safe(result.path("id").asString("(no id)")),
                        terminal.red(status),
                        Terminal.safe(result.path("reason").asString("")))
                    .stripTrailing());
      }
    }
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode each : told.path("classes")) {
      rows.add(
          List.of(
              alike(each.path("subjects")),
              alike(each.path("resources")),
              "+" + each.path("appears").asString(),
              "-" + each.path("vanishes").asString()));
    }
    if (rows.isEmpty() && told.path("complete").asBoolean()) {
      terminal.out().println("nothing would change");
      return;
    }
    Table.print(terminal, List.of("who", "on what", "gains", "loses"), rows);
    terminal.out().println(counts("appear", told.path("appear")));
    terminal.out().println(counts("vanish", told.path("vanish")));
    if (!told.path("complete").asBoolean()) {
      terminal
          .out()
          .println(terminal.red("there was too much to compare: these counts are too low"));
    }
  }

  private static String alike(JsonNode alike) {
    if (alike.path("everythingElse").asBoolean(false)) {
      return "everything else";
    }
    long count = alike.path("count").asLong();
    String sample = alike.path("sample").asString();
    return count == 1 ? sample : "%s and %,d alike".formatted(sample, count - 1);
  }

  private static String counts(String verb, JsonNode counts) {
    StringBuilder text = new StringBuilder(verb).append(':');
    for (String right : List.of("C", "R", "U", "D")) {
      text.append(" %s %,d".formatted(right, counts.path(right).asLong()));
    }
    return text.toString();
  }
}
