package dev.veridex.common;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// The isolation boundary that every stored record and every token carries.
///
/// The text form is `global`, `tenant:t`, `env:e`, `tenant:t:env:e` or `custom:a:b`; inside a part
/// `%` is written `%25` and `:` is written `%3A`, and no other escape exists, so that text and
/// scope correspond one to one. Parts are byte-exact: nothing is trimmed, folded or normalised.
///
/// Stored keys never use the text, see [KeyWriter#scope].
public sealed interface Scope {
  /// The most UTF-8 bytes of one part.
  int MAX_PART_BYTES = 256;

  /// The most UTF-8 bytes of all parts together.
  int MAX_BYTES = 512;

  /// The scope of what belongs to no tenant; only global tokens reach it.
  record Global() implements Scope {}

  /// An account.
  record Tenant(String tenant) implements Scope {
    public Tenant {
      checkParts(List.of(tenant));
    }
  }

  /// An environment that is nobody's in particular.
  record Environment(String environment) implements Scope {
    public Environment {
      checkParts(List.of(environment));
    }
  }

  /// An environment of an account.
  record TenantEnvironment(String tenant, String environment) implements Scope {
    public TenantEnvironment {
      checkParts(List.of(tenant, environment));
    }
  }

  /// A path of the user's own making.
  record Custom(List<String> path) implements Scope {
    public Custom {
      path = List.copyOf(path);
      if (path.isEmpty()) {
        throw invalid("a custom scope has at least one part");
      }
      checkParts(path);
    }
  }

  /// The parts in order, as they are, unescaped.
  default List<String> parts() {
    return switch (this) {
      case Global() -> List.of();
      case Tenant(String tenant) -> List.of(tenant);
      case Environment(String environment) -> List.of(environment);
      case TenantEnvironment(String tenant, String environment) -> List.of(tenant, environment);
      case Custom(List<String> path) -> path;
    };
  }

  /// The text form; [#parse] is its inverse.
  default String text() {
    return switch (this) {
      case Global() -> "global";
      case Tenant(String tenant) -> "tenant:" + escape(tenant);
      case Environment(String environment) -> "env:" + escape(environment);
      case TenantEnvironment(String tenant, String environment) ->
          "tenant:" + escape(tenant) + ":env:" + escape(environment);
      case Custom(List<String> path) ->
          path.stream().map(Scope::escape).collect(Collectors.joining(":", "custom:", ""));
    };
  }

  /// Whether a token of this scope may reach `request`.
  ///
  /// Reaching is not inheriting: one request works in one scope.
  ///
  /// @param descendants whether a custom scope reaches what lies below its path, too
  default boolean reaches(Scope request, boolean descendants) {
    return switch (this) {
      case Global() -> true;
      case Tenant(String tenant) ->
          request.equals(this)
              || (request instanceof TenantEnvironment(String requested, _)
                  && requested.equals(tenant));
      case Environment _, TenantEnvironment _ -> request.equals(this);
      case Custom(List<String> path) ->
          request.equals(this)
              || (descendants
                  && request instanceof Custom(List<String> requested)
                  && requested.size() > path.size()
                  && requested.subList(0, path.size()).equals(path));
    };
  }

  /// The scope of a text.
  ///
  /// @throws VeridexException `INVALID_SCOPE` unless it is exactly what [#text] prints for a scope
  static Scope parse(String text) {
    List<String> words = new ArrayList<>();
    for (String word : text.split(":", -1)) {
      words.add(unescape(word));
    }
    List<String> parts = words.subList(1, words.size());
    Optional<Scope> scope =
        switch (words.getFirst()) {
          case "global" -> parts.isEmpty() ? Optional.of(new Global()) : Optional.empty();
          case "env" ->
              parts.size() == 1 ? Optional.of(new Environment(parts.getFirst())) : Optional.empty();
          case "tenant" -> parseTenant(parts);
          case "custom" -> parts.isEmpty() ? Optional.empty() : Optional.of(new Custom(parts));
          default -> Optional.empty();
        };
    return scope.orElseThrow(
        () -> invalid("a scope is global, tenant:t, env:e, tenant:t:env:e or custom:a:b"));
  }

  private static Optional<Scope> parseTenant(List<String> parts) {
    if (parts.size() == 1) {
      return Optional.of(new Tenant(parts.getFirst()));
    }
    return parts.size() == 3 && parts.get(1).equals("env")
        ? Optional.of(new TenantEnvironment(parts.getFirst(), parts.getLast()))
        : Optional.empty();
  }

  private static String escape(String part) {
    return part.replace("%", "%25").replace(":", "%3A");
  }

  private static String unescape(String word) {
    if (word.indexOf('%') < 0) {
      return word;
    }
    StringBuilder part = new StringBuilder(word.length());
    for (int i = 0; i < word.length(); i++) {
      if (word.charAt(i) != '%') {
        part.append(word.charAt(i));
      } else if (word.startsWith("%25", i)) {
        part.append('%');
        i += 2;
      } else if (word.startsWith("%3A", i)) {
        part.append(':');
        i += 2;
      } else {
        throw invalid("the only escapes in a scope are %25 and %3A");
      }
    }
    return part.toString();
  }

  private static void checkParts(List<String> parts) {
    int total = 0;
    for (String part : parts) {
      if (part.isEmpty()) {
        throw invalid("a part of a scope is not empty");
      }
      if (!KeyWriter.isWellFormed(part)) {
        throw invalid("a part of a scope is well-formed Unicode");
      }
      int bytes = part.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > MAX_PART_BYTES) {
        throw invalid("a part of a scope has at most 256 bytes");
      }
      total += bytes;
    }
    if (total > MAX_BYTES) {
      throw invalid("the parts of a scope have at most 512 bytes together");
    }
  }

  private static VeridexException invalid(String detail) {
    return new VeridexException(Problem.of(ErrorCode.INVALID_SCOPE, detail));
  }
}
