package dev.veridex.cli;

import dev.veridex.common.VeridexException;
import dev.veridex.http.shape.JsonText;
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
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// `access put`, `check`, `rebuild`: the access index of an account or an environment.
public final class AccessCommands {
  private static final int LINES_AT_A_TIME = 1000;
  private static final int BYTES_AT_A_TIME = 4 << 20;

  private AccessCommands() {}

  public static CommandLineInterface.CommandGroup group() {
    return new CommandLineInterface.CommandGroup(
        "access", "Fill access indexes.", List.of(new Put()));
  }

  public static List<Command> all() {
    return List.of(new Check(), new Rebuild());
  }

  private static CommandSpec ofAccount(String name, String... description) {
    return Options.spec(name, description)
        .addPositional(Options.argument(0, "ACCOUNT", "the account"))
        .addOption(Options.env());
  }

  /// `access put`: states what a file says.
  private record Put() implements Command {
    @Override
    public CommandSpec spec() {
      return ofAccount(
              "put",
              "State permissions, memberships, filters and logins from a file: one JSON object,"
                  + " an array, or an object a line. Ends with 1 if any of them was rejected or in"
                  + " conflict.")
          .addPositional(
              Options.argument(1, "FILE", "what to state; - or none: standard input", false));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      Address address = Address.of(arguments);
      Sending sending =
          new Sending(Api.of(arguments, terminal), address, terminal, Options.json(arguments));
      String file = arguments.matchedPositionalValue(1, "-");
      try (InputStream in =
          new BufferedInputStream(
              file.equals("-") ? System.in : Files.newInputStream(Path.of(file)))) {
        sending.all(in);
      } catch (IOException e) {
        throw new CommandFailure(Exit.USAGE, "cannot be read: " + file);
      } finally {
        terminal.endProgress();
      }
      return sending.end();
    }
  }

  /// Sends inputs some at a time, and tells what became of them.
  private static final class Sending {
    private final Api api;
    private final Address address;
    private final Terminal terminal;
    private final boolean json;
    private final Map<String, Integer> counts = new TreeMap<>();
    private final ByteArrayOutputStream batch = new ByteArrayOutputStream();
    private int inBatch;
    private long sent;
    private String revision = "";

    Sending(Api api, Address address, Terminal terminal, boolean json) {
      this.api = api;
      this.address = address;
      this.terminal = terminal;
      this.json = json;
    }

    /// Lines are sent as they come; what does not begin with an object a line is read as one JSON
    /// text, and if it is none, as lines after all.
    void all(InputStream in) throws IOException {
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
        throw new CommandFailure(Exit.USAGE, "this is not JSON: " + e.getMessage());
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
      List<JsonNode> results =
          api.postLines(
              address.accountPath() + "/access/individuals", address.query(), batch.toByteArray());
      results.forEach(this::tell);
      sent += inBatch;
      terminal.progress("stated %,d".formatted(sent));
      batch.reset();
      inBatch = 0;
    }

    private void tell(JsonNode line) {
      if (line.has("problem")) {
        throw new CommandFailure(
            Exit.FAILURE, Terminal.safe(line.path("problem").path("detail").asString()));
      }
      if (line.has("revision")) {
        revision = line.path("revision").asString();
        return;
      }
      String status = line.path("status").asString();
      counts.merge(status, 1, Integer::sum);
      if (json) {
        Options.print(terminal, line);
      } else if (isBad(status)) {
        terminal.endProgress();
        terminal
            .err()
            .println(
                "%s  %s  %s %s"
                    .formatted(
                        terminal.red(status),
                        Terminal.safe(line.path("id").asString("(no id)")),
                        Terminal.safe(line.path("reason").asString("")),
                        Terminal.safe(line.path("pointer").asString("")))
                    .stripTrailing());
      }
    }

    private static boolean isBad(String status) {
      return status.equals("rejected") || status.equals("conflict");
    }

    int end() {
      if (!json) {
        String text =
            counts.entrySet().stream()
                .map(each -> "%,d %s".formatted(each.getValue(), each.getKey()))
                .collect(Collectors.joining(", "));
        terminal.out().println(text.isEmpty() ? "nothing to state" : text);
      } else if (!revision.isEmpty()) {
        terminal.out().println("{\"revision\":\"" + revision + "\"}");
      }
      return counts.keySet().stream().anyMatch(Sending::isBad) ? Exit.NO : Exit.OK;
    }
  }

  /// `check`: may somebody do something, and why.
  private record Check() implements Command {
    @Override
    public CommandSpec spec() {
      return ofAccount(
              "check",
              "Say which rights a subject has on a resource. Ends with 1 if one of those asked for"
                  + " is missing.")
          .addPositional(Options.argument(1, "SUBJECT", "who"))
          .addPositional(Options.argument(2, "RESOURCE", "on what"))
          .addPositional(Options.argument(3, "RIGHTS", "some of C, R, U, D; all if absent", false))
          .addOption(
              Options.option("--filter", String.class, "NAME", "the filter under which to ask"))
          .addOption(
              Options.option("--bucket", String.class, "NAME", "the bucket the resource is in"))
          .addOption(
              Options.option(
                  "--at-least", String.class, "REVISION", "what the answer must have seen"))
          .addOption(Options.flag("--explain", "say why"));
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      Address address = Address.of(arguments);
      Map<String, String> query = address.query();
      query.put("subject", arguments.matchedPositionalValue(1, ""));
      query.put("resource", arguments.matchedPositionalValue(2, ""));
      if (arguments.hasMatchedPositional(3)) {
        query.put("rights", arguments.matchedPositionalValue(3, ""));
      }
      for (String option : List.of("--filter", "--bucket")) {
        if (arguments.hasMatchedOption(option)) {
          query.put(option.substring(2), arguments.matchedOptionValue(option, ""));
        }
      }
      if (arguments.hasMatchedOption("--at-least")) {
        query.put("atLeast", arguments.matchedOptionValue("--at-least", ""));
      }
      if (arguments.matchedOptionValue("--explain", false)) {
        query.put("explain", "true");
      }
      JsonNode answer =
          Api.of(arguments, terminal).get(address.accountPath() + "/access/check", query);
      boolean granted = answer.path("granted").asBoolean();
      if (Options.json(arguments)) {
        Options.print(terminal, answer);
      } else {
        terminal.out().println(sentence(terminal, arguments, answer));
        if (answer.has("trace")) {
          new ExplainTree(
                  terminal, answer.path("trace"), arguments.matchedPositionalValue(3, "CRUD"))
              .lines()
              .forEach(terminal.out()::println);
        }
      }
      return granted ? Exit.OK : Exit.NO;
    }

    private static String sentence(Terminal terminal, ParseResult arguments, JsonNode answer) {
      String rights = answer.path("allRights").asString();
      return "%s  %s has %s on %s"
          .formatted(
              answer.path("granted").asBoolean() ? terminal.green("yes") : terminal.red("no "),
              Terminal.safe(arguments.matchedPositionalValue(1, "")),
              rights.isEmpty() ? "no rights" : terminal.bold(rights),
              Terminal.safe(arguments.matchedPositionalValue(2, "")));
    }
  }

  /// `rebuild`: derives an index anew.
  private record Rebuild() implements Command {
    @Override
    public CommandSpec spec() {
      return ofAccount(
          "rebuild", "Derive the access index anew from its ledger. Readers are not kept waiting.");
    }

    @Override
    public int run(ParseResult arguments, Terminal terminal) {
      Address address = Address.of(arguments);
      JsonNode rebuilt;
      try {
        rebuilt =
            Api.of(arguments, terminal)
                .follow(
                    "POST",
                    address.accountPath() + "/access/rebuild",
                    address.query(),
                    line ->
                        terminal.progress(
                            "rebuilding: %,d records".formatted(line.path("records").asLong())));
      } finally {
        terminal.endProgress();
      }
      return Options.done(
          arguments,
          terminal,
          rebuilt,
          "%s %,d records from %,d individuals"
              .formatted(
                  terminal.green("rebuilt"),
                  rebuilt.path("records").asLong(),
                  rebuilt.path("individuals").asLong()));
    }
  }
}
