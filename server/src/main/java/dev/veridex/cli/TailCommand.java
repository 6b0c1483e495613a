package dev.veridex.cli;

import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// `tail`: shows individuals as they are applied.
public record TailCommand() implements Command {
  @Override
  public CommandSpec spec() {
    return Options.spec(
            "tail",
            "Show individuals as they are applied to an access index, until stopped. A broken"
                + " connection is taken up where it ended.")
        .addPositional(Options.argument(0, "ACCOUNT", "the account"))
        .addOption(Options.env())
        .addOption(
            Options.option(
                "--since", String.class, "REVISION", "all after this; absent: from now on"))
        .addOption(Options.flag("--no-follow", "end when everything so far was shown"));
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    Address address = Address.of(arguments);
    Map<String, String> query = address.query();
    if (arguments.hasMatchedOption("--since")) {
      query.put("since", arguments.matchedOptionValue("--since", ""));
    }
    boolean follow = !arguments.matchedOptionValue("--no-follow", false);
    if (!follow) {
      query.put("follow", "false");
    }
    Api api = Api.of(arguments, terminal);
    boolean json = Options.json(arguments);
    Optional<String> last = Optional.empty();
    boolean more = true;
    while (more) {
      Optional<String> before = last;
      last =
          api.events(
              address.accountPath() + "/changes",
              query,
              before,
              event -> print(terminal, event, json));
      // Whoever heard nothing at all is not heard either.
      more = follow && !last.equals(before);
    }
    return Exit.OK;
  }

  private static void print(Terminal terminal, JsonNode event, boolean json) {
    if (event.has("code")) {
      throw new CommandFailure(
          Exit.FAILURE,
          event.path("code").asString(),
          Terminal.safe(event.path("detail").asString()));
    }
    if (json) {
      Options.print(terminal, event);
      return;
    }
    terminal
        .out()
        .println(
            "%s  %-8s %s  %s"
                .formatted(
                    event.path("time").asString(),
                    event.path("state").isNull() ? "removed" : event.path("status").asString(),
                    terminal.bold(Terminal.safe(event.path("individual").asString())),
                    Terminal.safe(said(event.path("state")))));
  }

  /// What an individual says, without its id.
  private static String said(JsonNode state) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, JsonNode> member : state.properties()) {
      if (!member.getKey().equals("@id")) {
        String value =
            member.getValue().isString()
                ? member.getValue().asString()
                : member.getValue().toString();
        text.append(text.isEmpty() ? "" : " ").append(member.getKey()).append('=').append(value);
      }
    }
    return text.toString();
  }
}
