package dev.veridex.http;

import java.util.Optional;

/// What a handler says.
///
/// @param revision sealed, where the answer carries one
public record Answer<A>(A value, Optional<String> revision) {

  public static <A> Answer<A> of(A value) {
    return new Answer<>(value, Optional.empty());
  }

  /// An answer about the state at a revision.
  public static <A> Answer<A> at(String revision, A value) {
    return new Answer<>(value, Optional.of(revision));
  }
}
