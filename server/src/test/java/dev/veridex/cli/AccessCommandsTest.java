package dev.veridex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The access index on the command line.
final class AccessCommandsTest {
  private static final String STATEMENTS =
      """
      {"@id":"m1","rdf:type":"v-s:Membership","v-s:resource":"alice","v-s:memberOf":"editors"}
      {"@id":"m2","rdf:type":"v-s:Membership","v-s:resource":"editors","v-s:memberOf":"staff"}
      {"@id":"p1","rdf:type":"v-s:PermissionStatement","v-s:permissionObject":"plan","v-s:permissionSubject":"staff","v-s:canRead":true,"v-s:canUpdate":true}
      {"@id":"p2","rdf:type":"v-s:PermissionStatement","v-s:permissionObject":"plan","v-s:permissionSubject":"editors","v-s:canUpdate":false}
      {"@id":"m3","rdf:type":"v-s:Membership","v-s:resource":"bob","v-s:memberOf":"staff"}
      {"@id":"m4","rdf:type":"v-s:Membership","v-s:resource":"bob","v-s:memberOf":"staff","v-s:deleted":true,"v-s:updateCounter":1}
      """;

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

  private String put(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("statements"), text);
    int exit = run("access", "put", "acme", file.toString());
    return exit + " " + command.out().strip() + " " + command.err().strip();
  }

  @Test
  void linesArraysAndObjectsAreStated() throws IOException {
    assertThat(put(STATEMENTS)).isEqualTo("0 6 applied ");
    assertThat(put("[" + STATEMENTS.strip().replace("\n", ",\n") + "]"))
        .isEqualTo("0 6 duplicate ");
    assertThat(put("{\n\"@id\": \"m1\",\n\"rdf:type\": \"v-s:Membership\",\n\"v-s:deleted\":true}"))
        .isEqualTo("0 1 applied ");
    assertThat(put("")).startsWith("2  veridex: this is not JSON");
    assertThat(put("[]")).isEqualTo("0 nothing to state ");
    assertThat(put("{\"@id\":\"x\"}\nnot json\n{\"@id\":\"y\",\"rdf:type\":\"z\"}"))
        .startsWith("1 1 applied, 2 rejected ")
        .contains("rejected  x  an individual has a type /rdf:type", "rejected  (no id)");
    assertThat(put("{")).startsWith("2 ");
    assertThat(run("access", "put", "acme", folder.resolve("missing").toString())).isEqualTo(2);
    assertThat(run("access", "put", "none", folder.resolve("statements").toString())).isEqualTo(2);
  }

  @Test
  void aLongFileIsSentInPieces() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 2500; i++) {
      lines.append("{\"@id\":\"i%d\",\"rdf:type\":\"v-s:Document\"}\n".formatted(i));
    }
    assertThat(put(lines.toString())).isEqualTo("0 2,500 applied ");
  }

  @Test
  void anAnswerIsExplainedAsATree() throws IOException {
    put(STATEMENTS);
    assertThat(run("check", "acme", "alice", "plan", "R", "--explain")).isZero();
    assertThat(command.out())
        .isEqualTo(
            """
            yes  alice has R on plan
            R  granted
               └─ granted to staff on plan (p1)
                  └─ alice is in editors (m1), which is in staff (m2)
            """);
    assertThat(run("check", "acme", "alice", "plan", "UC", "--explain")).isEqualTo(1);
    assertThat(command.out())
        .isEqualTo(
            """
            no   alice has R on plan
            C  missing: nobody grants it
            U  denied: somebody grants it, and somebody takes it away
               ├─ granted to staff on plan (p1)
               │  └─ alice is in editors (m1), which is in staff (m2)
               └─ denied to editors on plan (p2)
                  └─ alice is in editors (m1)
            """);
    assertThat(run("check", "acme", "bob", "plan", "R", "--explain")).isEqualTo(1);
    assertThat(command.out())
        .isEqualTo(
            """
            no   bob has no rights on plan
            R  missing: nobody grants it
               └─ struck: membership of bob in staff
                  └─ what m3 said was struck by m4
            """);
    assertThat(run("check", "acme", "alice", "plan", "--json")).isEqualTo(1);
    assertThat(command.out()).contains("\"allRights\":\"R\"", "\"revision\":");
    assertThat(run("check", "acme", "alice", "plan", "X")).isEqualTo(2);
    assertThat(run("check", "none", "alice", "plan")).as("no such account").isEqualTo(1);
  }

  @Test
  void rebuildAndVerify() throws IOException {
    put(STATEMENTS);
    assertThat(run("rebuild", "acme")).isZero();
    assertThat(command.out()).startsWith("rebuilt ").contains("from 8 individuals");
    assertThat(run("verify")).isZero();
    assertThat(command.out()).contains("ok     access: ");
    fixture.close();
    assertThat(run("verify", "--offline", folder.resolve("data").toString())).isZero();
    fixture = new ServerFixture(folder.resolve("data"));
  }
}
