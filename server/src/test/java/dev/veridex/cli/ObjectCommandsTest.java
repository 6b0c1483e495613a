package dev.veridex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Catalogues on the command line.
final class ObjectCommandsTest {
  private final CommandRun command = new CommandRun();

  @TempDir private Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder.resolve("data"));
    fixture.arrange();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private int run(String... arguments) {
    return command.run(fixture, arguments);
  }

  private static String event(String name, String key, String sequencer, int size) {
    return "{\"Records\":[{\"eventTime\":\"2026-01-31T12:00:00Z\",\"eventName\":\"%s\",\"s3\":{\"bucket\":{\"name\":\"lab\"},\"object\":{\"key\":\"%s\",\"size\":%d,\"sequencer\":\"%s\"}}}]}"
        .formatted(name, key, size, sequencer);
  }

  private Path events(String... lines) throws IOException {
    return Files.writeString(folder.resolve("events.ndjson"), String.join("\n", lines));
  }

  @Test
  void eventsAreSentListedExplainedAndCounted() throws IOException {
    Path file =
        events(
            event("ObjectCreated:Put", "runs/a.bam", "01", 10),
            event("ObjectCreated:Put", "runs/a.bam", "02", 20),
            event("ObjectCreated:Put", "runs/a.bam", "02", 20),
            event("ObjectCreated:Put", "runs/b.bam", "01", 5),
            event("ObjectRemoved:Delete", "runs/b.bam", "03", 0),
            event("ObjectTagging:Put", "runs/c", "01", 0));
    assertThat(run("objects", "put-events", "acme/files", file.toString()))
        .as(command.err())
        .isZero();
    assertThat(command.out()).contains("4 ingested", "1 duplicate", "1 skipped");
    assertThat(run("objects", "ls", "acme/files", "runs/*.bam")).isZero();
    assertThat(command.out()).contains("runs/a.bam").doesNotContain("runs/b.bam");
    assertThat(run("objects", "history", "acme/files", "runs/b.bam")).isZero();
    assertThat(command.out()).contains("CreatedPut", "Deleted");
    assertThat(run("objects", "get", "acme/files", "runs/a.bam")).as(command.err()).isZero();
    assertThat(command.out()).contains("runs/a.bam", "20");
    assertThat(run("objects", "why", "acme/files", "runs/a.bam")).as(command.err()).isZero();
    assertThat(command.out()).contains("01", "02");
    assertThat(run("objects", "stats", "acme/files", "--delimiter", "/")).isZero();
    assertThat(command.out()).contains("runs/");
    assertThat(run("objects", "get", "acme/files", "runs/none")).isOne();
    assertThat(command.err()).contains("There is no object runs/none now");
  }

  @Test
  void whatCannotBeReadIsToldAndTheRestIsTaken() throws IOException {
    Path file = events("{\"what\":1}", event("ObjectCreated:Put", "x", "01", 1));
    assertThat(run("objects", "put-events", "acme/files", file.toString())).isOne();
    assertThat(command.out()).contains("1 ingested", "1 rejected");
  }

  @Test
  void sendingShowsProgressToPeople() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 3000; i++) {
      lines.append(event("ObjectCreated:Put", "k" + i, "01", 1)).append('\n');
    }
    Path file = Files.writeString(folder.resolve("many.ndjson"), lines);
    int exit =
        command.run(
            Map.of("VERIDEX_URL", fixture.url(), "VERIDEX_TOKEN", ServerFixture.ROOT),
            true,
            "objects",
            "put-events",
            "acme/files",
            file.toString());
    assertThat(exit).as(command.err()).isZero();
    assertThat(command.err()).contains("\r");
    assertThat(command.out()).contains("3,000 ingested");
  }
}
