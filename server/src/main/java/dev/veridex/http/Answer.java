package dev.veridex.http;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The answer of a handler.
///
/// @param revision sealed, where the answer carries one
/// @param status where it is not the usual one of the route
public record Answer<A>(
    A value, Optional<String> revision, Optional<Integer> status, Map<String, String> headers) {

  public static <A> Answer<A> of(A value) {
    return new Answer<>(value, Optional.empty(), Optional.empty(), Map.of());
  }

  /// An answer about the state at a revision.
  public static <A> Answer<A> at(String revision, A value) {
    return new Answer<>(value, Optional.of(revision), Optional.empty(), Map.of());
  }

  /// The same about the state at a revision.
  public Answer<A> at(String newRevision) {
    return new Answer<>(value, Optional.of(newRevision), status, headers);
  }

  /// The same with another status.
  public Answer<A> status(int other) {
    return new Answer<>(value, revision, Optional.of(other), headers);
  }

  /// The same with one more header.
  public Answer<A> with(String header, String text) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(header, text);
    return new Answer<>(value, revision, status, more);
  }
}
