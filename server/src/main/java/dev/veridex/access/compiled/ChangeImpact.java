package dev.veridex.access.compiled;

import dev.veridex.access.compiled.CompiledIndex.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntConsumer;

/// The subjects and resources whose rights may differ between two states of an index: a superset of
/// those that differ, as small as can be told without checks.
final class ChangeImpact {
  private final List<Side> sides;
  private final CompiledCheck implicit;
  private boolean everybody;
  private boolean everything;

  /// @param implicit knows what every resource is in, and approvals
  ChangeImpact(CompiledIndex before, CompiledIndex after, CompiledCheck implicit) {
    IdDictionary.Order order = after.dictionary().order();
    this.sides = List.of(new Side(before, order), new Side(after, order));
    this.implicit = implicit;
  }

  IdValues subjects() {
    return united(everybody, this::isSubject, side -> side.subjects);
  }

  IdValues resources() {
    return united(
        everything,
        (id, entry) -> entry.isObject() || implicit.approvals().isObject(id),
        side -> side.resources);
  }

  private boolean isSubject(int id, IdRecords entry) {
    return !entry.objects().isEmpty()
        || !entry.memberships().isEmpty()
        || implicit.approvals().isSubject(id);
  }

  private interface Kind {
    boolean is(int id, IdRecords entry);
  }

  /// What was found in both states, or all of a kind.
  private IdValues united(boolean all, Kind kind, Function<Side, MemberClosure> found) {
    IdValues to = new IdValues();
    for (Side side : sides) {
      MemberClosure some = found.apply(side);
      int count = all ? side.state.dictionary().size() : some.size();
      for (int i = 0; i < count; i++) {
        int id = all ? i : some.id(i);
        if ((!all || kind.is(id, side.state.entry(id))) && to.find(id) < 0) {
          to.add(id, 0);
        }
      }
    }
    return to;
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
    subject(subject);
    for (Side side : sides) {
      // Whoever it closed something to, or opens it to again.
      everybody |= side.state.entry(object).closes();
    }
  }

  /// All that passes as something.
  private void resources(int object) {
    everything |= object == sides.getFirst().state.everything();
    for (int i = 0; i < implicit.implicitSize(); i++) {
      everything |= object == implicit.implicit(i);
    }
    resource(object);
  }

  private void filter(int object) {
    everybody = true;
    resources(object);
  }

  /// As a subject, the member has other rights on what its groups have rights on; as a resource,
  /// those have other rights on it whom its groups name.
  private void membership(int member, int group) {
    subject(member);
    resource(member);
    for (Side side : sides) {
      for (int id : above(side.state, side.above, group)) {
        IdRecords entry = side.state.entry(id);
        each(entry.objects(), this::resources);
        named(entry, this::subject);
        everybody |= entry.closes() || !entry.filters().isEmpty();
      }
      if (!side.exclusive && !side.state.exclusive().isEmpty()) {
        side.exclusive = true;
        everything = true;
        each(side.state.exclusive(), this::subject);
      }
    }
  }

  /// A group and all that it is in, as far as nobody looked at it before.
  private static List<Integer> above(CompiledIndex state, IdValues seen, int group) {
    List<Integer> above = new ArrayList<>();
    visit(seen, above, group);
    for (int i = 0; i < above.size(); i++) {
      state
          .entry(above.get(i))
          .memberships()
          .forEach(record -> visit(seen, above, PackedRecord.id(record)));
    }
    return above;
  }

  private static void visit(IdValues seen, List<Integer> found, int id) {
    if (seen.find(id) < 0) {
      seen.add(id, 0);
      found.add(id);
    }
  }

  private static void named(IdRecords entry, IntConsumer visitor) {
    each(entry.permissions(), visitor);
    for (RecordSet set : entry.filtered().permissions()) {
      each(set, visitor);
    }
  }

  private static void each(RecordSet set, IntConsumer visitor) {
    set.forEach(record -> visitor.accept(PackedRecord.id(record)));
  }

  /// The traversal of one of the two states: nothing is followed twice.
  private static final class Side {
    private final CompiledIndex state;
    private final MemberClosure subjects;
    private final MemberClosure resources;
    private final IdValues above = new IdValues();
    private boolean exclusive;

    private Side(CompiledIndex state, IdDictionary.Order order) {
      this.state = state;
      this.subjects = new MemberClosure(state, order, Integer.MAX_VALUE);
      this.resources = new MemberClosure(state, order, Integer.MAX_VALUE);
    }
  }

  /// Adds a subject and all who are in it, in either state.
  private void subject(int id) {
    for (Side side : sides) {
      side.subjects.add(id);
      side.subjects.follow(false);
    }
  }

  /// Adds a resource and all that is in it, in either state.
  private void resource(int id) {
    for (Side side : sides) {
      side.resources.add(id);
      side.resources.follow(true);
    }
  }
}
