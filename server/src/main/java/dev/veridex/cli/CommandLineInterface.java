package dev.veridex.cli;

import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.output.Terminal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.SpellingSuggestion;
import dev.veridex.common.VeridexException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// All commands under one name.
///
/// picocli parses and helps; it is given what there is to parse, and finds nothing by reflection.
public final class CommandLineInterface {
  private static final System.Logger LOG = System.getLogger(CommandLineInterface.class.getName());

  private final Map<CommandSpec, Command> commands = new HashMap<>();
  private final CommandLine commandLine;
  private final Terminal terminal;

  /// @param version what `--version` says
  public CommandLineInterface(
      List<Command> commands, List<CommandGroup> groups, String version, Terminal terminal) {
    this.terminal = terminal;
    CommandSpec root = CommandSpec.create().name("veridex").version("veridex " + version);
    root.usageMessage()
        .description("A permission-aware index that stays true.")
        .footer("", "Exit codes: 0 done, 1 no, 2 not understood, 3 the server failed.");
    root.addOption(
        OptionSpec.builder("-V", "--version")
            .versionHelp(true)
            .description("say which version this is")
            .build());
    commands.forEach(command -> add(root, command));
    for (CommandGroup group : groups) {
      CommandSpec spec = CommandSpec.create().name(group.name());
      spec.usageMessage().description(group.description());
      group.commands().forEach(command -> add(spec, command));
      root.addSubcommand(group.name(), withHelp(spec));
    }
    CommandSpec completion = CommandSpec.create().name("completion");
    completion
        .usageMessage()
        .description("Print a completion script for bash and zsh: source <(veridex completion)");
    root.addSubcommand("completion", withHelp(completion));
    this.commands.put(completion, new Completion(completion));
    this.commandLine = new CommandLine(withHelp(root)).setCaseInsensitiveEnumValuesAllowed(true);
  }

  /// Commands that go together, as `token mint` and `token list`.
  public record CommandGroup(String name, String description, List<Command> commands) {}

  private void add(CommandSpec parent, Command command) {
    CommandSpec spec = withHelp(command.spec());
    commands.put(spec, command);
    parent.addSubcommand(spec.name(), spec);
  }

  private static CommandSpec withHelp(CommandSpec spec) {
    return spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("say this").build());
  }

  /// Runs what the arguments say.
  ///
  /// @return one of [ExitCode]
  public int run(List<String> arguments) {
    try {
      ParseResult parsed = commandLine.parseArgs(arguments.toArray(String[]::new));
      return run(parsed);
    } catch (ParameterException e) {
      terminal.err().println(terminal.red("veridex: ") + e.getMessage());
      String help = "see " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help";
      terminal.err().println(meant(e).map(near -> "did you mean " + near + "?").orElse(help));
      return ExitCode.USAGE;
    } catch (CommandFailure e) {
      terminal.err().println(terminal.red("veridex: ") + e.getMessage());
      return e.exit();
    } catch (VeridexException e) {
      terminal.err().println(terminal.red("veridex: ") + e.getMessage());
      return e.code() == ErrorCode.BAD_CONFIGURATION ? ExitCode.USAGE : ExitCode.FAILURE;
    } catch (RuntimeException e) {
      // Said and ended: a process that half started must not live on.
      LOG.log(System.Logger.Level.ERROR, "the command failed", e);
      return ExitCode.FAILURE;
    }
  }

  /// The command or option that somebody meant most likely.
  private static Optional<String> meant(ParameterException e) {
    if (!(e instanceof CommandLine.UnmatchedArgumentException unmatched)) {
      return Optional.empty();
    }
    CommandSpec spec = e.getCommandLine().getCommandSpec();
    Set<String> names = new HashSet<>(spec.subcommands().keySet());
    names.addAll(spec.optionsMap().keySet());
    return SpellingSuggestion.nearest(unmatched.getUnmatched().getFirst(), names);
  }

  private int run(ParseResult parsed) {
    ParseResult deepest = parsed;
    while (deepest.hasSubcommand()) {
      deepest = deepest.subcommand();
    }
    CommandLine chosen = deepest.commandSpec().commandLine();
    Command command = commands.get(deepest.commandSpec());
    if (deepest.isVersionHelpRequested()) {
      chosen.printVersionHelp(terminal.out());
      return ExitCode.OK;
    }
    if (deepest.isUsageHelpRequested() || command == null) {
      Ansi ansi =
          terminal.interactive() && terminal.variable("NO_COLOR").isEmpty() ? Ansi.ON : Ansi.OFF;
      chosen.usage(terminal.out(), ansi);
      boolean asked = deepest.isUsageHelpRequested() || !parsed.hasSubcommand();
      return asked ? ExitCode.OK : ExitCode.USAGE;
    }
    return command.run(deepest, terminal);
  }

  private final class Completion implements Command {
    private final CommandSpec spec;

    private Completion(CommandSpec spec) {
      this.spec = spec;
    }

    @Override
    public CommandSpec spec() {
      return spec;
    }

    @Override
    public int run(ParseResult arguments, Terminal onTerminal) {
      onTerminal.out().println(AutoComplete.bash("veridex", commandLine));
      return ExitCode.OK;
    }
  }
}
