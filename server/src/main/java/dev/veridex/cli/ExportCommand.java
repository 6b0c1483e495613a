package dev.veridex.cli;

import dev.veridex.cli.client.AccountExporter;
import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.ExportFile;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.output.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `export`: writes an account to a file, line by line. What was broken off goes on where it was.
public record ExportCommand() implements Command {
  @Override
  public CommandSpec spec() {
    return Options.spec(
            "export",
            "Write an account to a file: its settings, environments, services, buckets and the",
            "current revision of every item. Tokens, past revisions and the audit log stay.",
            "If it is broken off, the same command goes on.")
        .addPositional(Options.argument(0, "ACCOUNT", "which account"))
        .addPositional(Options.argument(1, "FILE", "where to write it, as NDJSON"));
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    Path file = Path.of(arguments.matchedPositionalValue(1, ""));
    if (Files.exists(file)) {
      throw new CommandFailure(ExitCode.USAGE, "is there already: " + file);
    }
    Path part = file.resolveSibling(file.getFileName() + ".part");
    BucketPath account = BucketPath.of(arguments);
    try {
      ApiClient api = ApiClient.of(arguments, terminal);
      ObjectNode head = AccountExporter.head(api, account);
      Optional<JsonNode> mark = resume(part, head);
      mark.ifPresent(
          there ->
              terminal
                  .err()
                  .println(
                      terminal.faint(
                          "going on after %,d items".formatted(there.path("items").asLong()))));
      AccountExporter.Counts counts = AccountExporter.run(api, account, head, part, mark, terminal);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      terminal.endProgress();
      terminal
          .out()
          .println(
              Options.json(arguments)
                  ? "{\"items\":%d,\"bytes\":%d}".formatted(counts.items(), counts.bytes())
                  : "%s %,d items (%,d bytes) to %s"
                      .formatted(terminal.green("exported"), counts.items(), counts.bytes(), file));
      return ExitCode.OK;
    } catch (IOException | UncheckedIOException e) {
      throw new CommandFailure(ExitCode.FAILURE, "the file cannot be written: " + e.getMessage());
    } finally {
      terminal.endProgress();
    }
  }

  /// Cuts a file that was broken off after its last mark, if it is of the same account.
  ///
  /// Looked at byte by byte: it may end anywhere, also within a character.
  private static Optional<JsonNode> resume(Path part, ObjectNode head) throws IOException {
    if (!Files.exists(part)) {
      return Optional.empty();
    }
    Optional<JsonNode> mark = Optional.empty();
    long end = 0;
    try (BufferedReader lines = Files.newBufferedReader(part, StandardCharsets.ISO_8859_1)) {
      long offset = 0;
      String first = lines.readLine();
      if (first != null && first.endsWith("}") && !ExportFile.read(first).equals(head)) {
        throw new CommandFailure(
            ExitCode.USAGE, "is what is left of another export, remove it first: " + part);
      }
      for (String line = first; line != null; line = lines.readLine()) {
        offset += line.length() + 1;
        if (line.startsWith("{\"kind\":\"mark\"") && line.endsWith("}")) {
          mark = Optional.of(ExportFile.read(line));
          end = offset;
        }
      }
    }
    try (RandomAccessFile cut = new RandomAccessFile(part.toFile(), "rw")) {
      boolean unended = end > cut.length();
      cut.setLength(Math.min(end, cut.length()));
      if (unended) {
        cut.seek(cut.length());
        cut.write('\n');
      }
    }
    return mark;
  }
}
