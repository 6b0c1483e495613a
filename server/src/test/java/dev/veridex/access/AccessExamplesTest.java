package dev.veridex.access;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.json.JsonText;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tries all that `docs/access-examples.md` says.
final class AccessExamplesTest {
  /// The beginning of an example, or a block of it: what it is, and what is in it.
  private static final Pattern PART =
      Pattern.compile(
          "^### .*$|^```(?:json|text) (state|index) (.+)\\n((?:.*\\n)+?)```$", Pattern.MULTILINE);

  @TempDir private Path folder;

  @Test
  void thePageTellsTheTruth() throws IOException {
    Path page = Path.of("..", "docs", "access-examples.md");
    Matcher parts = PART.matcher(Files.readString(page));
    int examples = 0;
    int tried = 0;
    String access = "";
    try (ServerFixture fixture = new ServerFixture(folder)) {
      while (parts.find()) {
        if (parts.group(1) == null) {
          String account = "/v1/accounts/example" + examples++;
          fixture.ask("PUT", account, Optional.of(ROOT), Optional.of("{}"));
          access = account + "/access";
          continue;
        }
        tried++;
        if (parts.group(1).equals("state")) {
          state(fixture, access, List.of(parts.group(2).split(" ", -1)), parts.group(3));
        } else {
          index(fixture, access, parts.group(2), parts.group(3).strip());
        }
      }
    }
    assertThat(examples).isEqualTo(21);
    assertThat(tried).isGreaterThan(50);
  }

  private static void state(
      ServerFixture fixture, String access, List<String> statuses, String lines) {
    String array = "[" + lines.strip().replace("\n", ",\n") + "]";
    Reply reply =
        fixture.ask("POST", access + "/individuals", Optional.of(ROOT), Optional.of(array));
    assertThat(reply.json().get("results").findValuesAsString("status"))
        .as(lines)
        .isEqualTo(statuses);
  }

  private static void index(ServerFixture fixture, String access, String key, String expected) {
    Reply reply =
        fixture.get(ROOT, access + "/index/" + URLEncoder.encode(key, UTF_8) + "?format=json");
    if (expected.equals("nothing")) {
      assertThat(reply.status()).as(key).isEqualTo(404);
    } else if (key.startsWith("_L:")) {
      assertThat(reply.text()).isEqualTo(expected);
    } else {
      assertThat(reply.json()).isEqualTo(JsonText.read(expected.getBytes(UTF_8)));
    }
  }
}
