package dev.veridex.identity;

import dev.veridex.common.Scope;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// A token: the scope that its bearer may touch, the subject, and the rights of the bearer.
///
/// The secret that proves it is not in here, and nowhere else either: only its hash is stored.
///
/// More than eight components: its components are the stored members of a token.
///
/// @param id names the token where its secret must not appear: in lists, logs and the audit
/// @param incarnation of the scope's name when the token was minted; a token of a deleted account
///   opens nothing in one that was re-created
/// @param descendants whether a custom scope reaches below its path
/// @param subject the person it stands for
/// @param groups the groups it brings; [#ANY_GROUP] lets it hand out any
/// @param serviceId the service it stands for
public record Token(
    String id,
    Scope scope,
    long incarnation,
    boolean descendants,
    Optional<String> subject,
    SortedSet<String> groups,
    Optional<String> serviceId,
    Set<Flag> flags,
    Instant createdAt,
    Optional<Instant> expiresAt) {

  /// The most groups that a token brings.
  public static final int MAX_GROUPS = 1000;

  /// The group of a minter that may give any group. It makes its bearer a member of none.
  public static final String ANY_GROUP = "*";

  /// A power that goes beyond reading and writing.
  public enum Flag {
    /// Administers every scope that the token reaches.
    ADMIN("admin"),
    /// May act as others.
    IMPERSONATE("impersonate"),
    /// May grant approvals.
    GRANTOR("grantor");

    private final String text;

    Flag(String text) {
      this.text = text;
    }

    /// Its name in requests, answers and records.
    public String text() {
      return text;
    }

    public static Optional<Flag> of(String text) {
      for (Flag flag : values()) {
        if (flag.text.equals(text)) {
          return Optional.of(flag);
        }
      }
      return Optional.empty();
    }
  }

  public Token {
    groups = Collections.unmodifiableSortedSet(new TreeSet<>(groups));
    flags = Set.copyOf(flags);
  }

  /// Whether it stands for a service, and for no person.
  public boolean isService() {
    return serviceId.isPresent() && subject.isEmpty();
  }

  /// Whether it may touch a scope at all.
  public boolean reaches(Scope request) {
    return scope.reaches(request, descendants);
  }

  /// Whether it may do there what only an administrator may.
  public boolean administers(Scope request) {
    return flags.contains(Flag.ADMIN) && reaches(request);
  }
}
