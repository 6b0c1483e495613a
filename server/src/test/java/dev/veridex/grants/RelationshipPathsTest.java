package dev.veridex.grants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.TestDomain;
import dev.veridex.common.Scope;
import dev.veridex.common.Seeds;
import dev.veridex.grants.GrantRequest.WantedLife;
import dev.veridex.grants.GrantsModel.Who;
import dev.veridex.grants.RelationshipPaths.PathResult;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Paths in random graphs, from everywhere to everywhere and to every depth, against [GrantsModel].
final class RelationshipPathsTest {
  private static final Scope ACME = new Scope.Tenant("acme");
  private static final List<String> TYPES = List.of("trust", "membership", "role", "custom:x");
  private static final int NODES = 7;

  @Test
  void pathsAreThoseOfTheModel() {
    int[] seen = new int[3];
    Seeds.forEach(60, seed -> compare(new Random(seed), seen));
    assertThat(seen).as("found, none, too deep").doesNotContain(0);
  }

  private static void compare(Random random, int[] seen) {
    GrantsModel model = new GrantsModel();
    try (TestDomain world = TestDomain.inMemory()) {
      Who root = new Who(world.root().id(), world.root().id(), true, true);
      Instant now = Instant.EPOCH;
      for (int edges = random.nextInt(4, 16); edges > 0; edges--) {
        GrantKey key =
            GrantKey.relationship("n" + random.nextInt(NODES), "in", "n" + random.nextInt(NODES));
        String type = TYPES.get(random.nextInt(TYPES.size()));
        Optional<String> _ =
            model.give(root, ACME, key, type, Optional.empty(), Map.of(), false, now);
        world
            .domain()
            .grants()
            .writer()
            .give(
                world.root(),
                new GrantRequest(
                    ACME,
                    false,
                    key,
                    Optional.of(new RelationType(type)),
                    WantedLife.USUAL,
                    Map.of(),
                    Optional.empty()));
      }
      for (int from = 0; from < NODES; from++) {
        for (int to = 0; to < NODES; to++) {
          for (int depth = 1; depth <= NODES; depth++) {
            int wanted = model.path(ACME, "n" + from, "in", "n" + to, depth, now);
            PathResult found =
                world
                    .domain()
                    .grants()
                    .paths()
                    .find(world.root(), ACME, "n" + from, "in", "n" + to, depth)
                    .value();
            int length =
                switch (found) {
                  case PathResult.Found(List<Grant> steps) -> steps.size();
                  case PathResult.None() -> 0;
                  case PathResult.MaxDepthExceeded() -> -1;
                };
            assertThat(length).as("from n%d to n%d, at most %d", from, to, depth).isEqualTo(wanted);
            seen[wanted > 0 ? 0 : wanted == 0 ? 1 : 2]++;
          }
        }
      }
    }
  }
}
