package dev.veridex.access.compiled;

import dev.veridex.access.compiled.Compiled.Table;
import java.util.List;
import java.util.function.IntConsumer;

/// Who and what could have other rights in one state of an index than in another: never fewer than
/// have, as few as can be told without asking.
final class Affected {
  private final List<Compiled> states;
  private final CompiledCheck implicit;
  private final Reach subjects = new Reach();
  private final Reach resources = new Reach();
  private boolean everybody;
  private boolean everything;

  /// @param implicit knows what every resource is in
  Affected(Compiled before, Compiled after, CompiledCheck implicit) {
    this.states = List.of(before, after);
    this.implicit = implicit;
  }

  Reach subjects() {
    if (everybody) {
      all(subjects, Affected::isSubject);
    }
    return subjects;
  }

  Reach resources() {
    if (everything) {
      all(resources, Entry::isObject);
    }
    return resources;
  }

  private static boolean isSubject(Entry entry) {
    return !entry.objects().isEmpty() || !entry.memberships().isEmpty();
  }

  private interface Kind {
    boolean is(Entry entry);
  }

  private void all(Reach to, Kind kind) {
    for (Compiled state : states) {
      for (int id = 0; id < state.dictionary().size(); id++) {
        if (kind.is(state.entry(id)) && to.find(id) < 0) {
          to.add(id, 0);
        }
      }
    }
  }

  /// Takes notice of a record that is not the same in both.
  void changed(Table table, String filter, int object, int subject) {
    switch (table) {
      case PERMISSION -> permission(object, subject);
      case MEMBERSHIP -> membership(object, subject);
      case FILTER -> {
        if (filter.isEmpty()) {
          filter(object);
        } else {
          permission(object, subject);
        }
      }
    }
  }

  private void permission(int object, int subject) {
    resources(object);
    down(subjects, subject, false);
    for (Compiled state : states) {
      // Whoever it closed something to, or opens it to again.
      everybody |= state.entry(object).closes();
    }
  }

  /// All that passes as something.
  private void resources(int object) {
    everything |= object == states.getFirst().everything();
    for (int i = 0; i < implicit.implicitSize(); i++) {
      everything |= object == implicit.implicit(i);
    }
    down(resources, object, true);
  }

  private void filter(int object) {
    everybody = true;
    resources(object);
  }

  /// As a subject, the member has other rights on what its groups have rights on; as a resource,
  /// those have other rights on it whom its groups name.
  private void membership(int member, int group) {
    down(subjects, member, false);
    down(resources, member, false);
    for (Compiled state : states) {
      Reach above = above(state, group);
      for (int i = 0; i < above.size(); i++) {
        Entry entry = state.entry(above.id(i));
        each(entry.objects(), this::resources);
        named(entry, subject -> down(subjects, subject, false));
        everybody |= entry.closes() || !entry.filters().isEmpty();
      }
      if (!state.exclusive().isEmpty()) {
        everything = true;
        each(state.exclusive(), id -> down(subjects, id, false));
      }
    }
  }

  /// A group and all that it is in.
  private static Reach above(Compiled state, int group) {
    Reach above = new Reach();
    above.add(group, 0);
    for (int i = 0; i < above.size(); i++) {
      each(
          state.entry(above.id(i)).memberships(),
          id -> {
            if (above.find(id) < 0) {
              above.add(id, 0);
            }
          });
    }
    return above;
  }

  private static void named(Entry entry, IntConsumer visitor) {
    each(entry.permissions(), visitor);
    for (RecordSet set : entry.filtered().permissions()) {
      each(set, visitor);
    }
  }

  private static void each(RecordSet set, IntConsumer visitor) {
    set.forEach(record -> visitor.accept(Packed.id(record)));
  }

  /// Adds something and all that is in it, in either state.
  private void down(Reach to, int id, boolean folders) {
    for (Compiled state : states) {
      Gathering gathered = new Gathering(state, Integer.MAX_VALUE);
      gathered.add(id);
      gathered.follow(folders);
      for (int i = 0; i < gathered.size(); i++) {
        if (to.find(gathered.id(i)) < 0) {
          to.add(gathered.id(i), 0);
        }
      }
    }
  }
}
