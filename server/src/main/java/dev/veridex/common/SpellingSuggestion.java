package dev.veridex.common;

import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;

/// Guesses what somebody meant who misspelt a name.
public final class SpellingSuggestion {
  private SpellingSuggestion() {}

  /// The name that is meant most likely, if any is near.
  public static Optional<String> nearest(String given, Collection<String> names) {
    // Whoever sends a novel as a name meant none of ours; and comparing costs length times length.
    if (given.length() > 100) {
      return Optional.empty();
    }
    int best = Math.max(2, given.length() / 3) + 1;
    Optional<String> nearest = Optional.empty();
    for (String name : new TreeSet<>(names)) {
      int distance = distance(given, name);
      if (distance < best) {
        best = distance;
        nearest = Optional.of(name);
      }
    }
    return nearest;
  }

  /// How many letters have to be added, removed or changed to make one word of the other.
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int change = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
        int next = Math.min(Math.min(row[j], row[j - 1]) + 1, diagonal + change);
        diagonal = row[j];
        row[j] = next;
      }
    }
    return row[other.length()];
  }
}
