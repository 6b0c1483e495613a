package dev.veridex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Approvals, relationships and jobs on the command line.
final class GrantCommandsTest {
  private final CommandRun command = new CommandRun();

  @TempDir private Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder.resolve("data"));
    fixture.ask("PUT", "/v1/accounts/acme", Optional.of(ServerFixture.ROOT), Optional.of("{}"));
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private String run(String... arguments) {
    int exit = command.run(fixture, arguments);
    return exit + " " + (command.out() + command.err()).strip();
  }

  @Test
  void approvalsAreGivenListedExtendedAndTakenBack() {
    assertThat(run("approve", "acme", "alice", "plan", "read", "--for", "2h", "--meta", "ticket=7"))
        .isEqualTo("0 alice may read plan for 2 hours");
    assertThat(run("approve", "acme", "bob", "plan", "delete"))
        .isEqualTo("0 bob may delete plan for ever");
    fixture.clock.advance(Duration.ofMinutes(61));
    String listed = run("approvals", "ls", "acme");
    assertThat(listed).contains("alice", "for 59 minutes", "bob", "for ever");
    assertThat(run("approvals", "ls", "acme", "--resource", "plan", "--action", "read", "--count"))
        .isEqualTo("0 1");
    assertThat(run("extend", "acme", "alice", "plan", "read", "--for", "3d"))
        .isEqualTo("0 alice may read plan for 3 days");
    assertThat(run("unapprove", "acme", "alice", "plan", "read"))
        .startsWith("0 the approval is gone");
    assertThat(run("extend", "acme", "alice", "plan", "read", "--for", "1h"))
        .startsWith("1 veridex: NOT_FOUND");
    assertThat(run("approve", "acme", "alice", "plan", "read", "--for", "5s"))
        .startsWith("2 veridex: INVALID_TTL")
        .contains("min", "max", "given");
    assertThat(run("approve", "acme", "alice", "plan", "read", "--for", "soon")).startsWith("2 ");
    assertThat(run("approve", "acme", "alice", "plan", "read", "--meta", "x")).startsWith("2 ");
    run("approve", "acme", "carl", "plan", "read", "--for", "60s");
    fixture.clock.advance(Duration.ofMinutes(3));
    assertThat(run("approvals", "ls", "acme", "--expired")).contains("carl", "ended 2 minutes ago");
    assertThat(run("approvals", "ls", "acme")).doesNotContain("carl");
  }

  @Test
  void whatCountsIsExplainedAndTold() {
    String flow = fixture.get(ServerFixture.ROOT, "/v1/accounts/acme/access/flow").text();
    String begin = flow.replaceAll(".*\"revision\":\"([^\"]*)\".*", "$1");
    run("approve", "acme", "alice", "plan", "read", "--for", "2h");
    run("extend", "acme", "alice", "plan", "read", "--for", "3d");
    run("relate", "acme", "alice", "in", "editors", "--type", "membership", "--for", "1d");
    assertThat(run("check", "acme", "alice", "plan", "R", "--explain"))
        .startsWith("0 yes")
        .contains("approved for 3 days (read, by ");
    assertThat(run("tail", "acme", "--no-follow", "--since", begin))
        .contains("granted  alice may read plan for 2 hours")
        .contains("extended alice may read plan for 3 days")
        .contains("granted  alice in editors for 24 hours");
    fixture.clock.advance(Duration.ofDays(3));
    assertThat(run("check", "acme", "alice", "plan", "R")).startsWith("1 no");
  }

  @Test
  void scopesMayBeNamedInFull() {
    run("approve", "acme", "alice", "plan", "read", "--env", "dev");
    run("approve", "custom:a:b", "alice", "deep", "read");
    assertThat(run("approvals", "ls", "tenant:acme:env:dev")).contains("plan");
    assertThat(run("approvals", "ls", "acme")).doesNotContain("plan");
    assertThat(run("approvals", "ls", "acme", "--environments")).contains("plan");
    assertThat(run("approvals", "ls", "custom:a", "--descendants")).contains("deep");
    assertThat(run("approvals", "ls", "tenant:acme", "--env", "dev"))
        .startsWith("2 ")
        .contains("--env goes with the name of an account");
  }

  @Test
  void relationshipsAndPaths() {
    assertThat(run("relate", "acme", "alice", "in", "editors", "--type", "membership"))
        .isEqualTo("0 alice in editors for ever");
    run("relate", "acme", "editors", "in", "staff", "--type", "membership", "--for", "1h");
    assertThat(run("relations", "ls", "acme", "--subject", "alice"))
        .contains("membership", "editors");
    assertThat(run("path", "acme", "alice", "in", "staff"))
        .isEqualTo(
            """
            0 alice in editors  (membership, for ever)
            editors in staff  (membership, for 60 minutes)""");
    assertThat(run("path", "acme", "staff", "in", "alice")).isEqualTo("1 no path");
    assertThat(run("path", "acme", "alice", "in", "staff", "--max-depth", "1"))
        .startsWith("1 no path within the depth");
    assertThat(run("extend", "acme", "editors", "in", "staff", "--relationship", "--for", "2h"))
        .isEqualTo("0 editors in staff for 2 hours");
    assertThat(run("unrelate", "acme", "alice", "in", "editors"))
        .startsWith("0 the relationship is gone");
    assertThat(run("relate", "acme", "a", "b", "c", "--type", "friend")).startsWith("2 ");
  }

  @Test
  void jobsAreShown() {
    run("approve", "acme", "alice", "plan", "read");
    String job =
        fixture
            .ask(
                "DELETE",
                "/v1/scopes/tenant:acme",
                Optional.of(ServerFixture.ROOT),
                Optional.empty())
            .json()
            .get("job")
            .asString();
    assertThat(run("jobs", "ls", "acme")).contains(job, "scope.delete", "done", "1 of 1");
    assertThat(run("jobs", "show", job)).contains("scope.delete in tenant:acme: done");
    assertThat(run("jobs", "wait", job)).startsWith("0 ");
    assertThat(run("jobs", "cancel", job)).as("it is over").contains("done");
    assertThat(run("jobs", "pause", job)).contains("done");
    assertThat(run("jobs", "show", "none")).startsWith("1 veridex: NOT_FOUND");
  }
}
