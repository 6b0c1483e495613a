package dev.veridex;

import dev.veridex.common.VeridexException;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.StoreInspection;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// The program's entry.
public final class Main {
  private static final int OK = 0;
  private static final int DRIFT = 1;
  private static final int USAGE = 2;

  private static final String HELP =
      """
      Veridex, a permission-aware index that stays true.

        veridex verify FOLDER   read and check all of a store that no process has open
        veridex version         say which version this is
        veridex help            say this
      """;

  private Main() {}

  static void main(String[] arguments) {
    System.exit(run(List.of(arguments), System.out, System.err));
  }

  static int run(List<String> arguments, PrintStream out, PrintStream err) {
    String command = arguments.isEmpty() ? "help" : arguments.getFirst();
    switch (command) {
      case "help", "--help", "-h" -> out.print(HELP);
      case "version", "--version" -> out.println("veridex " + version());
      case "verify" -> {
        if (arguments.size() == 2) {
          return verify(Path.of(arguments.getLast()), out, err);
        }
        err.println("usage: veridex verify FOLDER");
        return USAGE;
      }
      default -> {
        err.println("veridex: unknown command " + command + ", see veridex help");
        return USAGE;
      }
    }
    return OK;
  }

  private static int verify(Path folder, PrintStream out, PrintStream err) {
    if (!StoreInspection.isStore(folder)) {
      err.println("veridex: no store in " + folder);
      return USAGE;
    }
    try {
      StoreInspection found =
          StoreInspection.of(folder, RocksSettings.DEFAULT, InstantSource.system().instant());
      out.printf(
          "%s is whole: %,d commits, %,d records (%,d of them expired), %,d bytes%n",
          folder, found.commits(), found.records(), found.expired(), found.bytes());
      return OK;
    } catch (VeridexException e) {
      err.println("veridex: " + e.getMessage());
      return DRIFT;
    }
  }

  private static String version() {
    return Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
        .orElse("(not packaged)");
  }
}
