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
import java.util.ArrayList;
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

  /// So many documents are tried at once, each in a way of its own.
  private static final int AT_ONCE = 8;

  /// The grants that let somebody read a document.
  private static List<GrantKey> ways(int document) {
    return List.of(
        GrantKey.approval("u", "d" + document, "Get"),
        GrantKey.relationship("u", "member", "team" + document),
        GrantKey.relationship("d" + document, "in", "open"));
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
      for (int i = 0; i < AT_ONCE; i++) {
        statement(world, "team reads " + i, "d" + i, "team" + i);
        put(world, "d" + i, "plain");
      }
      statement(world, "u reads", "open", "u");
      statement(world, "u also reads", "z", "u");
      put(world, "z", "known");
      world.index();
      Random random = new Random(5);
      for (int i = 0; i < Campaign.GRANT_NEW_ENEMY.size(); i += AT_ONCE) {
        attempt(world, random);
      }
    }
    assertThat(leaks).as("secrets shown").isZero();
  }

  private void attempt(SearchWorld world, Random random) {
    List<GrantKey> keys = new ArrayList<>();
    int later = 0;
    Instant first = now().plusSeconds(random.nextInt(60, 600));
    for (int i = 0; i < AT_ONCE; i++) {
      keys.add(ways(i).get(random.nextInt(3)));
      int micros = random.nextInt(3);
      give(world, keys.getLast(), first.plusNanos(1000L * micros));
      later += micros > 0 ? 1 : 0;
    }
    assertThat(search(world, 100, Optional.empty()).total()).as("%s", keys).isEqualTo(1 + AT_ONCE);
    to(first.minusNanos(1000));
    assertThat(search(world, 100, Optional.empty()).total()).as("%s", keys).isEqualTo(1 + AT_ONCE);
    Optional<String> cursor = search(world, 1, Optional.empty()).cursor();
    if (random.nextBoolean()) {
      // Each ends by itself.
      to(first);
      assertThat(search(world, 100, Optional.empty()).total()).as("%s", keys).isEqualTo(1 + later);
      to(first.plusNanos(2000));
    } else {
      // Some are extended at the last moment, and taken back.
      int extended = 0;
      for (GrantKey key : keys) {
        if (random.nextInt(3) == 0) {
          extend(world, key, first.plusSeconds(60));
          extended++;
        }
      }
      to(first.plusNanos(2000));
      assertThat(search(world, 100, Optional.empty()).total())
          .as("%s", keys)
          .isEqualTo(1 + extended);
      for (GrantKey key : keys) {
        world.domain.grants().writer().revoke(world.root, SCOPE, key);
      }
    }
    for (int i = 0; i < AT_ONCE; i++) {
      put(world, "d" + i, SECRET + version);
    }
    if (random.nextBoolean()) {
      world.index();
    }
    assertThat(search(world, 100, Optional.empty()).total()).as("%s are over", keys).isEqualTo(1);
    assertThat(search(world, 100, cursor).hits()).allMatch(hit -> hit.found().pk().equals("z"));
    world.index();
    // The secret is taken out, and nobody has indexed that yet.
    for (int i = 0; i < AT_ONCE; i++) {
      put(world, "d" + i, "plain");
      give(world, keys.get(i), now().plusSeconds(60));
    }
    search(world, 100, Optional.empty());
    world.index();
    to(now().plusSeconds(60));
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
        key.parts().contains("Get")
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
                SCOPE, key, new WantedLife(Optional.empty(), Optional.of(end)), Optional.empty()));
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
