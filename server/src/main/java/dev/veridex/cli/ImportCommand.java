package dev.veridex.cli;

import dev.veridex.cli.client.AccountImporter;
import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.ExportFile;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.output.Progress;
import dev.veridex.cli.output.Terminal;
import dev.veridex.common.DurableFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// `import`: reads an account from a file, line by line. What was broken off goes on where it was.
public record ImportCommand() implements Command {
  private static final int ITEMS_AT_A_TIME = 64;
  private static final long BYTES_AT_A_TIME = 16L << 20;

  @Override
  public CommandSpec spec() {
    return Options.spec(
            "import",
            "Read an account from a file that export wrote. What is missing is made; settings that",
            "are there stay; items are stored. If it is broken off, the same command goes on.")
        .addPositional(Options.argument(0, "ACCOUNT", "into which account"))
        .addPositional(Options.argument(1, "FILE", "what to read"));
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    Path file = Path.of(arguments.matchedPositionalValue(1, ""));
    AccountImporter importing =
        new AccountImporter(ApiClient.of(arguments, terminal), BucketPath.of(arguments));
    try {
      long size = Files.size(file);
      Checkpoint checkpoint = new Checkpoint(file, importing, size);
      read(file, importing, checkpoint, terminal);
      checkpoint.delete();
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.USAGE, "the file cannot be read: " + e.getMessage());
    } finally {
      terminal.endProgress();
    }
    terminal
        .out()
        .println(
            Options.json(arguments)
                ? "{\"items\":%d,\"expired\":%d,\"refused\":%d}"
                    .formatted(importing.stored(), importing.expired(), importing.refused())
                : "%s %,d items into %s, %,d had expired"
                    .formatted(
                        terminal.green("imported"),
                        importing.stored(),
                        importing.account().account(),
                        importing.expired()));
    if (importing.refused() > 0) {
      throw new CommandFailure(
          ExitCode.NO,
          "%,d items were not stored: less of their life is left than their bucket allows"
              .formatted(importing.refused()));
    }
    return ExitCode.OK;
  }

  private static void read(
      Path file, AccountImporter importing, Checkpoint checkpoint, Terminal terminal)
      throws IOException {
    long done = checkpoint.lines();
    if (done > 0) {
      terminal.err().println(terminal.faint("going on after line %,d".formatted(done)));
    }
    boolean ended = false;
    boolean again = done > 0;
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      long number = 0;
      long offset = 0;
      List<JsonNode> items = new ArrayList<>();
      long bytes = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        offset += line.getBytes(StandardCharsets.UTF_8).length + 1;
        if (number == 1) {
          check(ExportFile.read(line));
        }
        if (number <= done) {
          continue;
        }
        JsonNode read = ExportFile.read(line);
        boolean item = read.path("kind").asString().equals("item");
        if (item) {
          items.add(read);
        }
        bytes += item ? line.length() : 0;
        if (!item || items.size() == ITEMS_AT_A_TIME || bytes > BYTES_AT_A_TIME) {
          importing.store(items, again);
          again = false;
          items.clear();
          bytes = 0;
          if (!item) {
            importing.make(read);
          }
          checkpoint.write(number);
          terminal.progress(
              "importing %s %,d items"
                  .formatted(Progress.bar(offset, checkpoint.size()), importing.stored()));
        }
        ended = read.path("kind").asString().equals("end");
      }
      importing.store(items, again);
    }
    if (!ended) {
      throw new CommandFailure(ExitCode.NO, "the file ends early: it is no whole export");
    }
  }

  private static void check(JsonNode first) {
    if (!first.path("kind").asString("").equals("export")
        || first.path("version").asInt(0) != ExportFile.VERSION) {
      throw new CommandFailure(ExitCode.USAGE, "this is no export that this version can read");
    }
  }

  /// The progress of an import, in a file beside the imported one.
  private static final class Checkpoint {
    private final Path file;
    private final AccountImporter importing;
    private final long size;
    private String what = "";

    private Checkpoint(Path imported, AccountImporter importing, long size) {
      this.file = imported.resolveSibling(imported.getFileName() + ".imported");
      this.importing = importing;
      this.size = size;
    }

    /// Which file is read into which account; known once there is one.
    private String what() {
      if (what.isEmpty()) {
        what = importing.identity();
      }
      return " " + size + " " + what;
    }

    private long size() {
      return size;
    }

    private long lines() throws IOException {
      if (!Files.exists(file)) {
        return 0;
      }
      String text = Files.readString(file);
      int end = text.indexOf(' ');
      return end > 0 && text.substring(end).equals(what())
          ? Long.parseLong(text.substring(0, end))
          : 0;
    }

    private void write(long lines) throws IOException {
      DurableFiles.replace(file, lines + what());
    }

    private void delete() throws IOException {
      Files.deleteIfExists(file);
    }
  }
}
