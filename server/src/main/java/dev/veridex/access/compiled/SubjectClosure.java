package dev.veridex.access.compiled;

import dev.veridex.access.compiled.RecordSet.Many;
import dev.veridex.access.compiled.RecordSet.One;
import dev.veridex.access.compiled.RecordSet.Some;
import java.util.Arrays;
import java.util.function.LongConsumer;

/// Step 1 of the check: the groups that a subject reaches, with the rights of the last membership;
/// and for step 7, those that it is in exclusively.
///
/// A work space: it allocates nothing once it has grown, and belongs to one thread at a time.
final class SubjectClosure {
  // Flags of a subject, besides its rights.
  private static final int OPEN_TO_EXCLUSION = 0x10;
  private static final int EXCLUSIVE = 0x20;

  private final CompiledIndex index;
  private final IdValues subjects = new IdValues();
  private int[] open = new int[16];
  private int openSize;
  private int subject = IdDictionary.UNKNOWN;
  private boolean exclusive;

  // Made once, for a check allocates nothing.
  private final LongConsumer joining = this::join;
  private final LongConsumer excluding = this::exclude;

  SubjectClosure(CompiledIndex index) {
    this.index = index;
  }

  /// The subject and its groups, with the rights that it has as each of them.
  IdValues ids() {
    return subjects;
  }

  /// The number of the subject.
  int subject() {
    return subject;
  }

  /// Whether the index knows the subject.
  boolean isKnown() {
    return subject != IdDictionary.UNKNOWN;
  }

  /// Whether the subject is in any group exclusively.
  boolean isExclusive() {
    return exclusive;
  }

  /// Whether the subject is in the group at a position exclusively.
  boolean isExclusiveAt(int position) {
    return (subjects.value(position) & EXCLUSIVE) != 0;
  }

  /// Whether the subject is exclusively in groups, and in none of these.
  boolean isExcludedFrom(IdValues groups) {
    boolean any = false;
    for (int i = 0; i < subjects.size(); i++) {
      any |= isExclusiveAt(i);
    }
    for (int i = 0; i < groups.size(); i++) {
      if ((subjects.valueOf(groups.id(i)) & EXCLUSIVE) != 0) {
        return false;
      }
    }
    return any;
  }

  /// Moves on to a subject; the same as before costs nothing.
  void moveTo(int id) {
    if (id == subject && id != IdDictionary.UNKNOWN) {
      return;
    }
    subject = id;
    subjects.clear();
    exclusive = false;
    if (id == IdDictionary.UNKNOWN) {
      return;
    }
    subjects.add(id, CompiledCheck.ALL);
    for (int i = 0; i < subjects.size(); i++) {
      index.entry(subjects.id(i)).forEachMembership(joining);
    }
    if (exclusive) {
      exclude();
    }
  }

  private void join(long record) {
    int rights = PackedRecord.edge(record);
    if (rights == 0) {
      return;
    }
    exclusive |= PackedRecord.excludes(record);
    int position = subjects.find(PackedRecord.id(record));
    if (position < 0) {
      subjects.add(PackedRecord.id(record), rights);
    } else {
      subjects.set(position, subjects.value(position) | rights);
    }
  }

  /// Groups that the subject is in exclusively, unless beyond a membership that ignores such
  /// things.
  private void exclude() {
    openSize = 0;
    subjects.set(0, subjects.value(0) | OPEN_TO_EXCLUSION);
    push(0);
    while (openSize > 0) {
      index.entry(subjects.id(open[--openSize])).forEachMembership(excluding);
    }
  }

  private void exclude(long record) {
    if (PackedRecord.edge(record) == 0) {
      return;
    }
    int position = subjects.find(PackedRecord.id(record));
    int value = subjects.value(position);
    if (PackedRecord.excludes(record)) {
      value |= EXCLUSIVE;
    }
    if (PackedRecord.opens(record) && (value & OPEN_TO_EXCLUSION) == 0) {
      value |= OPEN_TO_EXCLUSION;
      push(position);
    }
    subjects.set(position, value);
  }

  private void push(int value) {
    if (openSize == open.length) {
      open = Arrays.copyOf(open, 2 * openSize);
    }
    open[openSize++] = value;
  }

  /// Whether any permission names the subject or one of its groups.
  boolean isNamed() {
    for (int i = 0; i < subjects.size(); i++) {
      if (!index.entry(subjects.id(i)).objects().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /// The effect of records on the subject, as [PermissionBits].
  int effectOf(RecordSet records) {
    return switch (records) {
      case One(long record) -> effectOf(record);
      case Some(long[] few) -> {
        int said = 0;
        for (long record : few) {
          said |= effectOf(record);
        }
        yield said;
      }
      case Many many -> effectOf(many);
    };
  }

  private int effectOf(Many many) {
    int said = PermissionBits.closing(many.closed());
    if (subjects.size() > many.size()) {
      for (long[] some : many.arrays()) {
        for (long record : some) {
          said |= effectOf(record);
        }
      }
      return said;
    }
    for (int i = 0; i < subjects.size(); i++) {
      long record = many.find(subjects.id(i));
      if (record != PackedRecord.NONE) {
        said |= PermissionBits.of(record, subjects.value(i));
      }
    }
    return said;
  }

  private int effectOf(long record) {
    return PermissionBits.closing(PackedRecord.closed(record))
        | PermissionBits.of(record, subjects.valueOf(PackedRecord.id(record)));
  }
}
