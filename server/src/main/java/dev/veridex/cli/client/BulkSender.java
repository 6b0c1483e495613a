package dev.veridex.cli.client;

import dev.veridex.cli.output.Terminal;
import dev.veridex.common.VeridexException;
import dev.veridex.json.JsonText;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// Sends inputs some at a time, and tells what became of them.
public final class BulkSender {
  private static final int LINES_AT_A_TIME = 1000;
  private static final int BYTES_AT_A_TIME = 4 << 20;

  private final ApiClient api;
  private final String path;
  private final Map<String, String> query;
  private final Words words;
  private final Terminal terminal;
  private final boolean json;
  private final Map<String, Integer> counts = new TreeMap<>();
  private final ByteArrayOutputStream batch = new ByteArrayOutputStream();
  private int inBatch;
  private long sent;
  private String revision = "";

  /// The words for what is sent.
  ///
  /// @param what is to be done to it
  /// @param done what became of it
  /// @param id the member of a result that says which one it is about
  /// @param isBad whether a status is one that somebody has to look at
  public record Words(String what, String done, String id, Predicate<String> isBad) {}

  /// @param path where to
  public BulkSender(
      ApiClient api,
      String path,
      Map<String, String> query,
      Words words,
      Terminal terminal,
      boolean json) {
    this.api = api;
    this.path = path;
    this.query = query;
    this.words = words;
    this.terminal = terminal;
    this.json = json;
  }

  /// Sends what is in a file, or comes from the standard input for `-`.
  public void file(String file) {
    try (InputStream in =
        new BufferedInputStream(
            file.equals("-") ? System.in : Files.newInputStream(Path.of(file)))) {
      all(in);
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.USAGE, "cannot be read: " + file);
    } finally {
      terminal.endProgress();
    }
  }

  /// Lines are sent as they come; what does not begin with an object a line is read as one JSON
  /// text, and if it is none, as lines after all.
  private void all(InputStream in) throws IOException {
    byte[] first = line(in);
    while (first.length > 0 && new String(first, StandardCharsets.UTF_8).isBlank()) {
      first = line(in);
    }
    if (isObject(first)) {
      for (byte[] line = first; line.length > 0; line = line(in)) {
        add(line);
      }
    } else {
      ByteArrayOutputStream rest = new ByteArrayOutputStream();
      rest.writeBytes(first);
      byte[] second = line(in);
      rest.writeBytes(second);
      in.transferTo(rest);
      if (isObject(second) && !isJson(rest.toByteArray())) {
        for (byte[] line : lines(rest.toByteArray())) {
          add(line);
        }
      } else {
        JsonNode all = whole(rest.toByteArray());
        for (JsonNode each : all.isArray() ? all : List.of(all)) {
          add(JsonText.write(each));
        }
      }
    }
    flush();
  }

  private static List<byte[]> lines(byte[] text) {
    return new String(text, StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.getBytes(StandardCharsets.UTF_8))
        .toList();
  }

  private static boolean isJson(byte[] text) {
    try {
      return !JsonText.read(text).isMissingNode();
    } catch (VeridexException e) {
      return false;
    }
  }

  private static JsonNode whole(byte[] text) {
    try {
      return JsonText.read(text);
    } catch (VeridexException e) {
      throw new CommandFailure(ExitCode.USAGE, "this is not JSON: " + e.getMessage());
    }
  }

  private static boolean isObject(byte[] line) {
    try {
      return JsonText.read(line).isObject();
    } catch (VeridexException e) {
      return false;
    }
  }

  /// The next line, with its end; nothing at the end of all.
  private static byte[] line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0; b = in.read()) {
      line.write(b);
      if (b == '\n') {
        break;
      }
    }
    return line.toByteArray();
  }

  private void add(byte[] line) {
    batch.writeBytes(line);
    batch.write('\n');
    inBatch++;
    if (inBatch == LINES_AT_A_TIME || batch.size() > BYTES_AT_A_TIME) {
      flush();
    }
  }

  private void flush() {
    if (inBatch == 0) {
      return;
    }
    List<JsonNode> results = api.postLines(path, query, batch.toByteArray());
    results.forEach(this::tell);
    sent += inBatch;
    terminal.progress("%s %,d".formatted(words.done, sent));
    batch.reset();
    inBatch = 0;
  }

  private void tell(JsonNode line) {
    if (line.has("problem")) {
      throw new CommandFailure(
          ExitCode.FAILURE, Terminal.safe(line.path("problem").path("detail").asString()));
    }
    if (line.has("revision")) {
      revision = line.path("revision").asString();
      return;
    }
    String status = line.path("status").asString();
    counts.merge(status, 1, Integer::sum);
    if (json) {
      Options.print(terminal, line);
    } else if (words.isBad.test(status)) {
      terminal.endProgress();
      terminal
          .err()
          .println(
              "%s  %s  %s %s"
                  .formatted(
                      terminal.red(status),
                      Terminal.safe(line.path(words.id).asString("(no id)")),
                      Terminal.safe(reason(line).path("detail").asString("")),
                      Terminal.safe(reason(line).path("pointer").asString("")))
                  .stripTrailing());
    }
  }

  /// Results of individuals say it themselves, those of documents in a list.
  private static JsonNode reason(JsonNode result) {
    if (result.has("violations")) {
      return result.path("violations").path(0);
    }
    return JsonNodeFactory.instance
        .objectNode()
        .put("detail", result.path("reason").asString(""))
        .put("pointer", result.path("pointer").asString(""));
  }

  public int end() {
    if (!json) {
      String text =
          counts.entrySet().stream()
              .map(each -> "%,d %s".formatted(each.getValue(), each.getKey()))
              .collect(Collectors.joining(", "));
      terminal.out().println(text.isEmpty() ? "nothing to " + words.what : text);
    } else if (!revision.isEmpty()) {
      terminal.out().println("{\"revision\":\"" + revision + "\"}");
    }
    return counts.keySet().stream().anyMatch(words.isBad) ? ExitCode.NO : ExitCode.OK;
  }
}
