package dev.veridex.cli;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `who`, `what`, `whatif`, `tail` and `test` on the command line.
final class QuestionCommandsTest {
  private static final String TESTS =
      """
      # What our pages allow.
      individuals:
        - "@id": m1
          rdf:type: v-s:Membership
          v-s:resource: [alice, "the bob"]
          v-s:memberOf: editors
        - "@id": p1
          rdf:type: v-s:PermissionStatement
          v-s:permissionObject: doc-1
          v-s:permissionSubject: editors
          v-s:canRead: true
          v-s:canUpdate: true
        - "@id": p2
          rdf:type: v-s:PermissionStatement
          v-s:permissionObject: doc-1
          v-s:permissionSubject: the bob
          v-s:canUpdate: false
      assertions:
        - alice can RU on doc-1
        - alice can R on doc-1, because p1
        - '"the bob" can R on doc-1'
        - '"the bob" cannot U on doc-1, because denied by p2'
        - alice cannot CD on doc-1, because missing
        - eve cannot R on doc-1
      """;

  private final CommandRun command = new CommandRun();

  @TempDir private Path folder;
  private ServerFixture fixture;
  private String begin = "";

  @BeforeEach
  void start() throws IOException {
    fixture = new ServerFixture(folder.resolve("data"));
    fixture.arrange();
    Path statements = folder.resolve("statements.json");
    Files.writeString(
        statements,
        """
        [{"@id":"m1","rdf:type":"v-s:Membership","v-s:resource":["ann","bob"],"v-s:memberOf":"staff"},
         {"@id":"p1","rdf:type":"v-s:PermissionStatement","v-s:permissionObject":["plan","budget"],"v-s:permissionSubject":"staff","v-s:canRead":true},
         {"@id":"p2","rdf:type":"v-s:PermissionStatement","v-s:permissionObject":"v-s:AllResourcesGroup","v-s:permissionSubject":"boss","v-s:canRead":true},
         {"@id":"p3","rdf:type":"v-s:PermissionStatement","v-s:permissionObject":"diary","v-s:permissionSubject":"boss","v-s:canRead":false}]
        """);
    begin = fixture.get(ROOT, "/v1/accounts/acme/access/flow").json().get("revision").asString();
    assertThat(run("access", "put", "acme", statements.toString())).isZero();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private int run(String... arguments) {
    return command.run(fixture, arguments);
  }

  private String output() {
    return command.out();
  }

  @Test
  void whoAndWhat() {
    assertThat(run("what", "acme", "ann")).isZero();
    assertThat(output()).isEqualToNormalizingNewlines("budget\nplan\n");
    assertThat(run("who", "acme", "plan")).isZero();
    assertThat(output()).isEqualToNormalizingNewlines("ann\nbob\nboss\nstaff\n");
    assertThat(run("what", "acme", "boss", "R")).isZero();
    assertThat(output()).isEqualToNormalizingNewlines("everything except\ndiary\n");
    assertThat(run("what", "acme", "nobody", "CRUD")).isZero();
    assertThat(output()).isEmpty();
    assertThat(run("what", "acme", "ann", "X")).isEqualTo(2);
    assertThat(run("what", "acme", "ann", "--at", "2001-01-01T00:00:00Z")).isEqualTo(1);
    assertThat(run("what", "acme", "ann", "--json")).isZero();
    assertThat(output()).contains("\"items\":[\"budget\",\"plan\"]");
  }

  @Test
  void whatIf() throws IOException {
    Path change = folder.resolve("change.json");
    Files.writeString(
        change,
        "{\"@id\":\"m1\",\"rdf:type\":\"v-s:Membership\",\"v-s:resource\":\"ann\",\"v-s:memberOf\":\"staff\"}");
    assertThat(run("whatif", "acme", change.toString())).isEqualTo(1);
    assertThat(output())
        .contains("who  on what", "bob  plan     +      -R", "vanish: C 0 R 2 U 0 D 0");
    Files.writeString(change, "{\"@id\":\"x\",\"rdf:type\":\"v-s:Document\"}");
    assertThat(run("whatif", "acme", change.toString())).isZero();
    assertThat(output()).contains("nothing would change");
  }

  @Test
  void tail() {
    String revision =
        fixture.get(ROOT, "/v1/accounts/acme/access/flow").json().get("revision").asString();
    assertThat(run("tail", "acme", "--no-follow", "--since", revision)).isZero();
    assertThat(output()).isEmpty();
    assertThat(run("tail", "acme", "--no-follow", "--since", begin)).isZero();
    assertThat(output()).contains("applied  m1", "v-s:memberOf=staff").contains("p3");
    assertThat(run("tail", "acme", "--no-follow", "--json", "--since", begin)).isZero();
    assertThat(output().lines()).hasSizeGreaterThanOrEqualTo(4).allMatch(l -> l.startsWith("{"));
    assertThat(run("tail", "acme", "--since", "forged")).isEqualTo(2);
    assertThat(run("tail", "none")).isEqualTo(1);
  }

  @Test
  void assertionsThatHold() throws IOException {
    Path file = folder.resolve("tests.yaml");
    Files.writeString(file, TESTS);
    assertThat(run("test", file.toString())).as(output()).isZero();
    assertThat(output()).isEqualToNormalizingNewlines("6 hold, 0 do not\n");
  }

  @Test
  void aFailingAssertionIsNamedWithItsLine() throws IOException {
    Path file = folder.resolve("tests.yaml");
    String wrong =
        TESTS
            + """
                - eve can R on doc-1
                - alice cannot U on doc-1
                - '"the bob" cannot U on doc-1, because missing'
                - alice can R on doc-1, because p2
              """;
    Files.writeString(file, wrong);
    assertThat(run("test", file.toString())).isEqualTo(1);
    int line = (int) TESTS.lines().count() + 1;
    assertThat(output().lines())
        .satisfiesExactly(
            first ->
                assertThat(first)
                    .isEqualTo(
                        file
                            + ":"
                            + line
                            + ": does not hold  eve can R on doc-1, but R is missing"),
            second -> assertThat(second).contains(":" + (line + 1) + ":", "U is granted"),
            third -> assertThat(third).contains("U is denied, not missing"),
            fourth -> assertThat(fourth).contains("R is granted because of p1"),
            sum -> assertThat(sum).isEqualTo("6 hold, 4 do not"));
  }

  @Test
  void wrongFilesAreRefusedWithTheirLine() throws IOException {
    Path file = folder.resolve("tests.yaml");
    for (List<String> bad :
        List.of(
            List.of("assertions:\n  - alice may R on doc\n", ":2:", "'can' or 'cannot'"),
            List.of("assertions:\n  - alice can X on doc\n", ":2:", "some of C, R, U and D"),
            List.of("assertions:\n  - alice can R on doc and more\n", ":2:", "because"),
            List.of("assertions:\n  - alice can R on\n", ":2:", "too early"),
            List.of("assertion:\n  - alice can R on doc\n", "not 'assertion'", ":2:"),
            List.of("individuals: []\n", "no assertions", ""),
            List.of("individuals: foo\nassertions: [a can R on b]\n", ":1:", "a list"),
            List.of("assertions: {x: a can R on b}\n", ":1:", "a list"),
            List.of("assertions:\n  - 'alice can R on \"doc'\n", ":2:", "no word"),
            List.of("assertions:\n  - 'alice can R on \"\"'\n", ":2:", "1 to 1100 bytes"),
            List.of("x: &d doc\nassertions:\n  - *d\n", "aliases", "line"),
            List.of(
                "individuals:\n  - {'@id': x, 'rdf:type': v-s:Permission}\nassertions:\n  - a can R on b\n",
                ":2:",
                "no type that counts"),
            List.of("a: [\n", "not YAML", ""),
            List.of(
                "individuals:\n  - '@id': x\nassertions:\n  - alice can R on doc\n",
                ":2:",
                "rejected"))) {
      Files.writeString(file, bad.get(0));
      assertThat(run("test", file.toString())).as(bad.get(0)).isEqualTo(2);
      assertThat(command.err()).contains(bad.get(1), bad.get(2));
    }
    assertThat(run("test", folder.resolve("none.yaml").toString())).isEqualTo(2);
  }

  @Test
  void assertionsAgainstAServer() throws IOException {
    Path file = folder.resolve("tests.yaml");
    Files.writeString(
        file,
        """
        assertions:
          - ann can R on plan, because p1 and m1
          - boss cannot R on diary, because denied by p3
          - ann cannot U on plan
        """);
    assertThat(run("test", file.toString(), "--account", "acme")).isEqualTo(1);
    assertThat(output())
        .as("memberships are ways, not reasons")
        .contains("tests.yaml:2:", "2 hold, 1 does not");
    Files.writeString(file, TESTS);
    assertThat(run("test", file.toString(), "--account", "acme")).isEqualTo(2);
  }
}
