package dev.veridex.cli.client;

import dev.veridex.cli.output.Terminal;
import dev.veridex.common.VeridexException;
import dev.veridex.json.JsonText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// A server, as a command talks to it.
public final class ApiClient {
  private static final String EVENTS = "text/event-stream";
  private static final String LINES = "application/x-ndjson";
  private static final String DEFAULT_URL = "http://127.0.0.1:7400";

  private final HttpClient client =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
  private final String url;
  private final Optional<String> token;

  private ApiClient(String url, Optional<String> token) {
    this.url = url;
    this.token = token;
  }

  /// Gives a command the options that all have which talk to a server.
  public static CommandSpec options(CommandSpec spec) {
    return spec.addOption(
            OptionSpec.builder("--url")
                .type(String.class)
                .paramLabel("URL")
                .description("the server; else VERIDEX_URL, else " + DEFAULT_URL)
                .build())
        .addOption(
            OptionSpec.builder("--token-file")
                .type(Path.class)
                .paramLabel("FILE")
                .description("the file with your token; else VERIDEX_TOKEN or VERIDEX_TOKEN_FILE")
                .build())
        .addOption(
            OptionSpec.builder("--json").type(boolean.class).description("print JSON").build());
  }

  public static ApiClient of(ParseResult arguments, Terminal terminal) {
    String url =
        arguments.matchedOptionValue("--url", terminal.variable("VERIDEX_URL").orElse(DEFAULT_URL));
    Path file = arguments.matchedOptionValue("--token-file", (Path) null);
    Optional<String> token =
        Optional.ofNullable(file)
            .map(ApiClient::read)
            .or(() -> terminal.variable("VERIDEX_TOKEN"))
            .or(() -> terminal.variable("VERIDEX_TOKEN_FILE").map(Path::of).map(ApiClient::read));
    return new ApiClient(url.replaceAll("/+$", ""), token);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.USAGE, "the token file cannot be read: " + file);
    }
  }

  /// The address of the server.
  String url() {
    return url;
  }

  public JsonNode get(String path, Map<String, String> query) {
    return send("GET", path + query(query), BodyPublishers.noBody());
  }

  public JsonNode delete(String path, Map<String, String> query) {
    return send("DELETE", path + query(query), BodyPublishers.noBody());
  }

  public JsonNode post(String path, Map<String, String> query, JsonNode body) {
    return send("POST", path + query(query), BodyPublishers.ofByteArray(JsonText.write(body)));
  }

  public JsonNode patch(String path, JsonNode body) {
    return send("PATCH", path, BodyPublishers.ofByteArray(JsonText.write(body)));
  }

  public JsonNode put(String path, Map<String, String> query, JsonNode body) {
    return send("PUT", path + query(query), BodyPublishers.ofByteArray(JsonText.write(body)));
  }

  /// Stores bytes.
  ///
  /// @param headers names and values in turn
  public JsonNode putBytes(
      String path, Map<String, String> query, List<String> headers, byte[] bytes) {
    HttpRequest.Builder request =
        request(path + query(query)).PUT(BodyPublishers.ofByteArray(bytes));
    try {
      for (int i = 0; i < headers.size(); i += 2) {
        request.header(headers.get(i), headers.get(i + 1));
      }
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.USAGE, "a header cannot be sent as it is");
    }
    HttpResponse<byte[]> response =
        exchange(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    return checked(response.statusCode(), response.body());
  }

  /// Reads bytes, with their headers.
  public HttpResponse<byte[]> getBytes(String path, Map<String, String> query) {
    HttpResponse<byte[]> response =
        exchange(
            request(path + query(query)).GET().build(), HttpResponse.BodyHandlers.ofByteArray());
    if (response.statusCode() >= 400) {
      throw failure(response.statusCode(), response.body());
    }
    return response;
  }

  /// An id as part of a path.
  public static String segment(String id) {
    return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20").replace(".", "%2E");
  }

  private static String query(Map<String, String> query) {
    return query.isEmpty()
        ? ""
        : query.entrySet().stream()
            .map(e -> e.getKey() + "=" + URLEncoder.encode(e.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&", "?", ""));
  }

  private JsonNode send(String method, String target, HttpRequest.BodyPublisher body) {
    HttpRequest.Builder request = request(target).method(method, body);
    HttpResponse<byte[]> response =
        exchange(
            request.header("Content-Type", "application/json").build(),
            HttpResponse.BodyHandlers.ofByteArray());
    return checked(response.statusCode(), response.body());
  }

  /// Asks for something long, showing what the server says on the way.
  ///
  /// @param progress hears all lines but the last
  /// @return the last line
  public JsonNode follow(
      String method, String path, Map<String, String> query, Consumer<JsonNode> progress) {
    HttpRequest request =
        request(path + query(query))
            .header("Accept", LINES)
            .method(method, BodyPublishers.noBody())
            .build();
    HttpResponse<InputStream> response =
        exchange(request, HttpResponse.BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      if (response.statusCode() != 200) {
        String problem = lines.lines().collect(Collectors.joining("\n"));
        return checked(response.statusCode(), problem.getBytes(StandardCharsets.UTF_8));
      }
      String last = lines.readLine();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        progress.accept(json(last.getBytes(StandardCharsets.UTF_8)));
        last = line;
      }
      if (last == null) {
        throw new CommandFailure(ExitCode.FAILURE, "the server said nothing");
      }
      return json(last.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.FAILURE, "the server broke off: " + e.getMessage());
    }
  }

  /// A listener for server-sent events.
  public interface EventListener {
    /// An event came.
    void event(JsonNode event);

    /// Everything up to an id was heard; nothing if there was none yet.
    void heard(Optional<String> id);
  }

  /// Hears of events until the connection ends.
  ///
  /// @param last the id of the last event that came before
  /// @return whether the server ended it
  public boolean events(
      String path, Map<String, String> query, Optional<String> last, EventListener hearing) {
    HttpRequest.Builder request = request(path + query(query)).header("Accept", EVENTS);
    last.ifPresent(id -> request.header("Last-Event-ID", id));
    HttpResponse<InputStream> response =
        exchange(request.GET().build(), HttpResponse.BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      if (response.statusCode() != 200) {
        String problem = lines.lines().collect(Collectors.joining("\n"));
        throw failure(response.statusCode(), problem.getBytes(StandardCharsets.UTF_8));
      }
      Optional<String> id = last;
      hearing.heard(id);
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("id: ")) {
          id = Optional.of(line.substring("id: ".length()));
        } else if (line.startsWith("data: ")) {
          hearing.event(json(line.substring("data: ".length()).getBytes(StandardCharsets.UTF_8)));
        } else if (line.isEmpty()) {
          hearing.heard(id);
        }
      }
      return true;
    } catch (IOException | UncheckedIOException e) {
      return false;
    }
  }

  /// Sends inputs, one a line, and hears of each.
  List<JsonNode> postLines(String path, Map<String, String> query, byte[] lines) {
    HttpRequest request =
        request(path + query(query))
            .header("Content-Type", LINES)
            .POST(BodyPublishers.ofByteArray(lines))
            .build();
    HttpResponse<byte[]> response = exchange(request, HttpResponse.BodyHandlers.ofByteArray());
    if (response.statusCode() >= 400) {
      throw failure(response.statusCode(), response.body());
    }
    return new String(response.body(), StandardCharsets.UTF_8)
        .lines()
        .map(line -> json(line.getBytes(StandardCharsets.UTF_8)))
        .toList();
  }

  private HttpRequest.Builder request(String target) {
    try {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + target));
      token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
      return request;
    } catch (IllegalArgumentException e) {
      // The library's sentence would quote the token.
      throw new CommandFailure(ExitCode.USAGE, "the address or the token cannot be sent as it is");
    }
  }

  private <T> HttpResponse<T> exchange(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    try {
      return client.send(request, handler);
    } catch (IOException e) {
      throw new CommandFailure(
          ExitCode.FAILURE,
          "no answer from " + url + ": is the server running? (./veridex server)");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.FAILURE, "interrupted");
    }
  }

  private JsonNode checked(int status, byte[] body) {
    if (status < 400) {
      return json(body);
    }
    throw failure(status, body);
  }

  private CommandFailure failure(int status, byte[] body) {
    JsonNode answer = json(body);
    String hint =
        status == 401 && token.isEmpty() ? " (set VERIDEX_TOKEN or give --token-file)" : "";
    return new CommandFailure(
        exit(status), answer.path("code").asString(""), Terminal.safe(describe(answer)) + hint);
  }

  private static int exit(int status) {
    return switch (status) {
      case 400, 413, 414, 415 -> ExitCode.USAGE;
      default -> status >= 500 ? ExitCode.FAILURE : ExitCode.NO;
    };
  }

  private static String describe(JsonNode problem) {
    StringBuilder text = new StringBuilder(problem.path("code").asString("the server failed"));
    text.append(": ").append(problem.path("detail").asString("no detail"));
    for (String extra :
        List.of(
            "pointer",
            "parameter",
            "didYouMean",
            "min",
            "max",
            "given",
            "quota",
            "limit",
            "used",
            "action",
            "keys")) {
      if (problem.has(extra)) {
        text.append(", ").append(extra).append(' ').append(problem.get(extra).asString());
      }
    }
    return text.toString();
  }

  private static JsonNode json(byte[] body) {
    try {
      return JsonText.read(body);
    } catch (VeridexException e) {
      throw new CommandFailure(
          ExitCode.FAILURE, "this does not look like Veridex: no JSON came back");
    }
  }
}
