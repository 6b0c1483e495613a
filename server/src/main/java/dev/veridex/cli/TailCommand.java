package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.output.Terminal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// `tail`: shows individuals and grants as they are applied, or documents as they become
/// searchable.
public record TailCommand() implements Command {
  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /// What is over in a while.
  private static final Set<String> AGAIN =
      Set.of("STOPPING", "INDEX_BUILDING", "INDEX_DAMAGED", "UNAVAILABLE");

  @Override
  public CommandSpec spec() {
    return Options.spec(
            "tail",
            "Show individuals and grants as they change the rights in an account, or the"
                + " documents of a bucket as they become searchable, until stopped. A broken"
                + " connection is taken up where it ended.")
        .addPositional(
            Options.argument(0, "ACCOUNT[/BUCKET]", "the account, or a bucket of documents"))
        .addOption(Options.env())
        .addOption(
            Options.option(
                "--since",
                String.class,
                "REVISION",
                "all after this, of a bucket the id of an event; absent: from now on"))
        .addOption(Options.flag("--no-follow", "end when everything so far was shown"));
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    BucketPath address = BucketPath.of(arguments);
    Map<String, String> query = address.query();
    if (arguments.hasMatchedOption("--since")) {
      query.put("since", arguments.matchedOptionValue("--since", ""));
    }
    boolean follow = !arguments.matchedOptionValue("--no-follow", false);
    if (!follow) {
      query.put("follow", "false");
    }
    return new EventReader(
            ApiClient.of(arguments, terminal),
            address,
            query,
            terminal,
            follow,
            Options.json(arguments))
        .run();
  }

  /// Reads events from one connection after the other.
  private static final class EventReader implements ApiClient.EventListener {
    private final ApiClient api;
    private final BucketPath address;
    private final Map<String, String> query;
    private final Terminal terminal;
    private final boolean follow;
    private final boolean json;
    private Optional<String> last = Optional.empty();
    private boolean connected;
    private Duration pause = SHORTEST_PAUSE;

    private EventReader(
        ApiClient api,
        BucketPath address,
        Map<String, String> query,
        Terminal terminal,
        boolean follow,
        boolean json) {
      this.api = api;
      this.address = address;
      this.query = query;
      this.terminal = terminal;
      this.follow = follow;
      this.json = json;
    }

    @Override
    public void event(JsonNode event) {
      print(terminal, event, json);
    }

    @Override
    public void heard(Optional<String> id) {
      connected = true;
      pause = id.equals(last) ? pause : SHORTEST_PAUSE;
      last = id;
    }

    private int run() {
      String changes =
          (address.bucket().isPresent() ? address.bucketPath() : address.accountPath())
              + "/changes";
      while (true) {
        try {
          boolean whole = api.events(changes, query, last, this);
          if (!follow && whole) {
            return ExitCode.OK;
          }
          if (!follow) {
            throw new CommandFailure(ExitCode.FAILURE, "the server broke off: this is not all");
          }
        } catch (CommandFailure e) {
          // Whoever was heard before may be back in a moment; what is refused stays so.
          if (!connected || !follow || e.exit() != ExitCode.FAILURE) {
            throw e;
          }
        }
        sleep(pause);
        pause =
            pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0
                ? pause.multipliedBy(2)
                : LONGEST_PAUSE;
      }
    }

    private static void sleep(Duration pause) {
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandFailure(ExitCode.USAGE, "interrupted");
      }
    }
  }

  private static void print(Terminal terminal, JsonNode event, boolean json) {
    if (event.has("code")) {
      String code = event.path("code").asString();
      throw new CommandFailure(
          AGAIN.contains(code) ? ExitCode.FAILURE : ExitCode.NO,
          code,
          Terminal.safe(code + ": " + event.path("detail").asString()));
    }
    if (json) {
      Options.print(terminal, event);
      return;
    }
    terminal.out().println(line(terminal, event));
  }

  private static String line(Terminal terminal, JsonNode event) {
    if (event.has("pk")) {
      return document(terminal, event);
    }
    return event.has("individual")
        ? individual(terminal, event)
        : "%s  %-8s %s"
            .formatted(
                event.path("time").asString(),
                event.path("status").asString(),
                GrantCommands.sentence(terminal, event));
  }

  private static String individual(Terminal terminal, JsonNode event) {
    return "%s  %-8s %s  %s"
        .formatted(
            event.path("time").asString(),
            event.path("state").isNull() ? "removed" : event.path("status").asString(),
            terminal.bold(Terminal.safe(event.path("individual").asString())),
            Terminal.safe(said(event.path("state"))));
  }

  private static String document(Terminal terminal, JsonNode event) {
    boolean gone = event.path("action").asString().equals("DELETE");
    return "%s  %-8s %s  %s"
        .formatted(
            event.path("modifiedAt").asString(),
            gone ? "gone" : "version " + event.path("version").asLong(),
            terminal.bold(Terminal.safe(event.path("pk").asString())),
            Terminal.safe(said(event.path("fields"))));
  }

  /// What an individual or a document says, without its id.
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
