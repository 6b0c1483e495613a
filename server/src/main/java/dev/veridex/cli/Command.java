package dev.veridex.cli;

import dev.veridex.cli.output.Terminal;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// A command of the command line.
public interface Command {
  /// Its name, options and help.
  CommandSpec spec();

  /// Does it.
  ///
  /// @return one of [ExitCode]
  /// @throws CommandFailure to say why it ends otherwise
  int run(ParseResult arguments, Terminal terminal);
}
