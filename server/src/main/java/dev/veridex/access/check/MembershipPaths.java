package dev.veridex.access.check;

import dev.veridex.access.check.Verdict.Edge;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// The shortest ways from one position to all others, along memberships.
final class MembershipPaths {
  private MembershipPaths() {}

  /// For each position that is reached, the one before it.
  ///
  /// @param followed which memberships lead on
  static Map<String, String> from(String start, List<Edge> edges, Predicate<Edge> followed) {
    Map<String, List<String>> next = new HashMap<>();
    for (Edge edge : edges) {
      if (followed.test(edge)) {
        next.computeIfAbsent(edge.from(), _ -> new ArrayList<>()).add(edge.to());
      }
    }
    Map<String, String> before = new HashMap<>();
    Deque<String> open = new ArrayDeque<>(List.of(start));
    while (!open.isEmpty()) {
      String member = open.remove();
      for (String group : next.getOrDefault(member, List.of())) {
        if (!group.equals(start) && before.putIfAbsent(group, member) == null) {
          open.add(group);
        }
      }
    }
    return before;
  }
}
