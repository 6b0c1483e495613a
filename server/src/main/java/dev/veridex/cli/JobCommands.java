package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.Table;
import dev.veridex.cli.output.Terminal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// `jobs ls`, `show`, `wait`, `pause`, `resume`, `cancel`: long work of the server.
public final class JobCommands {
  private static final long LOOK_EVERY_NANOS = 200_000_000;

  private JobCommands() {}

  public static CommandLineInterface.CommandGroup group() {
    return new CommandLineInterface.CommandGroup(
        "jobs",
        "Look at long work, and pause, resume or cancel it.",
        List.of(
            new ListAll(),
            new Show(),
            new Wait(),
            new Change("pause", "Stop a job for a while.", "paused"),
            new Change("resume", "Let a paused job go on.", "running"),
            new Cancel()));
  }

  private static CommandSpec ofId(String name, String description) {
    return Options.spec(name, description).addPositional(Options.argument(0, "ID", "the job"));
  }

  private static String path(ParseResult arguments) {
    return "/v1/jobs/" + ApiClient.segment(arguments.matchedPositionalValue(0, ""));
  }

  private static String progress(JsonNode job) {
    return job.has("total")
        ? "%,d of %,d".formatted(job.path("done").asLong(), job.path("total").asLong())
        : "%,d".formatted(job.path("done").asLong());
  }

  private static int print(ParseResult arguments, Terminal terminal, JsonNode job) {
    String reason =
        job.has("code")
            ? "  %s: %s".formatted(job.path("code").asString(), job.path("detail").asString())
            : "";
    return Options.done(
        arguments,
        terminal,
        job,
        Terminal.safe(
            "%s  %s in %s: %s  %s%s"
                .formatted(
                    job.path("id").asString(),
                    job.path("kind").asString(),
                    job.path("scope").asString(),
                    job.path("state").asString(),
                    progress(job),
                    reason)));
  }

  private record ListAll() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec("ls", "List the jobs of a scope, the newest first.")
          .addPositional(
              Options.argument(0, "SCOPE", "an account, or a scope such as tenant:acme:env:prod"))
          .addOption(Options.env());
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      return Table.list(
          arguments,
          terminal,
          "/v1/jobs",
          Map.of("scope", GrantCommands.scope(arguments)),
          List.of("ID", "KIND", "STATE", "DONE", "STARTED"),
          job ->
              List.of(
                  job.path("id").asString(),
                  job.path("kind").asString(),
                  job.path("state").asString(),
                  progress(job),
                  job.path("createdAt").asString()));
    }
  }

  private record Show() implements Command {
    @Override
    public CommandSpec spec() {
      return ofId("show", "Show a job, and how far it is.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      return print(
          arguments, terminal, ApiClient.of(arguments, terminal).get(path(arguments), Map.of()));
    }
  }

  private record Wait() implements Command {
    @Override
    public CommandSpec spec() {
      return ofId("wait", "Wait for the end of a job. Ends with 1 if it was not done.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      ApiClient api = ApiClient.of(arguments, terminal);
      JsonNode job = api.get(path(arguments), Map.of());
      try {
        while (List.of("queued", "running").contains(job.path("state").asString())) {
          terminal.progress(job.path("kind").asString() + ": " + progress(job));
          LockSupport.parkNanos(LOOK_EVERY_NANOS);
          job = api.get(path(arguments), Map.of());
        }
      } finally {
        terminal.endProgress();
      }
      print(arguments, terminal, job);
      return job.path("state").asString().equals("done") ? ExitCode.OK : ExitCode.NO;
    }
  }

  /// `pause` and `resume`.
  private record Change(String command, String description, String state) implements Command {
    @Override
    public CommandSpec spec() {
      return ofId(command, description);
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      return print(
          arguments,
          terminal,
          ApiClient.of(arguments, terminal)
              .patch(path(arguments), JsonNodeFactory.instance.objectNode().put("state", state)));
    }
  }

  private record Cancel() implements Command {
    @Override
    public CommandSpec spec() {
      return ofId("cancel", "Stop a job for good; what it has done stays done.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      return print(
          arguments, terminal, ApiClient.of(arguments, terminal).delete(path(arguments), Map.of()));
    }
  }
}
