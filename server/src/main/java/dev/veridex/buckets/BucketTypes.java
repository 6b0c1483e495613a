package dev.veridex.buckets;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.SpellingSuggestion;
import dev.veridex.common.VeridexException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The types of buckets that there are, and the versions of each.
public final class BucketTypes {
  private final Map<String, SortedSet<Integer>> versions = new TreeMap<>();

  /// @param versions by the names of their types
  public BucketTypes(Map<String, SortedSet<Integer>> versions) {
    versions.forEach((name, numbers) -> this.versions.put(name, new TreeSet<>(numbers)));
  }

  /// The type of a text; without a version, the newest.
  ///
  /// @throws VeridexException `UNKNOWN_TYPE`
  public BucketType of(String text) {
    return find(text)
        .orElseThrow(
            () -> {
              Problem problem =
                  Problem.of(ErrorCode.UNKNOWN_TYPE, "there is no such type of buckets")
                      .at("/type")
                      .with("known", String.join(", ", versions.keySet()));
              return new VeridexException(
                  SpellingSuggestion.nearest(text, versions.keySet())
                      .map(near -> problem.with("didYouMean", near))
                      .orElse(problem));
            });
  }

  /// The names of all types.
  public Set<String> names() {
    return Collections.unmodifiableSet(versions.keySet());
  }

  private Optional<BucketType> find(String text) {
    SortedSet<Integer> numbers = versions.get(text);
    return numbers == null
        ? BucketType.parse(text).filter(this::isKnown)
        : Optional.of(new BucketType(text, numbers.last()));
  }

  private boolean isKnown(BucketType type) {
    SortedSet<Integer> numbers = versions.get(type.name());
    return numbers != null && numbers.contains(type.version());
  }
}
