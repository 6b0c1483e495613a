package dev.veridex.access;

import dev.veridex.access.Verdict.Edge;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// The shortest ways from one place to all others, along memberships.
final class Paths {
  private final String from;
  private final Map<String, String> before = new HashMap<>();

  /// @param followed which memberships lead on
  Paths(String from, List<Edge> edges, Predicate<Edge> followed) {
    this.from = from;
    Map<String, List<String>> next = new HashMap<>();
    for (Edge edge : edges) {
      if (followed.test(edge)) {
        next.computeIfAbsent(edge.from(), _ -> new ArrayList<>()).add(edge.to());
      }
    }
    Deque<String> open = new ArrayDeque<>(List.of(from));
    while (!open.isEmpty()) {
      String member = open.remove();
      for (String group : next.getOrDefault(member, List.of())) {
        if (!group.equals(from) && before.putIfAbsent(group, member) == null) {
          open.add(group);
        }
      }
    }
  }

  /// A way with both ends; only the ends, if no membership leads there.
  List<String> to(String end) {
    List<String> path = new ArrayList<>(List.of(end));
    String at = end;
    while (!at.equals(from)) {
      at = before.getOrDefault(at, from);
      path.add(at);
    }
    return List.copyOf(path.reversed());
  }
}
