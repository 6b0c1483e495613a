package dev.veridex.http;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.SpellingSuggestion;
import dev.veridex.common.VeridexException;
import dev.veridex.http.shape.Parameter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The values of a route's parameters: from the path, the query and the headers of a request.
final class ParameterValues {
  private ParameterValues() {}

  /// The parts of the path that name something, for the audit log.
  static List<String> key(Route<?, ?> route, Map<String, String> values) {
    List<String> key = new ArrayList<>();
    for (Parameter<?> parameter : route.parameters()) {
      if (parameter.in() == Parameter.In.PATH) {
        key.add(values.getOrDefault(parameter.name(), ""));
      }
    }
    return key;
  }

  /// All parameters by name, each of them known and well-formed.
  static Map<String, String> of(
      Route<?, ?> route, Exchange exchange, RequestTarget target, Map<String, String> path) {
    Map<String, Parameter<?>> known = new HashMap<>();
    Set<String> families = new HashSet<>();
    for (Parameter<?> parameter : route.allParameters()) {
      if (parameter.in() == Parameter.In.FAMILY) {
        families.add(parameter.name());
      } else {
        known.put(parameter.name(), parameter);
      }
    }
    Map<String, String> values = new HashMap<>();
    for (Parameter<?> parameter : route.parameters()) {
      if (parameter.in() == Parameter.In.HEADER) {
        List<String> lines = exchange.headers(parameter.name());
        if (!lines.isEmpty()) {
          values.put(parameter.name(), String.join(", ", lines));
        }
      }
    }
    for (Map.Entry<String, String> each : target.query().entrySet()) {
      String name = each.getKey();
      Parameter<?> parameter = known.get(name);
      if (families.contains(name.split("\\[", 2)[0])) {
        // A path may have a part of the same name.
        values.put(Call.FAMILY + name, each.getValue());
      } else if (parameter != null && parameter.in() == Parameter.In.QUERY) {
        values.put(name, each.getValue());
      } else {
        known.keySet().forEach(families::add);
        Problem problem =
            Problem.of(ErrorCode.BAD_REQUEST, "there is no such parameter").with("parameter", name);
        throw new VeridexException(
            SpellingSuggestion.nearest(name, families)
                .map(near -> problem.with("didYouMean", near))
                .orElse(problem));
      }
    }
    values.putAll(path);
    values.forEach(
        (name, text) -> {
          Parameter<?> parameter = known.get(name);
          if (parameter != null) {
            parameter.type().parse(text, name);
          }
        });
    return values;
  }
}
