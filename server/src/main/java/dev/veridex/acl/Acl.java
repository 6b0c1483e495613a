package dev.veridex.acl;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The access control list of a bucket.
///
/// An action's entries are alternatives; all conditions of one entry must hold. What is missing or
/// empty lets nobody in. What an absent action falls back to is [#of]'s to say.
///
/// @param entries by action; an action that is there with no entries lets nobody in
public record Acl(Map<Action, List<Entry>> entries) {

  /// The group that everybody is in, nobody in particular among them.
  public static final String EVERYBODY = "*";

  /// An action on a bucket.
  public enum Action {
    READ("read"),
    WRITE("write"),
    DELETE("delete"),
    /// To its metadata and its ACL.
    ADMIN("admin");

    private final String text;

    Action(String text) {
      this.text = text;
    }

    /// Its name in requests, answers and records.
    public String text() {
      return text;
    }
  }

  /// An alternative of an action: each condition that is there must hold, and one must be there.
  public record Entry(Optional<Condition> userGroups, Optional<Condition> serviceSignatures) {

    boolean admits(Credentials presented) {
      boolean any = userGroups.isPresent() || serviceSignatures.isPresent();
      return any
          && userGroups.map(groups -> groups.holds(presented.groups())).orElse(true)
          && serviceSignatures.map(wanted -> wanted.holds(presented.signatures())).orElse(true);
    }
  }

  /// A condition on the caller's groups or signatures: one of some names, all of some names, or
  /// both.
  public record Condition(Optional<List<String>> oneOf, Optional<List<String>> allOf) {
    public Condition {
      oneOf = oneOf.map(List::copyOf);
      allOf = allOf.map(List::copyOf);
    }

    /// An empty list holds for nobody, also where it asks for nothing.
    boolean holds(Set<String> names) {
      boolean any = oneOf.isPresent() || allOf.isPresent();
      return any
          && oneOf.map(wanted -> wanted.stream().anyMatch(names::contains)).orElse(true)
          && allOf.map(wanted -> !wanted.isEmpty() && names.containsAll(wanted)).orElse(true);
    }
  }

  /// The groups and signatures of a caller.
  public interface Credentials {
    /// The caller's groups, [#EVERYBODY] among them.
    Set<String> groups();

    /// The signatures of the services that the caller proved to be.
    Set<String> signatures();
  }

  public Acl {
    EnumMap<Action, List<Entry>> copy = new EnumMap<>(Action.class);
    entries.forEach((action, list) -> copy.put(action, List.copyOf(list)));
    entries = Collections.unmodifiableMap(copy);
  }

  /// The entries that decide on an action: its own; for `delete`, those of `write`. Absent if it
  /// has none: for `admin` that is the account's owner, for the others nobody.
  public Optional<List<Entry>> of(Action action) {
    Optional<List<Entry>> own = Optional.ofNullable(entries.get(action));
    return action == Action.DELETE
        ? own.or(() -> Optional.ofNullable(entries.get(Action.WRITE)))
        : own;
  }

  /// Whether some entry lets a caller in.
  public static boolean admits(Collection<Entry> entries, Credentials presented) {
    return entries.stream().anyMatch(entry -> entry.admits(presented));
  }
}
