package dev.veridex.index.lucene;

import dev.veridex.index.VisibleResources;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Resources of which some have numbers, and some may be seen.
final class KnownResources implements VisibleResources {
  private final List<String> names;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Set<String> seen;
  private final boolean others;

  /// @param names in the order of their numbers; the same list stands for the same numbering
  /// @param others whether those may be seen that have no number
  KnownResources(List<String> names, Set<String> seen, boolean others) {
    this.names = names;
    this.seen = seen;
    this.others = others;
    for (String name : names) {
      numbers.put(name, numbers.size());
    }
  }

  @Override
  public Object numbering() {
    return names;
  }

  @Override
  public Object identity() {
    return this;
  }

  @Override
  public int size() {
    return numbers.size();
  }

  @Override
  public int find(String resource) {
    return numbers.getOrDefault(resource, -1);
  }

  @Override
  public String name(int number) {
    return names.get(number);
  }

  @Override
  public boolean test(int number) {
    return (number >= 0 && number < numbers.size()) ? seen.contains(names.get(number)) : others;
  }
}
