package dev.veridex.http;

import java.util.Optional;

/// An HTTP method.
public enum Method {
  GET,
  POST,
  PUT,
  PATCH,
  DELETE;

  static Optional<Method> of(String name) {
    for (Method method : values()) {
      if (method.name().equals(name)) {
        return Optional.of(method);
      }
    }
    return Optional.empty();
  }
}
