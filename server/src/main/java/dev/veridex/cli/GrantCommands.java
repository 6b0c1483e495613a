package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.Table;
import dev.veridex.cli.output.RemainingTime;
import dev.veridex.cli.output.Terminal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// `approve`, `unapprove`, `extend`, `relate`, `unrelate`, `path`, `approvals` and `relations`:
/// grants that end by themselves.
public final class GrantCommands {
  private static final Kind APPROVAL =
      new Kind("approval", List.of("identity", "resource", "action"), "resource", "action");
  private static final Kind RELATIONSHIP =
      new Kind("relationship", List.of("subject", "relation", "object"), "object", "relation");

  private GrantCommands() {}

  public static List<Command> all() {
    return List.of(
        new Give("approve", "Let somebody do something to a resource, for a while.", APPROVAL),
        new Take("unapprove", "Take an approval back.", APPROVAL),
        new Extend(),
        new Give("relate", "Relate a subject to an object, for a while.", RELATIONSHIP),
        new Take("unrelate", "Remove a relationship.", RELATIONSHIP),
        new PathSearch());
  }

  public static List<CommandLineInterface.CommandGroup> groups() {
    return List.of(
        new CommandLineInterface.CommandGroup(
            "approvals", "Look at approvals.", List.of(new ListAll(APPROVAL))),
        new CommandLineInterface.CommandGroup(
            "relations", "Look at relationships.", List.of(new ListAll(RELATIONSHIP))));
  }

  /// A kind of grants.
  ///
  /// @param parts of its key
  /// @param target the part by which it is looked up in reverse
  /// @param name the third one
  private record Kind(String text, List<String> parts, String target, String name) {
    String route() {
      return "/v1/" + text + "s";
    }

    CommandSpec spec(String command, String... description) {
      CommandSpec spec =
          Options.spec(command, description)
              .addPositional(
                  Options.argument(
                      0, "SCOPE", "an account, or a scope such as tenant:acme:env:prod"))
              .addOption(Options.env());
      for (int i = 0; i < parts.size(); i++) {
        spec.addPositional(Options.argument(i + 1, label(i), words(i)));
      }
      return spec;
    }

    private String label(int position) {
      return parts.get(position).toUpperCase(Locale.ROOT);
    }

    private String words(int position) {
      return switch (parts.get(position)) {
        case "identity" -> "who may";
        case "resource" -> "on what";
        case "action" -> "read, create, update, delete, or an action of your own";
        case "subject" -> "whose relation it is";
        case "relation" -> "the name of the relation";
        default -> "to what";
      };
    }

    /// The key in the arguments, with its scope.
    Map<String, String> key(ParseResult arguments) {
      Map<String, String> key = new HashMap<>(Map.of("scope", scope(arguments)));
      for (int i = 0; i < parts.size(); i++) {
        key.put(parts.get(i), arguments.matchedPositionalValue(i + 1, ""));
      }
      return key;
    }

    ObjectNode body(ParseResult arguments) {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      key(arguments).forEach(body::put);
      if (arguments.hasMatchedOption("--for")) {
        body.put("ttlSeconds", Options.seconds(arguments.matchedOptionValue("--for", "")));
      }
      if (arguments.hasMatchedOption("--until")) {
        body.put("expiresAt", arguments.matchedOptionValue("--until", ""));
      }
      return body;
    }

    /// A grant as a sentence.
    String sentence(Terminal terminal, JsonNode grant) {
      String first = grant.path(parts.get(0)).asString();
      String second = grant.path(parts.get(1)).asString();
      String third = grant.path(parts.get(2)).asString();
      String what =
          target.equals("resource")
              ? "%s may %s %s".formatted(first, third, second)
              : "%s %s %s".formatted(first, second, third);
      return Terminal.safe(what) + " " + terminal.bold(remaining(terminal, grant));
    }
  }

  /// A change of a grant, as the change stream tells it, as a sentence.
  static String sentence(Terminal terminal, JsonNode event) {
    return event.has(APPROVAL.text)
        ? APPROVAL.sentence(terminal, event.get(APPROVAL.text))
        : RELATIONSHIP.sentence(terminal, event.get(RELATIONSHIP.text));
  }

  private static CommandSpec withLife(CommandSpec spec) {
    return spec.addOption(
            Options.option("--for", String.class, "DURATION", "how long, e.g. 2h or 30d"))
        .addOption(Options.option("--until", String.class, "TIME", "until when, instead"));
  }

  /// A scope as its text; the name of an account stands for the scope of the account.
  static String scope(ParseResult arguments) {
    String given = arguments.matchedPositionalValue(0, "");
    Optional<String> environment =
        Optional.ofNullable(arguments.matchedOptionValue("--env", (String) null));
    boolean text = given.equals("global") || given.contains(":");
    if (text && environment.isPresent()) {
      throw new CommandFailure(
          ExitCode.USAGE, "--env goes with the name of an account, not with a scope: " + given);
    }
    return text ? given : "tenant:" + given + environment.map(name -> ":env:" + name).orElse("");
  }

  private static String remaining(Terminal terminal, JsonNode grant) {
    Optional<Instant> end =
        Optional.ofNullable(grant.get("expiresAt")).map(JsonNode::asString).map(Instant::parse);
    return RemainingTime.words(end, terminal.now());
  }

  /// `approve` and `relate`.
  private record Give(String command, String description, Kind kind) implements Command {
    @Override
    public CommandSpec spec() {
      CommandSpec spec =
          withLife(kind.spec(command, description))
              .addOption(
                  OptionSpec.builder("--meta")
                      .type(List.class)
                      .auxiliaryTypes(String.class)
                      .paramLabel("NAME=TEXT")
                      .description("what to keep with it; may be given several times")
                      .build());
      return kind.equals(RELATIONSHIP)
          ? spec.addOption(
              Options.option(
                  "--type",
                  String.class,
                  "TYPE",
                  "role (default), trust, membership, ownership, delegation or custom:NAME"))
          : spec;
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      ObjectNode body = kind.body(arguments);
      if (kind.equals(RELATIONSHIP) && arguments.hasMatchedOption("--type")) {
        body.put("type", arguments.matchedOptionValue("--type", ""));
      }
      List<String> metadata = arguments.matchedOptionValue("--meta", List.of());
      ObjectNode texts = body.putObject("metadata");
      for (String each : metadata) {
        int equals = each.indexOf('=');
        if (equals < 1) {
          throw new CommandFailure(ExitCode.USAGE, "--meta looks like NAME=TEXT, not " + each);
        }
        texts.put(each.substring(0, equals), each.substring(equals + 1));
      }
      JsonNode grant = ApiClient.of(arguments, terminal).put(kind.route(), Map.of(), body);
      return Options.done(arguments, terminal, grant, kind.sentence(terminal, grant));
    }
  }

  /// `unapprove` and `unrelate`.
  private record Take(String command, String description, Kind kind) implements Command {
    @Override
    public CommandSpec spec() {
      return kind.spec(command, description);
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      JsonNode taken = ApiClient.of(arguments, terminal).delete(kind.route(), kind.key(arguments));
      return Options.done(
          arguments,
          terminal,
          taken,
          "%s, if it was there".formatted(terminal.green("the " + kind.text + " is gone")));
    }
  }

  /// `extend`: changes the end of an approval, or of a relationship.
  private record Extend() implements Command {
    @Override
    public CommandSpec spec() {
      return withLife(
              APPROVAL.spec(
                  "extend",
                  "Change the end of an approval that is there, counted from now; with"
                      + " --relationship SCOPE SUBJECT RELATION OBJECT, of a relationship."))
          .addOption(Options.flag("--relationship", "the arguments name a relationship"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      Kind kind = arguments.matchedOptionValue("--relationship", false) ? RELATIONSHIP : APPROVAL;
      JsonNode grant =
          ApiClient.of(arguments, terminal)
              .post(kind.route() + "/extend", Map.of(), kind.body(arguments));
      return Options.done(arguments, terminal, grant, kind.sentence(terminal, grant));
    }
  }

  /// `path`: a shortest path over relationships.
  private record PathSearch() implements Command {
    @Override
    public CommandSpec spec() {
      return RELATIONSHIP
          .spec(
              "path",
              "Find a shortest path from a subject to an object, over live relationships of one"
                  + " relation. Ends with 1 if there is none.")
          .addOption(
              Options.option(
                  "--max-depth", Integer.class, "N", "how many steps at most; 10 if absent"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      Map<String, String> query = RELATIONSHIP.key(arguments);
      if (arguments.hasMatchedOption("--max-depth")) {
        query.put("maxDepth", String.valueOf(arguments.matchedOptionValue("--max-depth", 0)));
      }
      JsonNode answer =
          ApiClient.of(arguments, terminal).get(RELATIONSHIP.route() + "/path", query);
      boolean found = answer.path("found").asBoolean();
      if (Options.json(arguments)) {
        Options.print(terminal, answer);
      } else if (found) {
        String relation = arguments.matchedPositionalValue(2, "");
        answer
            .path("path")
            .forEach(
                step ->
                    terminal
                        .out()
                        .println(
                            "%s %s %s  (%s, %s)"
                                .formatted(
                                    Terminal.safe(step.path("subject").asString()),
                                    Terminal.safe(relation),
                                    Terminal.safe(step.path("object").asString()),
                                    Terminal.safe(step.path("type").asString()),
                                    remaining(terminal, step))));
      } else {
        terminal
            .out()
            .println(
                answer.has("code")
                    ? "no path within the depth; deeper ones were not looked at (--max-depth)"
                    : "no path");
      }
      return found ? ExitCode.OK : ExitCode.NO;
    }
  }

  /// `approvals ls` and `relations ls`.
  private record ListAll(Kind kind) implements Command {
    @Override
    public CommandSpec spec() {
      String first = kind.parts.getFirst();
      return Options.spec("ls", "List " + kind.text + "s, in the order of their keys.")
          .addPositional(
              Options.argument(0, "SCOPE", "an account, or a scope such as tenant:acme:env:prod"))
          .addOption(Options.env())
          .addOption(Options.option("--" + first, String.class, "ID", "of this " + first))
          .addOption(
              Options.option("--" + kind.target, String.class, "ID", "for this " + kind.target))
          .addOption(
              Options.option(
                  "--prefix", String.class, "TEXT", "the " + kind.target + " begins with this"))
          .addOption(Options.option("--" + kind.name, String.class, "NAME", "of this " + kind.name))
          .addOption(Options.flag("--expired", "also those that have just expired"))
          .addOption(Options.flag("--environments", "also in the environments of the account"))
          .addOption(Options.flag("--descendants", "also in the scopes below a custom path"))
          .addOption(Options.flag("--count", "only say how many there are"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      ApiClient api = ApiClient.of(arguments, terminal);
      ObjectNode query = query(arguments);
      if (arguments.matchedOptionValue("--count", false)) {
        JsonNode counted = api.post(kind.route() + "/query", Map.of(), query.put("count", true));
        return Options.done(
            arguments, terminal, counted, "%,d".formatted(counted.path("count").asLong()));
      }
      query.put("limit", 1000);
      List<List<String>> rows = new ArrayList<>();
      boolean more = true;
      while (more) {
        JsonNode page = api.post(kind.route() + "/query", Map.of(), query);
        for (JsonNode item : page.path("items")) {
          if (Options.json(arguments)) {
            Options.print(terminal, item);
          } else {
            rows.add(row(terminal, item));
          }
        }
        more = !page.path("cursor").isNull();
        query.put("cursor", page.path("cursor").asString(""));
      }
      if (!Options.json(arguments)) {
        Table.print(terminal, heading(), rows);
      }
      return ExitCode.OK;
    }

    private ObjectNode query(ParseResult arguments) {
      ObjectNode query = JsonNodeFactory.instance.objectNode().put("scope", scope(arguments));
      for (String part : kind.parts) {
        if (arguments.hasMatchedOption("--" + part)) {
          query.put(part, arguments.matchedOptionValue("--" + part, ""));
        }
      }
      if (arguments.hasMatchedOption("--prefix")) {
        query.put(kind.target + "Prefix", arguments.matchedOptionValue("--prefix", ""));
      }
      if (arguments.matchedOptionValue("--expired", false)) {
        query.put("includeExpired", true);
      }
      for (String within : List.of("environments", "descendants")) {
        if (arguments.matchedOptionValue("--" + within, false)) {
          query.put(within, "all");
        }
      }
      return query;
    }

    private List<String> heading() {
      List<String> heading = new ArrayList<>(List.of("SCOPE"));
      for (int i = 0; i < kind.parts.size(); i++) {
        heading.add(kind.label(i));
      }
      if (kind.equals(RELATIONSHIP)) {
        heading.add("TYPE");
      }
      heading.addAll(List.of("BY", "LASTS"));
      return heading;
    }

    private List<String> row(Terminal terminal, JsonNode grant) {
      List<String> row = new ArrayList<>(List.of(grant.path("scope").asString()));
      kind.parts.forEach(part -> row.add(grant.path(part).asString()));
      if (kind.equals(RELATIONSHIP)) {
        row.add(grant.path("type").asString());
      }
      row.add(grant.path(kind.equals(APPROVAL) ? "grantedBy" : "createdBy").asString());
      row.add(remaining(terminal, grant));
      return row;
    }
  }
}
