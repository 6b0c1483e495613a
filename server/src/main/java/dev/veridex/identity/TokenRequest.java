package dev.veridex.identity;

import dev.veridex.common.KeyWriter;
import dev.veridex.common.Scope;
import dev.veridex.identity.Token.Flag;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// The token that somebody asks for.
///
/// @param ttl how long it is to live; absent: as long as the minter's own
public record TokenRequest(
    Scope scope,
    boolean descendants,
    Optional<String> subject,
    SortedSet<String> groups,
    Optional<String> serviceId,
    Set<Flag> flags,
    Optional<Duration> ttl) {

  private static final int MAX_ID_BYTES = 1100;

  public TokenRequest {
    groups = Collections.unmodifiableSortedSet(new TreeSet<>(groups));
    flags = Set.copyOf(flags);
  }

  /// Whether a text can name a subject, a service or a group.
  public static boolean isId(String text) {
    return !text.isEmpty()
        && KeyWriter.isWellFormed(text)
        && text.getBytes(StandardCharsets.UTF_8).length <= MAX_ID_BYTES;
  }

  /// A token of a scope with no powers, for nobody in particular.
  public static TokenRequest plain(Scope scope) {
    return new TokenRequest(
        scope,
        false,
        Optional.empty(),
        new TreeSet<>(),
        Optional.empty(),
        Set.of(),
        Optional.empty());
  }
}
