package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.PageWalker;
import dev.veridex.cli.client.Table;
import dev.veridex.cli.output.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// `put`, `get`, `ls`: items, one at a time or by their keys; documents, as many as a file has.
public final class ItemCommands {
  private ItemCommands() {}

  public static List<Command> all() {
    return List.of(new Put(), new Get(), new Ls());
  }

  private static CommandSpec ofItem(String name, String description) {
    return Options.spec(name, description)
        .addPositional(Options.argument(0, "ACCOUNT/BUCKET/KEY", "which item"))
        .addOption(Options.env())
        .addOption(Options.option("--as", String.class, "SUBJECT", "on whose behalf"));
  }

  private static Map<String, String> query(ParseResult arguments, BucketPath address) {
    Map<String, String> query = address.query();
    if (arguments.hasMatchedOption("--as")) {
      query.put("as", arguments.matchedOptionValue("--as", ""));
    }
    return query;
  }

  private record Put() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec(
              "put",
              "Store a file, or the standard input, as an item; or, without a key, the documents in"
                  + " files: a JSON object a line, one object, or an array. Ends with 1 if any"
                  + " document was refused.")
          .addPositional(
              Options.argument(0, "ACCOUNT/BUCKET[/KEY]", "which item, or the documents' bucket"))
          .addOption(Options.env())
          .addOption(Options.option("--as", String.class, "SUBJECT", "on whose behalf"))
          .addPositional(
              PositionalParamSpec.builder()
                  .index("1..*")
                  .type(List.class)
                  .auxiliaryTypes(String.class)
                  .arity("0..*")
                  .paramLabel("FILE")
                  .description("what to store; - or none: standard input")
                  .build())
          .addOption(
              Options.option("--content-type", String.class, "TYPE", "the type of its bytes"))
          .addOption(
              Options.option("--ttl", String.class, "DURATION", "how long it lives, e.g. 1h"))
          .addOption(
              Options.option("--if-match", String.class, "REV", "the revision it must have, or *"))
          .addOption(Options.flag("--if-absent", "only if there is none"))
          .addOption(
              OptionSpec.builder("--header")
                  .type(List.class)
                  .auxiliaryTypes(String.class)
                  .paramLabel("NAME=VALUE")
                  .description("kept with it as X-Store-NAME; may be given several times")
                  .build());
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      List<String> given = arguments.matchedPositionalValue(1, List.of());
      List<String> files = given.isEmpty() ? List.of("-") : given;
      Map<String, String> query = query(arguments, address);
      if (address.rest().isEmpty()) {
        return DocumentCommands.put(arguments, terminal, address, query, files);
      }
      if (files.size() > 1) {
        throw new CommandFailure(ExitCode.USAGE, "an item is one file");
      }
      String path = address.itemPath();
      String file = files.getFirst();
      if (arguments.hasMatchedOption("--ttl")) {
        long seconds = Options.seconds(arguments.matchedOptionValue("--ttl", ""));
        query.put("ttl", String.valueOf(seconds));
      }
      JsonNode written =
          ApiClient.of(arguments, terminal)
              .putBytes(path, query, headers(arguments, file), Options.read(file));
      return Options.done(
          arguments, terminal, written, terminal.green("stored ") + written.path("rev").asString());
    }

    private static List<String> headers(ParseResult arguments, String file) {
      List<String> headers = new ArrayList<>();
      String type = arguments.matchedOptionValue("--content-type", contentType(file).orElse(""));
      if (!type.isEmpty()) {
        headers.addAll(List.of("Content-Type", type));
      }
      if (arguments.hasMatchedOption("--if-match")) {
        headers.addAll(List.of("If-Match", arguments.matchedOptionValue("--if-match", "")));
      }
      if (arguments.matchedOptionValue("--if-absent", false)) {
        headers.addAll(List.of("If-None-Match", "*"));
      }
      List<String> kept = arguments.matchedOptionValue("--header", List.of());
      for (String header : kept) {
        int equals = header.indexOf('=');
        if (equals < 1) {
          throw new CommandFailure(ExitCode.USAGE, "a header looks like NAME=VALUE: " + header);
        }
        headers.add("X-Store-" + header.substring(0, equals));
        headers.add(header.substring(equals + 1));
      }
      return headers;
    }

    private static Optional<String> contentType(String file) {
      try {
        return file.equals("-")
            ? Optional.empty()
            : Optional.ofNullable(Files.probeContentType(Path.of(file)));
      } catch (IOException e) {
        return Optional.empty();
      }
    }
  }

  private record Get() implements Command {
    @Override
    public CommandSpec spec() {
      return ofItem("get", "Print an item or a document, or write it to a file.")
          .addOption(
              Options.option(
                  "--rev", String.class, "REV", "a revision, or a time: what was there then"))
          .addOption(
              Options.option(
                  "--output", Path.class, "FILE", "where to write it; else it is printed"))
          .addOption(Options.flag("--revisions", "list its revisions instead"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      Map<String, String> query = query(arguments, address);
      if (arguments.matchedOptionValue("--revisions", false)) {
        return Table.list(
            arguments,
            terminal,
            address.itemPath() + "/revisions",
            query,
            List.of("REV", "TIME", "BYTES", "EXPIRES"),
            Get::row);
      }
      if (arguments.hasMatchedOption("--rev")) {
        query.put("rev", arguments.matchedOptionValue("--rev", ""));
      }
      ApiClient api = ApiClient.of(arguments, terminal);
      byte[] bytes =
          api.getBytes(
                  DocumentCommands.holds(api, address)
                      ? DocumentCommands.path(address)
                      : address.itemPath(),
                  query)
              .body();
      Path output = arguments.matchedOptionValue("--output", (Path) null);
      try {
        if (output == null) {
          terminal.out().write(bytes);
          terminal.out().flush();
        } else {
          Files.write(output, bytes);
        }
      } catch (IOException e) {
        throw new CommandFailure(ExitCode.FAILURE, "cannot be written: " + output);
      }
      return ExitCode.OK;
    }

    private static List<String> row(JsonNode revision) {
      return List.of(
          revision.path("rev").asString(),
          revision.path("time").asString(),
          revision.path("deleted").asBoolean()
              ? "deleted"
              : "%,d".formatted(revision.path("bytes").asLong()),
          revision.path("expiresAt").asString(""));
    }
  }

  private record Ls() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec("ls", "List buckets, or the items of a bucket.")
          .addPositional(Options.argument(0, "ACCOUNT[/BUCKET[/PREFIX]]", "what to look into"))
          .addOption(Options.env())
          .addOption(Options.option("--as", String.class, "SUBJECT", "on whose behalf"))
          .addOption(Options.flag("--long", "with sizes, times and types"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      if (address.bucket().isEmpty()) {
        return BucketCommands.list(arguments, terminal, false);
      }
      Map<String, String> query = query(arguments, address);
      address.rest().ifPresent(prefix -> query.put("prefix", prefix));
      boolean json = Options.json(arguments);
      boolean more = arguments.matchedOptionValue("--long", false);
      // Printed as they come: there may be millions.
      PageWalker.each(
          ApiClient.of(arguments, terminal),
          address.itemsPath(),
          query,
          item -> {
            if (json) {
              Options.print(terminal, item);
            } else {
              String key = Terminal.safe(item.path("key").asString());
              terminal.out().println(more ? line(item) + key : key);
            }
          });
      return ExitCode.OK;
    }

    private static String line(JsonNode item) {
      return "%,14d  %s  %-30s  "
          .formatted(
              item.path("bytes").asLong(),
              item.path("time").asString(),
              Terminal.safe(item.path("contentType").asString("")));
    }
  }
}
