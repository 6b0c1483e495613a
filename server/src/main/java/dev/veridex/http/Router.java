package dev.veridex.http;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Finds the route of a path and a method.
///
/// A segment that is spelled out goes before a parameter.
final class Router {
  private final Node root = new Node();

  private static final class Node {
    private final Map<String, Node> literals = new HashMap<>();
    private final Map<Method, Route<?, ?>> routes = new EnumMap<>(Method.class);
    private @Nullable Node parameter;
  }

  /// The match of a path.
  sealed interface Match {
    /// A route.
    ///
    /// @param values of the parameters in the path
    record OneRoute(Route<?, ?> route, Map<String, String> values) implements Match {}

    record OtherMethods(Set<String> allowed) implements Match {}

    record Nothing() implements Match {}
  }

  /// @throws IllegalArgumentException if two routes have the same place
  Router(List<Route<?, ?>> routes) {
    for (Route<?, ?> route : routes) {
      Node node = root;
      for (String segment : route.path().substring(1).split("/", -1)) {
        node = isParameter(segment) ? parameter(node) : literal(node, segment);
      }
      if (node.routes.put(route.method(), route) != null) {
        throw new IllegalArgumentException("two routes at " + route.method() + " " + route.path());
      }
    }
  }

  private static boolean isParameter(String segment) {
    return segment.startsWith("{");
  }

  private static Node literal(Node node, String segment) {
    return node.literals.computeIfAbsent(segment, _ -> new Node());
  }

  private static Node parameter(Node node) {
    Node known = node.parameter;
    Node parameter = known == null ? new Node() : known;
    node.parameter = parameter;
    return parameter;
  }

  /// The match of a path; `HEAD` is where `GET` is.
  Match find(String methodName, List<String> segments) {
    Node node = find(root, segments, 0);
    if (node == null || node.routes.isEmpty()) {
      return new Match.Nothing();
    }
    Optional<Method> method = Method.of(methodName.equals("HEAD") ? "GET" : methodName);
    Route<?, ?> route = method.map(node.routes::get).orElse(null);
    return route == null
        ? new Match.OtherMethods(allowed(node))
        : new Match.OneRoute(route, values(route, segments));
  }

  private static @Nullable Node find(Node node, List<String> segments, int from) {
    if (from == segments.size()) {
      return node;
    }
    Node literal = node.literals.get(segments.get(from));
    Node found = literal == null ? null : find(literal, segments, from + 1);
    if (found != null && !found.routes.isEmpty()) {
      return found;
    }
    Node parameter = node.parameter;
    return parameter == null ? null : find(parameter, segments, from + 1);
  }

  private static Set<String> allowed(Node node) {
    Set<String> allowed =
        node.routes.keySet().stream()
            .map(Method::name)
            .collect(Collectors.toCollection(TreeSet::new));
    if (allowed.contains("GET")) {
      allowed.add("HEAD");
    }
    return allowed;
  }

  private static Map<String, String> values(Route<?, ?> route, List<String> segments) {
    Map<String, String> values = new HashMap<>();
    List<String> template = new ArrayList<>(List.of(route.path().substring(1).split("/", -1)));
    for (int i = 0; i < template.size(); i++) {
      String segment = template.get(i);
      if (isParameter(segment)) {
        values.put(segment.substring(1, segment.length() - 1), segments.get(i));
      }
    }
    return values;
  }
}
