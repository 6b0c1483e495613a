package dev.veridex.search.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.TestDomain;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Scope;
import dev.veridex.grants.GrantKey;
import dev.veridex.grants.GrantRequest;
import dev.veridex.grants.GrantRequest.WantedLife;
import dev.veridex.grants.GrantWriter;
import dev.veridex.grants.RelationType;
import dev.veridex.suite.Campaign;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Somebody is given a document for a while; the grant ends or is taken back, and only then a
/// secret is written into it. Whoever had the grant never sees the secret, whether searching anew,
/// going on with a search from before, or given the document again after it was redacted.
final class GrantNewEnemyTest {
  private static final Scope SCOPE = TestDomain.ACME.scope();
  private static final String SECRET = "hush";

  private final MutableClock clock = MutableClock.daysAgo(0);
  private int leaks;
  private int version;

  @TempDir private Path folder;

  /// A way in which a grant lets somebody read the document.
  private enum Way {
    APPROVAL(GrantKey.approval("u", "d", "Get")),
    MEMBER_OF_READERS(GrantKey.relationship("u", "member", "team")),
    IN_THE_OPEN(GrantKey.relationship("d", "in", "open"));

    private final GrantKey key;

    Way(GrantKey key) {
      this.key = key;
    }
  }

  @Test
  @Tag("campaign")
  void aSecretThatIsWrittenAfterTheEndIsNeverShown() {
    try (SearchWorld world =
        new SearchWorld(
            SearchWorld.inMemory(clock),
            folder.resolve("index"),
            SearchWorld.settings(Optional.empty()),
            2)) {
      statement(world, "team reads", "d", "team");
      statement(world, "u reads", "open", "u");
      statement(world, "u also reads", "z", "u");
      put(world, "z", "known");
      put(world, "d", "plain");
      world.index();
      Random random = new Random(5);
      for (int i = 0; i < Campaign.GRANT_NEW_ENEMY.size(); i++) {
        attempt(world, random);
      }
    }
    assertThat(leaks).as("secrets shown").isZero();
  }

  private void attempt(SearchWorld world, Random random) {
    GrantKey key = Way.values()[random.nextInt(Way.values().length)].key;
    Instant end = now().plusSeconds(random.nextInt(60, 600));
    give(world, key, end);
    assertThat(search(world, 10, Optional.empty()).total()).as("%s is given", key).isEqualTo(2);
    to(end.minusSeconds(random.nextInt(1, 30)));
    if (random.nextInt(3) == 0) {
      // Extended at the last moment.
      to(end.minusNanos(1000));
      end = end.plusSeconds(70);
      extend(world, key, end);
      to(end.minusNanos(1000));
      assertThat(search(world, 10, Optional.empty()).total()).as("%s is alive", key).isEqualTo(2);
    }
    Optional<String> cursor = search(world, 1, Optional.empty()).cursor();
    if (random.nextBoolean()) {
      to(end);
    } else {
      world.domain.grants().writer().revoke(world.root, SCOPE, key);
    }
    put(world, "d", SECRET + version);
    if (random.nextBoolean()) {
      world.index();
    }
    assertThat(search(world, 10, Optional.empty()).total()).as("%s is over", key).isEqualTo(1);
    SearchAnswer next = search(world, 1, cursor);
    assertThat(next.hits()).extracting(hit -> hit.found().pk()).doesNotContain("d");
    world.index();
    // The secret is taken out, and nobody has indexed that yet.
    put(world, "d", "plain");
    give(world, key, now().plusSeconds(60));
    search(world, 10, Optional.empty());
    world.index();
    world.domain.grants().writer().revoke(world.root, SCOPE, key);
  }

  /// Searches as who had the grant, and looks for the secret.
  private SearchAnswer search(SearchWorld world, int limit, Optional<String> cursor) {
    SearchAnswer found =
        world.search.search(
            world.as("u"),
            TestDomain.ACME,
            SearchWorld.BUCKET,
            SearchModelTest.everything(limit, cursor));
    if (found.hits().toString().contains(SECRET)) {
      leaks++;
    }
    return found;
  }

  private Instant now() {
    return clock.instant();
  }

  private void to(Instant time) {
    clock.advance(Duration.between(clock.instant(), time));
  }

  private static void give(SearchWorld world, GrantKey key, Instant end) {
    Optional<RelationType> type =
        key.equals(Way.APPROVAL.key)
            ? Optional.empty()
            : Optional.of(new RelationType("membership"));
    world
        .domain
        .grants()
        .writer()
        .give(
            world.root,
            new GrantRequest(
                SCOPE,
                false,
                key,
                type,
                new WantedLife(Optional.empty(), Optional.of(end)),
                Map.of(),
                Optional.empty()));
  }

  private static void extend(SearchWorld world, GrantKey key, Instant end) {
    world
        .domain
        .grants()
        .writer()
        .extend(
            world.root,
            new GrantWriter.Extension(
                SCOPE,
                key,
                new WantedLife(Optional.empty(), Optional.of(end)),
                Optional.empty()));
  }

  private void put(SearchWorld world, String pk, String title) {
    clock.advance(Duration.ofMillis(1));
    version++;
    world.accept(
        List.of(
            SearchWorld.node(
                "{'pk':'%s','epoch':1,'version':%d,'modifiedAt':'2026-01-01T00:00:00Z','action':'UPSERT','fields':{'title':'%s'}}"
                    .formatted(pk, version, title))));
  }

  private static void statement(SearchWorld world, String id, String object, String subject) {
    world.state(
        List.of(
            SearchWorld.node(
                "{'@id':'%s','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'%s','v-s:permissionSubject':'%s','v-s:canRead':true}"
                    .formatted(id, object, subject))));
  }
}
