package dev.veridex.access.compiled;

import dev.veridex.access.compiled.CompiledIndex.Table;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Makes the next state of an index out of one: copies the pages that it touches, each once.
public final class AccessIndexEdit {
  private final CompiledIndex from;
  private final IdDictionary names;
  private @Nullable IdRecords[][] pages;
  private boolean[] own;
  private RecordSet restricting;
  private RecordSet exclusive;
  private int entries;
  private long records;
  private long bytes;

  AccessIndexEdit(CompiledIndex from) {
    this.from = from;
    this.names = from.dictionary();
    this.pages = from.pages().clone();
    this.own = new boolean[pages.length];
    this.restricting = from.restricting();
    this.exclusive = from.exclusive();
    this.entries = from.entries();
    this.records = from.records();
    this.bytes = from.entryBytes();
  }

  /// Puts a record, whatever it was.
  ///
  /// @param filter under which it holds; empty for none
  /// @param marker 0 for none, 1 for exclusive, 2 for what counts all the same
  /// @param bits what it grants, and four positions higher what it denies
  public AccessIndexEdit put(
      Table table, String filter, String object, String subject, int marker, int bits) {
    int id = names.intern(subject);
    change(table, filter, names.intern(object), id, PackedRecord.of(id, marker, bits));
    return this;
  }

  /// Removes a record.
  public AccessIndexEdit remove(Table table, String filter, String object, String subject) {
    int on = names.find(object);
    int id = names.find(subject);
    if (on != IdDictionary.UNKNOWN && id != IdDictionary.UNKNOWN) {
      change(table, filter, on, id, PackedRecord.NONE);
    }
    return this;
  }

  /// Says whether a live relationship puts something into a group, whatever statements say.
  public AccessIndexEdit relate(int member, int group, boolean live) {
    long before = entry(member).memberships().find(group);
    membership(
        member, group, live ? PackedRecord.related(group, before) : PackedRecord.unrelated(before));
    return this;
  }

  /// The number of a name, or [IdDictionary#UNKNOWN].
  public int find(String name) {
    return names.find(name);
  }

  /// The number of a name, which is entered if it is new.
  public int intern(String name) {
    return names.intern(name);
  }

  /// About how much memory the state with all changes takes.
  public long bytes() {
    return done().bytes();
  }

  /// The state with all changes.
  public CompiledIndex done() {
    return new CompiledIndex(
        names, from.everything(), pages, restricting, exclusive, entries, records, bytes);
  }

  private void change(Table table, String filter, int object, int subject, long record) {
    switch (table) {
      case MEMBERSHIP ->
          membership(
              object,
              subject,
              PackedRecord.stated(entry(object).memberships().find(subject), record));
      case PERMISSION -> {
        if (filter.isEmpty()) {
          update(
              object,
              entry -> entry.withPermissions(changed(entry.permissions(), subject, record)));
        } else {
          filtered(filter, object, subject, record, true);
        }
        permitted(object, subject);
      }
      case FILTER -> {
        if (filter.isEmpty()) {
          update(object, entry -> entry.withFilters(changed(entry.filters(), subject, record)));
        } else {
          filtered(filter, object, subject, record, false);
          permitted(object, subject);
        }
      }
    }
  }

  private void membership(int member, int group, long record) {
    update(member, entry -> entry.withMemberships(changed(entry.memberships(), group, record)));
    update(group, entry -> entry.withMembers(mirrored(entry.members(), member, record)));
  }

  private void filtered(String filter, int object, int subject, long record, boolean permission) {
    int name = names.intern(filter);
    update(
        object,
        entry -> {
          FilteredRecords all = entry.filtered();
          RecordSet permissions = all.permissions(name);
          RecordSet ownOnes = all.own(name);
          return entry.withFiltered(
              permission
                  ? all.with(name, changed(permissions, subject, record), ownOnes)
                  : all.with(name, permissions, changed(ownOnes, subject, record)));
        });
  }

  /// A subject has permissions on an object as long as any record says so. From the subject's side,
  /// a record says the same as from the object's; where it only holds under filters, nothing.
  private void permitted(int object, int subject) {
    IdRecords on = entry(object);
    if (on.permits(subject)) {
      long plain = on.permissions().find(subject);
      long mirror =
          plain == PackedRecord.NONE
              ? PackedRecord.of(object, 0, 0)
              : PackedRecord.to(object, plain);
      update(subject, entry -> entry.withObjects(entry.objects().with(mirror)));
    } else {
      update(subject, entry -> entry.withObjects(entry.objects().without(object)));
    }
  }

  /// Counts what comes and goes.
  private RecordSet changed(RecordSet set, int id, long record) {
    RecordSet next = record == PackedRecord.NONE ? set.without(id) : set.with(record);
    records += next.size() - set.size();
    return next;
  }

  private static RecordSet marked(RecordSet set, int id, boolean before, boolean after) {
    if (before == after) {
      return set;
    }
    return after ? set.with(PackedRecord.of(id, 0, 0)) : set.without(id);
  }

  private static RecordSet mirrored(RecordSet set, int id, long record) {
    if (record == PackedRecord.NONE) {
      return set.without(id);
    }
    return set.find(id) == PackedRecord.NONE ? set.with(PackedRecord.of(id, 0, 0)) : set;
  }

  private IdRecords entry(int id) {
    int page = id >> CompiledIndex.PAGE_SHIFT;
    if (page >= pages.length) {
      return IdRecords.NONE;
    }
    IdRecords found = pages[page][id & (CompiledIndex.PAGE - 1)];
    return found == null ? IdRecords.NONE : found;
  }

  private void update(int id, UnaryOperator<IdRecords> change) {
    IdRecords before = entry(id);
    IdRecords after = change.apply(before);
    int page = id >> CompiledIndex.PAGE_SHIFT;
    if (page >= pages.length) {
      int length = pages.length;
      pages = Arrays.copyOf(pages, page + 1);
      own = Arrays.copyOf(own, page + 1);
      for (int i = length; i <= page; i++) {
        pages[i] = new IdRecords[CompiledIndex.PAGE];
        own[i] = true;
      }
    }
    if (!own[page]) {
      pages[page] = pages[page].clone();
      own[page] = true;
    }
    pages[page][id & (CompiledIndex.PAGE - 1)] = after.isEmpty() ? null : after;
    entries += (after.isEmpty() ? 0 : 1) - (before.isEmpty() ? 0 : 1);
    bytes += after.bytes() - before.bytes();
    restricting = marked(restricting, id, before.restricts(), after.restricts());
    exclusive = marked(exclusive, id, before.isExclusive(), after.isExclusive());
  }
}
