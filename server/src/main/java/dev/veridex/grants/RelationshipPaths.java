package dev.veridex.grants;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Token;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Shortest paths over live relationships of one scope and one relation.
///
/// To go on through a relationship its type must be transitive; the last one may be of any type. A
/// hop costs the relationships of its own subject, never a scan.
public final class RelationshipPaths {
  /// How many relationships a path has at most, if nobody says.
  public static final int USUAL_DEPTH = 10;

  /// The most that anybody may say.
  public static final int MAX_DEPTH = 100;

  /// The most relationships that one search looks at.
  private static final int MAX_EDGES = 1_000_000;

  private final Store store;
  private final GrantReader reader;
  private final GrantRules rules;

  public RelationshipPaths(Store store, GrantReader reader, GrantRules rules) {
    this.store = store;
    this.reader = reader;
    this.rules = rules;
  }

  /// The result of looking for a path.
  public sealed interface PathResult {
    /// A shortest path.
    record Found(List<Grant> steps) implements PathResult {}

    /// There is none.
    record None() implements PathResult {}

    /// There is none up to the greatest depth, and what lies deeper was not looked at.
    record MaxDepthExceeded() implements PathResult {}
  }

  /// Looks for a shortest path from a subject to an object.
  public GrantReader.Answered<PathResult> find(
      Token caller, Scope scope, String subject, String relation, String object, int maxDepth) {
    rules.requireMaySee(caller, scope, Optional.of(subject));
    // The same bounds as for a relationship.
    GrantKey.relationship(subject, relation, object);
    try (Snapshot snapshot = store.snapshot()) {
      return new GrantReader.Answered<>(
          find(snapshot, scope, subject, relation, object, maxDepth), snapshot.revision());
    }
  }

  PathResult find(
      Reader state, Scope scope, String subject, String relation, String object, int maxDepth) {
    Search search = new Search(state, scope, subject, relation, object);
    Deque<String> frontier = new ArrayDeque<>(List.of(subject));
    for (int depth = 1; depth <= maxDepth && !frontier.isEmpty(); depth++) {
      Deque<String> next = new ArrayDeque<>();
      for (String from : frontier) {
        Optional<Grant> last = search.expand(from, next);
        if (last.isPresent()) {
          return new PathResult.Found(search.path(last.get()));
        }
      }
      frontier = next;
    }
    // One step further says whether anything lies deeper at all.
    Deque<String> deeper = new ArrayDeque<>();
    boolean undecided =
        frontier.stream()
            .anyMatch(from -> search.expand(from, deeper).isPresent() || !deeper.isEmpty());
    return undecided ? new PathResult.MaxDepthExceeded() : new PathResult.None();
  }

  private static void requireBounded(int edges) {
    if (edges > MAX_EDGES) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.TOO_LARGE,
                  "More relationships would have to be looked at than one search may: ask with a"
                      + " smaller maxDepth.")
              .with("max", MAX_EDGES));
    }
  }

  private final class Search {
    private final Reader state;
    private final Scope scope;
    private final String subject;
    private final String relation;
    private final String object;

    private int looked;

    /// By which relationship each was reached first.
    private final Map<String, Grant> reachedBy = new HashMap<>();

    private Search(Reader state, Scope scope, String subject, String relation, String object) {
      this.state = state;
      this.scope = scope;
      this.subject = subject;
      this.relation = relation;
      this.object = object;
    }

    /// Looks at the relationships of one subject.
    ///
    /// @return one that ends at the object
    private Optional<Grant> expand(String from, Deque<String> next) {
      Grant[] last = new Grant[1];
      reader.eachLive(
          state,
          GrantKind.RELATIONSHIP,
          scope,
          List.of(from, relation),
          edge -> {
            requireBounded(++looked);
            String to = edge.key().third();
            if (to.equals(object)) {
              last[0] = edge;
              return false;
            }
            if (!to.equals(subject)
                && edge.type().orElseThrow().isTransitive()
                && reachedBy.putIfAbsent(to, edge) == null) {
              next.add(to);
            }
            return true;
          });
      return Optional.ofNullable(last[0]);
    }

    private List<Grant> path(Grant last) {
      List<Grant> steps = new ArrayList<>(List.of(last));
      String at = last.key().first();
      while (!at.equals(subject)) {
        Grant step = Objects.requireNonNull(reachedBy.get(at));
        steps.add(step);
        at = step.key().first();
      }
      return steps.reversed();
    }
  }
}
