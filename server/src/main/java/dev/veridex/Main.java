package dev.veridex;

import dev.veridex.cli.AccessCommands;
import dev.veridex.cli.AccountCommands;
import dev.veridex.cli.AuditCommand;
import dev.veridex.cli.BackupCommand;
import dev.veridex.cli.BucketCommands;
import dev.veridex.cli.Command;
import dev.veridex.cli.CommandLineInterface;
import dev.veridex.cli.DocumentCommands;
import dev.veridex.cli.ExportCommand;
import dev.veridex.cli.GrantCommands;
import dev.veridex.cli.ImportCommand;
import dev.veridex.cli.ItemCommands;
import dev.veridex.cli.JobCommands;
import dev.veridex.cli.ListCommands;
import dev.veridex.cli.ObjectCommands;
import dev.veridex.cli.SearchCommand;
import dev.veridex.cli.TailCommand;
import dev.veridex.cli.TestCommand;
import dev.veridex.cli.TokenCommands;
import dev.veridex.cli.VerifyCommand;
import dev.veridex.cli.WhatIfCommand;
import dev.veridex.cli.output.Terminal;
import java.io.Console;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The program's entry.
public final class Main {
  private Main() {}

  static void main(String[] arguments) {
    LogSetup.install(System.err);
    Terminal terminal =
        new Terminal(
            System.out,
            System.err,
            Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false),
            System.getenv(),
            InstantSource.system());
    System.exit(run(List.of(arguments), terminal));
  }

  public static int run(List<String> arguments, Terminal terminal) {
    return new CommandLineInterface(
            commands(),
            List.of(
                TokenCommands.group(),
                AccountCommands.group(),
                BucketCommands.group(),
                AccessCommands.group(),
                ObjectCommands.group(),
                GrantCommands.groups().getFirst(),
                GrantCommands.groups().getLast(),
                JobCommands.group()),
            version(),
            terminal)
        .run(arguments);
  }

  private static List<Command> commands() {
    List<Command> commands =
        new ArrayList<>(List.of(new ServerCommand(version()), new DemoCommand(version())));
    commands.addAll(ItemCommands.all());
    commands.addAll(AccessCommands.all());
    commands.addAll(GrantCommands.all());
    commands.add(DocumentCommands.queue());
    commands.addAll(ListCommands.all());
    commands.addAll(
        List.of(new SearchCommand(), new WhatIfCommand(), new TailCommand(), new TestCommand()));
    commands.addAll(
        List.of(
            new ExportCommand(),
            new ImportCommand(),
            new AuditCommand(),
            new VerifyCommand(OfflineVerifier::run),
            new BackupCommand()));
    return commands;
  }

  private static String version() {
    return Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
        .orElse("(not packaged)");
  }
}
