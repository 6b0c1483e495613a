package dev.veridex.cli;

import dev.veridex.access.AccessIndex;
import dev.veridex.access.ScratchIndex;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.ledger.MessageStatus;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.output.Terminal;
import dev.veridex.common.VeridexException;
import dev.veridex.settings.YamlText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// `test`: holds assertions against statements, or against what a server knows.
public record TestCommand() implements Command {
  private static final Set<MessageStatus> REFUSED =
      Set.of(MessageStatus.REJECTED, MessageStatus.CONFLICT, MessageStatus.IGNORED);

  @Override
  public CommandSpec spec() {
    return Options.spec(
            "test",
            "Test permissions: a YAML file with individuals, and assertions such as 'alice can RU"
                + " on doc-1' or 'bob cannot R on doc-2, because denied by p-7'. Needs no server,"
                + " unless an account is named. Ends with 1 if an assertion does not hold, naming"
                + " its line.")
        .addPositional(Options.argument(0, "FILE", "the assertions; - for standard input"))
        .addOption(
            Options.option(
                "--account",
                String.class,
                "ACCOUNT",
                "test what this account of the server knows, instead of individuals of the file"))
        .addOption(Options.env());
  }

  /// An assertion on a line.
  private record Line(int number, String text, Assertion assertion) {}

  /// A file of assertions.
  private record Tests(List<JsonNode> individuals, List<Integer> stated, List<Line> lines) {}

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    String file = arguments.matchedPositionalValue(0, "-");
    Tests tests = read(file);
    Optional<String> account =
        Optional.ofNullable(arguments.matchedOptionValue("--account", (String) null));
    Function<Assertion, CheckFinding> evaluator =
        account.isPresent()
            ? server(arguments, terminal, account.get(), tests)
            : local(file, tests);
    int failed = 0;
    for (Line line : tests.lines) {
      Optional<String> wrong = evaluator.apply(line.assertion).contradiction(line.assertion);
      if (Options.json(arguments)) {
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        result.put("line", line.number).put("assertion", line.text).put("holds", wrong.isEmpty());
        wrong.ifPresent(why -> result.put("but", why));
        Options.print(terminal, result);
      } else if (wrong.isPresent()) {
        terminal
            .out()
            .println(
                "%s:%d: %s  %s, but %s"
                    .formatted(
                        file,
                        line.number,
                        terminal.red("does not hold"),
                        Terminal.safe(line.text),
                        Terminal.safe(wrong.get())));
      }
      failed += wrong.isPresent() ? 1 : 0;
    }
    if (!Options.json(arguments)) {
      int good = tests.lines.size() - failed;
      terminal
          .out()
          .println(
              "%s, %s"
                  .formatted(
                      terminal.green(good + (good == 1 ? " holds" : " hold")),
                      failed == 0
                          ? "0 do not"
                          : terminal.red(failed + (failed == 1 ? " does not" : " do not"))));
    }
    return failed == 0 ? ExitCode.OK : ExitCode.NO;
  }

  private static Tests read(String file) {
    String text = new String(Options.read(file), StandardCharsets.UTF_8);
    YamlText yaml;
    try {
      yaml = YamlText.read(text);
    } catch (VeridexException e) {
      throw new CommandFailure(ExitCode.USAGE, file + ": " + e.getMessage());
    }
    for (String name : yaml.root().propertyNames()) {
      if (!name.equals("individuals") && !name.equals("assertions")) {
        throw new CommandFailure(
            ExitCode.USAGE,
            "%s:%d: there are individuals and assertions, not '%s'"
                .formatted(file, yaml.line("/" + name), name));
      }
      if (!yaml.root().get(name).isArray()) {
        throw new CommandFailure(
            ExitCode.USAGE, "%s:%d: %s are a list".formatted(file, yaml.line("/" + name), name));
      }
    }
    List<JsonNode> individuals = new ArrayList<>();
    List<Integer> stated = new ArrayList<>();
    for (JsonNode each : yaml.root().path("individuals")) {
      stated.add(yaml.line("/individuals/" + individuals.size()));
      individuals.add(each);
    }
    List<Line> lines = new ArrayList<>();
    for (JsonNode each : yaml.root().path("assertions")) {
      lines.add(line(file, yaml.line("/assertions/" + lines.size()), each));
    }
    if (lines.isEmpty()) {
      throw new CommandFailure(ExitCode.USAGE, file + ": there are no assertions in it");
    }
    return new Tests(individuals, stated, lines);
  }

  private static Line line(String file, int number, JsonNode text) {
    try {
      return new Line(number, text.asString(""), Assertion.read(text.asString("")));
    } catch (CommandFailure e) {
      throw new CommandFailure(ExitCode.USAGE, "%s:%d: %s".formatted(file, number, e.getMessage()));
    }
  }

  /// Answers from the individuals of the file alone.
  private static Function<Assertion, CheckFinding> local(String file, Tests tests) {
    ScratchIndex index = new ScratchIndex();
    for (int i = 0; i < tests.individuals.size(); i++) {
      MessageInput input = MessageInput.of(tests.individuals.get(i));
      if (input.saysNothing()) {
        throw new CommandFailure(
            ExitCode.USAGE,
            "%s:%d: this is of no type that counts".formatted(file, tests.stated.get(i)));
      }
      AccessIndex.Result result = index.put(input);
      if (REFUSED.contains(result.status())) {
        throw new CommandFailure(
            ExitCode.USAGE,
            "%s:%d: %s is %s: %s"
                .formatted(
                    file,
                    tests.stated.get(i),
                    result.id().orElse("an individual"),
                    result.status().text(),
                    result.problem().map(Object::toString).orElse("")));
      }
    }
    return assertion ->
        CheckFinding.of(
            index.explain(
                CheckRequest.of(
                    assertion.subject(),
                    assertion.resource(),
                    assertion.filter(),
                    assertion.bucket())));
  }

  /// Answers from what a server knows.
  private static Function<Assertion, CheckFinding> server(
      ParseResult arguments, Terminal terminal, String account, Tests tests) {
    if (!tests.individuals.isEmpty()) {
      throw new CommandFailure(
          ExitCode.USAGE, "individuals are not stated to a server by a test: leave them out");
    }
    ApiClient api = ApiClient.of(arguments, terminal);
    Optional<String> env =
        Optional.ofNullable(arguments.matchedOptionValue("--env", (String) null));
    return assertion -> {
      Map<String, String> query = new HashMap<>();
      env.ifPresent(name -> query.put("env", name));
      query.put("subject", assertion.subject());
      query.put("resource", assertion.resource());
      query.put("explain", "true");
      assertion.bucket().ifPresent(name -> query.put("bucket", name));
      assertion.filter().ifPresent(name -> query.put("filter", name));
      return CheckFinding.of(
          api.get("/v1/accounts/" + ApiClient.segment(account) + "/access/check", query)
              .path("trace"));
    };
  }
}
