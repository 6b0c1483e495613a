package dev.veridex.cli;

import dev.veridex.cli.client.ApiClient;
import dev.veridex.cli.client.BucketPath;
import dev.veridex.cli.client.BulkSender;
import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.client.Options;
import dev.veridex.cli.client.Table;
import dev.veridex.cli.output.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Commands for documents and their queues.
public final class DocumentCommands {
  private DocumentCommands() {}

  /// `queue`: what waits in the queues of a bucket.
  public static Command queue() {
    return new Queue();
  }

  /// Whether a bucket holds documents.
  static boolean holds(ApiClient api, BucketPath address) {
    return api.get(address.bucketPath(), address.query())
        .path("type")
        .asString()
        .startsWith("documents/");
  }

  static String path(BucketPath address) {
    String key =
        address
            .rest()
            .filter(text -> !text.isEmpty())
            .orElseThrow(
                () -> new CommandFailure(ExitCode.USAGE, "name a document as ACCOUNT/BUCKET/KEY"));
    return address.bucketPath() + "/documents/" + ApiClient.segment(key);
  }

  /// Sends the documents in files.
  static int put(
      ParseResult arguments,
      Terminal terminal,
      BucketPath address,
      Map<String, String> query,
      List<String> files) {
    BulkSender sending =
        new BulkSender(
            ApiClient.of(arguments, terminal),
            address.bucketPath() + "/documents",
            query,
            new BulkSender.Words("send", "sent", "pk", status -> !status.startsWith("ACK")),
            terminal,
            Options.json(arguments));
    files.forEach(sending::file);
    return sending.end();
  }

  /// Has everything sent anew to the index.
  static int rebuild(ParseResult arguments, Terminal terminal, BucketPath address) {
    JsonNode rebuilt;
    try {
      rebuilt =
          ApiClient.of(arguments, terminal)
              .follow(
                  "POST",
                  address.bucketPath() + "/rebuild",
                  address.query(),
                  line ->
                      terminal.progress(
                          "queueing: %,d documents".formatted(line.path("documents").asLong())));
    } finally {
      terminal.endProgress();
    }
    return Options.done(
        arguments,
        terminal,
        rebuilt,
        "%s %,d documents to be sent anew; see veridex queue %s"
            .formatted(
                terminal.green("queued"),
                rebuilt.path("documents").asLong(),
                Terminal.safe(address.text())));
  }

  private record Queue() implements Command {
    @Override
    public CommandSpec spec() {
      return Options.spec(
              "queue",
              "Show what waits in the queues of a bucket, or the elements of one of them; try again"
                  + " or drop what failed.")
          .addPositional(
              Options.argument(0, "ACCOUNT/BUCKET[/QUEUE]", "main, emergency, failed or dead"))
          .addOption(Options.env())
          .addOption(Options.flag("--requeue", "try what failed or is dead again"))
          .addOption(
              Options.option("--idx", Long.class, "IDX", "only this element, to try again or drop"))
          .addOption(Options.flag("--drop", "forget a dead element"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      BucketPath address = BucketPath.of(arguments);
      String path = address.bucketPath() + "/queues";
      if (address.rest().isEmpty()) {
        return Table.list(
            arguments,
            terminal,
            path,
            address.query(),
            List.of("QUEUE", "GROUP", "WAITING", "OLDEST", "RATE/S", "BY SHARD"),
            Queue::row);
      }
      path += "/" + ApiClient.segment(address.rest().get());
      if (arguments.matchedOptionValue("--requeue", false)) {
        return requeue(arguments, terminal, address, path);
      }
      if (arguments.matchedOptionValue("--drop", false)) {
        long idx = arguments.matchedOptionValue("--idx", 0L);
        JsonNode dropped =
            ApiClient.of(arguments, terminal).delete(path + "/" + idx, address.query());
        return Options.done(arguments, terminal, dropped, terminal.green("dropped ") + idx);
      }
      return Table.list(
          arguments,
          terminal,
          path,
          address.query(),
          List.of("IDX", "SHARD", "PK", "EPOCH", "VERSION", "SINCE", "TRIED", "ERROR"),
          Queue::element);
    }

    private static int requeue(
        ParseResult arguments, Terminal terminal, BucketPath address, String path) {
      ObjectNode which = JsonNodeFactory.instance.objectNode();
      if (arguments.hasMatchedOption("--idx")) {
        which.putArray("idx").add(arguments.matchedOptionValue("--idx", 0L));
      }
      JsonNode queued =
          ApiClient.of(arguments, terminal).post(path + "/requeue", address.query(), which);
      return Options.done(
          arguments,
          terminal,
          queued,
          "%s %,d".formatted(terminal.green("queued again"), queued.path("elements").asLong()));
    }

    private static List<String> row(JsonNode queue) {
      List<String> shards = new ArrayList<>();
      String oldest = "";
      double rate = 0;
      for (JsonNode shard : queue.path("shards")) {
        shards.add(String.valueOf(shard.path("elements").asLong()));
        rate += shard.path("rate").asDouble(0);
        String since = shard.path("oldest").asString("");
        oldest =
            oldest.isEmpty() || (!since.isEmpty() && since.compareTo(oldest) < 0) ? since : oldest;
      }
      return List.of(
          queue.path("queue").asString(),
          queue.path("group").asString(""),
          "%,d".formatted(queue.path("elements").asLong()),
          oldest,
          "%,.1f".formatted(rate),
          String.join(" ", shards));
    }

    private static List<String> element(JsonNode element) {
      return List.of(
          element.path("idx").asString(),
          element.path("shard").asString(),
          element.path("pk").asString(),
          element.path("epoch").asString(),
          element.path("version").asString(),
          element.path("enqueuedAt").asString(),
          element.path("attempts").asString("0"),
          element.path("lastError").asString(""));
    }
  }
}
