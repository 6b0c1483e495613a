package dev.veridex.http;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.SpellingSuggestion;
import dev.veridex.common.VeridexException;
import dev.veridex.http.shape.Parameter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
    route.allParameters().forEach(parameter -> known.put(parameter.name(), parameter));
    Map<String, String> values = new HashMap<>(target.query());
    for (Parameter<?> parameter : route.parameters()) {
      if (parameter.in() == Parameter.In.HEADER) {
        List<String> lines = exchange.headers(parameter.name());
        if (!lines.isEmpty()) {
          values.put(parameter.name(), String.join(", ", lines));
        }
      }
    }
    for (String name : target.query().keySet()) {
      Parameter<?> parameter = known.get(name);
      if (parameter == null || parameter.in() != Parameter.In.QUERY) {
        Problem problem =
            Problem.of(ErrorCode.BAD_REQUEST, "there is no such parameter").with("parameter", name);
        throw new VeridexException(
            SpellingSuggestion.nearest(name, known.keySet())
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
