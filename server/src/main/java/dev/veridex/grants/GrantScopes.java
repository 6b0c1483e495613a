package dev.veridex.grants;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The scopes that a question about grants is about: one, and on request those within it. Each is
/// visited by name; what is deleted is in none.
///
/// @param scope the one that was named
/// @param environments whether the environments of an account are meant, too
/// @param descendants whether the scopes below a custom path are meant, too
public record GrantScopes(Scope scope, boolean environments, boolean descendants) {
  /// The most parts that a scope has.
  private static final int MAX_PARTS = Scope.MAX_BYTES;

  /// A scope and what is asked for besides.
  ///
  /// @throws VeridexException `BAD_REQUEST` if it has nothing of that kind within it
  public static GrantScopes of(Scope scope, boolean environments, boolean descendants) {
    if (environments && !(scope instanceof Scope.Tenant)) {
      throw wrong("Only an account has environments.", "environments");
    }
    if (descendants && !(scope instanceof Scope.Custom)) {
      throw wrong("Only a custom scope has others below it.", "descendants");
    }
    return new GrantScopes(scope, environments, descendants);
  }

  private static VeridexException wrong(String detail, String name) {
    return new VeridexException(
        Problem.of(ErrorCode.BAD_REQUEST, detail).at("/" + name).with("parameter", name));
  }

  /// Exactly this scope.
  public static GrantScopes exactly(Scope scope) {
    return new GrantScopes(scope, false, false);
  }

  /// Those of the scopes in which there are records of a kind, in the order of their keys.
  List<Scope> with(Reader reader, Incarnations incarnations, RecordKind kind) {
    List<Scope> found = new ArrayList<>();
    if (isThere(reader, incarnations, kind, scope)) {
      found.add(scope);
    }
    if (environments && scope instanceof Scope.Tenant(String tenant)) {
      within(reader, incarnations, kind, parts(kind, new Scope.TenantEnvironment(tenant, "x"), 1))
          .forEach(found::add);
    }
    if (descendants && scope instanceof Scope.Custom(List<String> path)) {
      found.addAll(below(reader, incarnations, kind, path));
    }
    return found;
  }

  /// The scopes below a path. Keys begin with the number of parts, so they are found length by
  /// length; a length that nobody uses is passed over.
  private static List<Scope> below(
      Reader reader, Incarnations incarnations, RecordKind kind, List<String> path) {
    List<Scope> found = new ArrayList<>();
    Optional<byte[]> end = KeyRange.prefix(new KeyWriter().octet(kind.code()).toKey()).to();
    int length = path.size() + 1;
    while (length <= MAX_PARTS) {
      List<String> like = new ArrayList<>(path);
      like.addAll(Collections.nCopies(length - path.size(), "x"));
      if (like.stream().mapToInt(GrantScopes::bytes).sum() > Scope.MAX_BYTES) {
        break; // No scope is as long.
      }
      byte[] prefix = parts(kind, new Scope.Custom(like), path.size());
      found.addAll(within(reader, incarnations, kind, prefix));
      Optional<Scope> next =
          first(reader, new KeyRange(KeyRange.prefix(prefix).to().orElseThrow(), end))
              .map(KeyReader.ScopePrefix::scope);
      if (next.isEmpty() || !(next.get() instanceof Scope.Custom(List<String> longer))) {
        break;
      }
      length = Math.max(length + 1, longer.size());
    }
    return found;
  }

  private static int bytes(String part) {
    return part.getBytes(StandardCharsets.UTF_8).length;
  }

  /// All of the scopes in which there are records of any of these kinds.
  List<Scope> with(Reader reader, Incarnations incarnations, List<RecordKind> kinds) {
    Set<Scope> all = new TreeSet<>(Comparator.comparing(Scope::text));
    kinds.forEach(kind -> all.addAll(with(reader, incarnations, kind)));
    return List.copyOf(all);
  }

  private static boolean isThere(
      Reader reader, Incarnations incarnations, RecordKind kind, Scope scope) {
    byte[] prefix =
        new KeyWriter().scope(kind.code(), scope, incarnations.of(reader, scope)).toKey();
    try (Cursor cursor = reader.scanWithExpired(KeyRange.prefix(prefix), Direction.FORWARD)) {
      return cursor.next();
    }
  }

  /// The beginning of the keys of scopes of the same variant and length as one, with its first
  /// parts.
  private static byte[] parts(RecordKind kind, Scope like, int first) {
    byte[] whole = new KeyWriter().scope(kind.code(), like, 0).toKey();
    KeyWriter rest = new KeyWriter();
    like.parts().subList(first, like.parts().size()).forEach(rest::string);
    int end = whole.length - Long.BYTES - rest.toKey().length;
    return Arrays.copyOf(whole, end);
  }

  /// The scopes with records under a prefix, found by jumping from one to the next.
  private static List<Scope> within(
      Reader reader, Incarnations incarnations, RecordKind kind, byte[] prefix) {
    List<Scope> found = new ArrayList<>();
    KeyRange range = KeyRange.prefix(prefix);
    Optional<KeyReader.ScopePrefix> next = first(reader, range);
    while (next.isPresent()) {
      KeyReader.ScopePrefix there = next.get();
      if (incarnations.of(reader, there.scope()) == there.incarnation()) {
        found.add(there.scope());
      }
      byte[] own = new KeyWriter().scope(kind.code(), there.scope(), there.incarnation()).toKey();
      next = first(reader, new KeyRange(KeyRange.prefix(own).to().orElseThrow(), range.to()));
    }
    return found;
  }

  private static Optional<KeyReader.ScopePrefix> first(Reader reader, KeyRange range) {
    if (range.isEmpty()) {
      return Optional.empty();
    }
    try (Cursor cursor = reader.scanWithExpired(range, Direction.FORWARD)) {
      return cursor.next() ? Optional.of(new KeyReader(cursor.key()).scope()) : Optional.empty();
    }
  }
}
