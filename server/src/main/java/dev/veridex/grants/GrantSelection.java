package dev.veridex.grants;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A selection of grants of one kind.
///
/// @param first the identity or the subject
/// @param target the resource or the object
/// @param targetPrefix what it begins with
/// @param name the action or the relation
/// @param includeExpired whether those are meant, too, that have ended and are not forgotten yet
public record GrantSelection(
    GrantKind kind,
    GrantScopes scopes,
    Optional<String> first,
    Optional<String> target,
    Optional<String> targetPrefix,
    Optional<String> name,
    boolean includeExpired) {

  public GrantSelection {
    if (target.isPresent() && targetPrefix.isPresent()) {
      String part = kind.parts().get(kind.target());
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "Give either %s or %sPrefix, not both.".formatted(part, part))
              .at("/" + part + "Prefix"));
    }
  }

  /// All grants of a kind in some scopes.
  public static GrantSelection all(GrantKind kind, GrantScopes scopes) {
    return new GrantSelection(
        kind,
        scopes,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  /// The same for one identity or subject.
  public GrantSelection of(String who) {
    return new GrantSelection(
        kind, scopes, Optional.of(who), target, targetPrefix, name, includeExpired);
  }

  /// The same for one resource or object.
  public GrantSelection on(String what) {
    return new GrantSelection(
        kind, scopes, first, Optional.of(what), targetPrefix, name, includeExpired);
  }

  /// The same with those that have expired.
  public GrantSelection withExpired() {
    return new GrantSelection(kind, scopes, first, target, targetPrefix, name, true);
  }

  /// Whether the reverse index leads to them.
  boolean isReverse() {
    return first.isEmpty() && (target.isPresent() || targetPrefix.isPresent());
  }

  /// The beginning of the keys after the scope.
  byte[] beginning(byte[] prefix) {
    KeyWriter out = KeyWriter.after(prefix);
    if (isReverse()) {
      return target.map(each -> out.string(each).toKey()).orElseGet(() -> beginningOf(out));
    }
    first.ifPresent(out::string);
    if (first.isEmpty()) {
      return out.toKey();
    }
    // An approval's key goes on with the resource, a relationship's with the relation.
    Optional<String> second = kind == GrantKind.APPROVAL ? target : name;
    if (second.isPresent()) {
      return out.string(second.get()).toKey();
    }
    return kind == GrantKind.APPROVAL && targetPrefix.isPresent() ? beginningOf(out) : out.toKey();
  }

  private byte[] beginningOf(KeyWriter out) {
    byte[] whole = out.string(targetPrefix.orElseThrow()).toKey();
    int end = new KeyWriter().string("").toKey().length;
    return Arrays.copyOf(whole, whole.length - end);
  }

  boolean test(GrantKey key) {
    List<String> parts = key.parts();
    String named = parts.get(3 - kind.target());
    return first.map(key.first()::equals).orElse(true)
        && target.map(key.target()::equals).orElse(true)
        && targetPrefix.map(key.target()::startsWith).orElse(true)
        && name.map(named::equals).orElse(true);
  }

  /// What tells a list of it from another list.
  byte[] identity() {
    return new KeyWriter()
        .string(kind.text())
        .string(scopes.scope().text())
        .octet(scopes.environments() ? 1 : 0)
        .octet(scopes.descendants() ? 1 : 0)
        .string(first.map(each -> "=" + each).orElse(""))
        .string(target.map(each -> "=" + each).orElse(""))
        .string(targetPrefix.map(each -> "=" + each).orElse(""))
        .string(name.map(each -> "=" + each).orElse(""))
        .octet(includeExpired ? 1 : 0)
        .toKey();
  }
}
