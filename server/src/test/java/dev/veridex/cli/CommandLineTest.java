package dev.veridex.cli;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Main;
import dev.veridex.ServerFixture;
import dev.veridex.common.ChildJvm;
import dev.veridex.json.JsonText;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// The command line against a running server.
final class CommandLineTest {
  private final CommandRun command = new CommandRun();
  private final Map<String, String> environment = new HashMap<>();
  private boolean interactive;

  @TempDir private Path parent;
  private ServerFixture fixture;

  @BeforeEach
  void open() {
    fixture = new ServerFixture(parent.resolve("data"));
    environment.put("VERIDEX_URL", fixture.url());
    environment.put("VERIDEX_TOKEN", ROOT);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private int run(String... arguments) {
    return command.run(environment, interactive, arguments);
  }

  private String out() {
    return command.out();
  }

  private String err() {
    return command.err();
  }

  private JsonNode json() {
    return JsonText.read(command.out().getBytes(UTF_8));
  }

  @Test
  void tokensAreMintedShownListedAndRevoked() {
    assertThat(
            run(
                "token",
                "mint",
                "--scope",
                "tenant:acme",
                "--subject",
                "bob",
                "--group",
                "a",
                "--group",
                "b",
                "--admin",
                "--ttl",
                "1h",
                "--json"))
        .as(err())
        .isZero();
    JsonNode minted = json();
    String id = minted.get("id").asString();
    assertThat(minted.get("groups")).hasSize(2);
    assertThat(fixture.server.tokens().authenticate(minted.get("token").asString())).isPresent();

    assertThat(run("token", "show", id)).isZero();
    assertThat(out()).contains("bob", "tenant:acme", "admin", "a, b").doesNotContain("vdx_");
    assertThat(run("token", "list", "--scope", "tenant:acme")).isZero();
    assertThat(out()).contains("ID", "SUBJECT", id, "bob").doesNotContain("\u001b");
    assertThat(run("token", "revoke", id)).isZero();
    assertThat(run("token", "revoke", id)).as("not there any more").isEqualTo(1);
    assertThat(err()).contains("NOT_FOUND");
    assertThat(run("token", "mint", "--scope", "tenant:acme")).isZero();
    assertThat(out()).contains("vdx_");
    assertThat(err()).contains("only time");
  }

  @Test
  void theAuditLogIsPrintedToItsEnd() {
    for (int i = 0; i < 3; i++) {
      run("token", "mint", "--scope", "tenant:acme", "--json");
    }
    assertThat(run("audit", "--scope", "tenant:acme")).isZero();
    assertThat(out()).hasLineCount(3).contains("token.mint", "done");
    assertThat(run("audit", "--scope", "tenant:acme", "--json")).isZero();
    assertThat(out().lines().map(line -> JsonText.read(line.getBytes(UTF_8))))
        .allMatch(entry -> entry.get("operation").asString().equals("token.mint"));
  }

  @Test
  void backupAndVerify() {
    assertThat(run("verify")).as(err()).isZero();
    assertThat(out()).contains("ok", "store", "tokens");
    assertThat(run("verify", "--json")).isZero();
    assertThat(json().get("ok").asBoolean()).isTrue();
    assertThat(run("backup", "--name", "friday")).isZero();
    Path backup = parent.resolve("data/backups/friday");
    assertThat(out()).contains(backup.toString());
    assertThat(run("verify", "--offline", backup.toString())).as(err()).isZero();
    assertThat(run("verify", "--offline", backup.toString(), "--json")).isZero();
    assertThat(json().get("records").asLong()).isPositive();
    assertThat(run("backup", "--name", "friday")).isEqualTo(1);
    assertThat(err()).contains("ALREADY_EXISTS");
    assertThat(run("verify", "--offline", parent.resolve("data").toString()))
        .as("the server has it open")
        .isEqualTo(3);
    assertThat(err()).contains("STORE_LOCKED");
  }

  @Test
  void endsWithTheRightCode() {
    assertThat(run("token", "mint")).as("the scope is missing").isEqualTo(2);
    assertThat(err()).contains("--scope");
    assertThat(run("token", "mint", "--scope", "nonsense")).isEqualTo(2);
    assertThat(err()).contains("INVALID_SCOPE", "/scope");
    assertThat(run("token", "mint", "--scope", "global", "--ttl", "soon")).isEqualTo(2);
    assertThat(run("token", "mnit")).isEqualTo(2);
    assertThat(err()).contains("mint");
    assertThat(run("token")).isEqualTo(2);
    assertThat(run("token", "mint", "--token", ROOT, "--scope", "global"))
        .as("secrets are no arguments")
        .isEqualTo(2);
    environment.put("VERIDEX_TOKEN", "wrong");
    assertThat(run("audit", "--scope", "global")).isEqualTo(1);
    environment.remove("VERIDEX_TOKEN");
    assertThat(run("audit", "--scope", "global")).isEqualTo(1);
    assertThat(err()).contains("VERIDEX_TOKEN");
    environment.put("VERIDEX_URL", "http://127.0.0.1:1");
    assertThat(run("audit", "--scope", "global")).isEqualTo(3);
    assertThat(err()).contains("is the server running");
    environment.put("VERIDEX_URL", "no address");
    assertThat(run("audit", "--scope", "global")).isEqualTo(2);
  }

  @Test
  void whatOthersChoseCannotForgeALine() {
    String user = fixture.mint("tenant:acme", Optional.empty()).secret();
    fixture.get(user, "/v1/tokens/x%0A2026%20%20done%20%20token.mint%1b%5b2J");
    assertThat(run("audit", "--scope", "tenant:acme")).isZero();
    assertThat(out()).hasLineCount(2).contains("\\u000a").doesNotContain("\u001b");
  }

  @Test
  void aTokenThatCannotBeSentIsNotPrinted() {
    environment.put("VERIDEX_TOKEN", "vdx_secret\nsecond");
    assertThat(run("audit", "--scope", "global")).isEqualTo(2);
    assertThat(err()).doesNotContain("secret");
  }

  @Test
  void theTokenMayBeInAFile() throws IOException {
    environment.remove("VERIDEX_TOKEN");
    Path file = Files.writeString(parent.resolve("token"), ROOT + "\n");
    assertThat(run("audit", "--scope", "global", "--token-file", file.toString())).isZero();
    environment.put("VERIDEX_TOKEN_FILE", file.toString());
    assertThat(run("audit", "--scope", "global")).isZero();
    assertThat(run("audit", "--scope", "global", "--token-file", file + ".missing")).isEqualTo(2);
  }

  @Test
  void coloursAreForPeopleOnly() {
    run("token", "mint", "--scope", "tenant:acme");
    interactive = true;
    assertThat(run("audit", "--scope", "tenant:acme")).isZero();
    assertThat(out()).contains("\u001b[32m");
    environment.put("NO_COLOR", "1");
    assertThat(run("audit", "--scope", "tenant:acme")).isZero();
    assertThat(out()).doesNotContain("\u001b");
  }

  @Test
  void configurationIsPrintedAndMistakesAreNamed() throws IOException {
    environment.clear();
    environment.put("VERIDEX_ROOT_TOKEN", "very secret");
    Path file = Files.writeString(parent.resolve("v.yaml"), "http: {port: 1}\nunscoped: strict\n");
    assertThat(
            run(
                "server",
                "--print-config",
                "--config",
                file.toString(),
                "--port",
                "2",
                "--set",
                "http.maxInFlight=3"))
        .as(err())
        .isZero();
    assertThat(out())
        .contains("port: 2", "unscoped: strict", "maxInFlight: 3", "rootToken: (hidden)")
        .doesNotContain("very secret");
    Files.writeString(file, "htpp: {port: 1}\n");
    assertThat(run("server", "--print-config", "--config", file.toString())).isEqualTo(2);
    assertThat(err()).contains("htpp.port", "didYouMean=http.port");
    assertThat(run("server", "--config", file + ".missing")).isEqualTo(2);
    assertThat(run("server", "--set", "http.port=x", "--print-config")).isEqualTo(2);
  }

  @Test
  void helpVersionAndCompletion() {
    assertThat(run("--help")).isZero();
    assertThat(out()).contains("server", "demo", "token", "audit", "verify", "backup");
    assertThat(run("--version")).isZero();
    assertThat(out()).startsWith("veridex ");
    assertThat(run("token", "mint", "--help")).isZero();
    assertThat(out()).contains("--scope", "--ttl");
    assertThat(run("completion")).isZero();
    assertThat(out()).contains("complete -F").contains("--scope");
  }

  @Test
  @Tag("process")
  void theDemoRunsAndLeavesNothingBehind() throws IOException, InterruptedException {
    Path temporary = Files.createDirectory(parent.resolve("tmp"));
    Process demo = ChildJvm.start(temporary, Main.class, "demo", "--port", "0");
    StringBuilder greeting = new StringBuilder();
    try (BufferedReader lines = demo.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        greeting.append(line).append('\n');
        if (line.contains("Ctrl-C")) {
          break;
        }
      }
      assertThat(greeting).contains("Veridex listens on", "root", "ada", "alice", "./veridex");
      String export =
          greeting.toString().lines().filter(l -> l.contains("export")).findFirst().orElseThrow();
      for (String assignment : export.strip().substring("export ".length()).split(" ", -1)) {
        String[] parts = assignment.split("=", 2);
        environment.put(parts[0], parts[1]);
      }
      assertThat(run("get", "acme/pages/welcome")).as(err()).isZero();
      assertThat(out()).contains("Welcome");
      assertThat(run("bucket", "delete", "acme/pages", "--yes")).as("alice may not").isEqualTo(1);
      demo.toHandle().destroy();
      while (lines.readLine() != null) {}
    }
    demo.waitFor();
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left.filter(path -> path.getFileName().toString().startsWith("veridex")))
          .isEmpty();
    }
  }
}
