package dev.veridex.access.compiled;

import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.compiled.RecordSet.Many;
import dev.veridex.access.compiled.RecordSet.One;
import dev.veridex.access.compiled.RecordSet.Some;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongConsumer;

/// Answers checks from a compiled index, one after the other: the steps of docs/access.md, in their
/// order, as in `Check`.
///
/// It takes no lock, reads nothing but memory, and keeps its work space from one question to the
/// next, so that a question allocates nothing once the space has grown as large as it needs. The
/// work space is why it belongs to one thread at a time. A subject's groups are found once for all
/// questions about it.
public final class CompiledCheck {
  public static final int ALL = 0xF;

  // Flags of a subject, besides its rights.
  private static final int OPEN_TO_EXCLUSION = 0x10;
  private static final int EXCLUSIVE = 0x20;

  /// Flag of a resource's group: its own groups do not count.
  private static final int NOT_FOLLOWED = 0x10;

  private static final int MARKER_EXCLUSIVE = 1;
  private static final int MARKER_IGNORES = 2;

  private static final int MARKED_SHIFT = 4;
  private static final int DENIED_SHIFT = 8;
  private static final int CLOSED_SHIFT = 12;

  static final int GRANTS = 1;
  static final int GRANTS_MARKED = 2;
  static final int DENIES = 4;
  static final int CLOSES = 8;

  private final CompiledIndex index;
  private final IdValues subjects = new IdValues();
  private final IdValues resources = new IdValues();
  private final IdValues filters = new IdValues();

  /// What is said of the groups that everything is in, if there will be many questions.
  private final IdValues everywhere = new IdValues();

  private boolean many;
  private int[] open = new int[16];
  private int openSize;
  private int[] implicit = new int[4];
  private int implicitSize;
  private int asked = IdDictionary.UNKNOWN;
  private int subject = IdDictionary.UNKNOWN;
  private boolean exclusive;

  // Made once, for a question allocates nothing.
  private final LongConsumer joining = this::join;
  private final LongConsumer excluding = this::exclude;
  private final LongConsumer reaching = this::reach;
  private final LongConsumer beingIn = this::isIn;
  private final LongConsumer activating = this::activate;

  private int reached;
  private boolean direct;
  private int ceiling;
  private int plain;
  private int marked;
  private int closed;
  private int denied;

  public CompiledCheck(CompiledIndex index) {
    this.index = index;
  }

  public CompiledIndex index() {
    return index;
  }

  public IdValues subjects() {
    return subjects;
  }

  IdValues resources() {
    return resources;
  }

  IdValues filters() {
    return filters;
  }

  /// Whether the subject is in any group exclusively.
  public boolean isExclusive() {
    return exclusive;
  }

  /// There will be many questions about this subject, with the same implicit groups.
  public void expectMany() {
    many = true;
    everywhere.clear();
  }

  /// Whether the subject is in one of those for whom it passes exclusively.
  public boolean isExclusiveAt(int place) {
    return (subjects.value(place) & EXCLUSIVE) != 0;
  }

  /// Whether the subject is in some group exclusively that not everything is in anyway.
  public boolean isKeptOut() {
    boolean any = false;
    for (int i = 0; i < subjects.size(); i++) {
      if (isExclusiveAt(i)) {
        if (isEverywhere(subjects.id(i))) {
          return false;
        }
        any = true;
      }
    }
    return any;
  }

  /// Whether any permission names the subject or one of its groups.
  public boolean isNamed() {
    for (int i = 0; i < subjects.size(); i++) {
      if (!index.entry(subjects.id(i)).objects().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /// The rights that it has as one of those for whom it passes.
  public int rightsAt(int place) {
    return subjects.value(place) & ALL;
  }

  /// About how much memory it takes.
  public long bytes() {
    return subjects.bytes() + resources.bytes() + filters.bytes() + everywhere.bytes();
  }

  /// Sets who would act in the questions that follow.
  public void subject(String name) {
    subject(index.dictionary().find(name));
  }

  /// Sets what every resource is in, in the questions that follow, without any statement.
  public void implicit(List<String> groups) {
    implicitSize = 0;
    for (int i = 0; i < groups.size(); i++) {
      int group = index.dictionary().find(groups.get(i));
      if (group != IdDictionary.UNKNOWN) {
        addImplicit(group);
      }
    }
  }

  private void addImplicit(int group) {
    if (implicitSize == implicit.length) {
      implicit = Arrays.copyOf(implicit, 2 * implicitSize);
    }
    implicit[implicitSize++] = group;
  }

  /// How many implicit groups there are that are known.
  public int implicitSize() {
    return implicitSize;
  }

  public int implicit(int place) {
    return implicit[place];
  }

  /// Whether every resource is in a group without any statement.
  public boolean isEverywhere(int group) {
    for (int i = 0; i < implicitSize; i++) {
      if (implicit[i] == group) {
        return true;
      }
    }
    return group == index.everything();
  }

  /// Sets the filter under which the questions that follow are asked; an empty one for none.
  public void filter(String name) {
    asked = name.isEmpty() ? IdDictionary.UNKNOWN : index.dictionary().find(name);
  }

  /// The groups that a subject is in, directly and through others.
  public Set<String> groups(String name) {
    subject(name);
    Set<String> groups = new HashSet<>();
    for (int i = 1; i < subjects.size(); i++) {
      groups.add(index.dictionary().name(subjects.id(i)));
    }
    return groups;
  }

  /// The rights on a resource.
  public int rights(CheckRequest request) {
    subject(request.subject());
    filter(request.filter().orElse(""));
    implicit(request.implicit());
    return rights(request.resource());
  }

  /// The rights of the subject that was named last.
  public int rights(String resource) {
    return rights(index.dictionary().find(resource));
  }

  /// The rights on a resource that is also in groups which its id tells by itself.
  int rights(int resource, Function<String, List<String>> folders) {
    if (resource == IdDictionary.UNKNOWN) {
      return rights(resource);
    }
    List<String> own = folders.apply(index.dictionary().name(resource));
    int size = implicitSize;
    for (int i = 0; i < own.size(); i++) {
      int group = index.dictionary().find(own.get(i));
      if (group != IdDictionary.UNKNOWN) {
        addImplicit(group);
      }
    }
    int rights = rights(resource);
    implicitSize = size;
    return rights;
  }

  /// Step 1: everybody for whom the subject passes, with the rights of the last membership.
  void subject(int id) {
    if (id == subject && id != IdDictionary.UNKNOWN) {
      return;
    }
    subject = id;
    subjects.clear();
    exclusive = false;
    if (id == IdDictionary.UNKNOWN) {
      return;
    }
    subjects.add(id, ALL);
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
    exclusive |= PackedRecord.marker(record) == MARKER_EXCLUSIVE;
    int place = subjects.find(PackedRecord.id(record));
    if (place < 0) {
      subjects.add(PackedRecord.id(record), rights);
    } else {
      subjects.set(place, subjects.value(place) | rights);
    }
  }

  /// For step 7: groups that the subject is in exclusively, unless beyond a membership that ignores
  /// such things.
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
    int place = subjects.find(PackedRecord.id(record));
    int value = subjects.value(place);
    if (PackedRecord.marker(record) == MARKER_EXCLUSIVE) {
      value |= EXCLUSIVE;
    }
    if (PackedRecord.marker(record) != MARKER_IGNORES && (value & OPEN_TO_EXCLUSION) == 0) {
      value |= OPEN_TO_EXCLUSION;
      push(place);
    }
    subjects.set(place, value);
  }

  private void push(int value) {
    if (openSize == open.length) {
      open = Arrays.copyOf(open, 2 * openSize);
    }
    open[openSize++] = value;
  }

  /// The rights on a resource, which may be one that the index does not know.
  public int rights(int resource) {
    return rights(resource, index.entry(resource));
  }

  /// The rights on a resource of a class.
  ///
  /// @param shape what is said of each of them; none of them is spoken of by name
  public int rights(IdRecords shape) {
    return rights(IdDictionary.UNKNOWN, shape);
  }

  private int rights(int resource, IdRecords own) {
    if (subject == IdDictionary.UNKNOWN) {
      // No record names it, and only those that do grant anything.
      return 0;
    }
    walk(resource, own);
    filters(own);
    plain = 0;
    marked = 0;
    closed = 0;
    denied = 0;
    for (int i = 0; i < resources.size(); i++) {
      grants(resources.id(i), resources.value(i) & ALL);
    }
    if (exclusive && direct && isExcluded()) {
      return 0;
    }
    return (marked | (plain & ~closed)) & ~denied;
  }

  /// Step 2: everything as which the resource passes. Restrictions add up along a way, ways are
  /// united.
  void walk(int resource, IdRecords own) {
    resources.clear();
    if (resource != IdDictionary.UNKNOWN) {
      resources.add(resource, ALL);
    }
    if (resource != index.everything()) {
      resources.add(index.everything(), ALL | NOT_FOLLOWED);
    }
    for (int i = 0; i < implicitSize; i++) {
      if (resources.find(implicit[i]) < 0) {
        resources.add(implicit[i], ALL | NOT_FOLLOWED);
      }
    }
    openSize = 0;
    reached = ALL;
    own.forEachMembership(reaching);
    while (openSize > 0) {
      int place = open[--openSize];
      reached = resources.value(place) & ALL;
      index.entry(resources.id(place)).forEachMembership(reaching);
    }
  }

  private void reach(long record) {
    if (PackedRecord.marker(record) == MARKER_EXCLUSIVE) {
      return;
    }
    int group = PackedRecord.id(record);
    int rights = PackedRecord.edge(record) & reached;
    int place = resources.find(group);
    if (place < 0) {
      if (rights != 0) {
        push(resources.size());
        resources.add(group, rights);
      }
      return;
    }
    int before = resources.value(place);
    if ((rights & ~before) != 0) {
      resources.set(place, before | rights);
      if ((before & NOT_FOLLOWED) == 0) {
        push(place);
      }
    }
  }

  /// Step 3: the filters on the resource and what it is directly in, and the one that is asked for.
  void filters(IdRecords own) {
    filters.clear();
    ceiling = ALL;
    direct = false;
    activate(own);
    own.forEachMembership(beingIn);
    for (int i = 0; i < implicitSize; i++) {
      activate(index.entry(implicit[i]));
    }
    if (asked != IdDictionary.UNKNOWN && filters.find(asked) < 0) {
      filters.add(asked, 0);
    }
  }

  private void isIn(long record) {
    if (PackedRecord.edge(record) != 0) {
      direct = true;
      activate(index.entry(PackedRecord.id(record)));
    }
  }

  private void activate(IdRecords object) {
    object.filters().forEach(activating);
  }

  private void activate(long record) {
    ceiling &= PackedRecord.granted(record);
    if (filters.find(PackedRecord.id(record)) < 0) {
      filters.add(PackedRecord.id(record), 0);
    }
  }

  /// Steps 4 to 6, for one of the things as which the resource passes.
  private void grants(int object, int reach) {
    IdRecords entry = index.entry(object);
    count(many && isEverywhere(object) ? saidOnce(object) : said(entry), reach, ceiling);
    if (filters.size() > 0) {
      filtered(entry.filtered(), reach);
    }
  }

  /// The permissions on what everything is in may be a great many.
  private int saidOnce(int object) {
    int place = everywhere.find(object);
    if (place < 0) {
      place = everywhere.size();
      everywhere.add(object, said(index.entry(object)));
    }
    return everywhere.value(place);
  }

  private int said(IdRecords object) {
    return said(object.permissions());
  }

  private void filtered(FilteredRecords filtered, int reach) {
    if (filtered.isEmpty()) {
      return;
    }
    for (int i = 0; i < filters.size(); i++) {
      count(said(filtered.permissions(filters.id(i))), reach, ALL);
    }
    if (asked != IdDictionary.UNKNOWN) {
      count(said(filtered.own(asked)), reach, ALL);
    }
  }

  /// What the records about an object say of the subject, for one right: [#GRANTS],
  /// [#GRANTS_MARKED], [#DENIES] and [#CLOSES].
  public int said(IdRecords object, int right) {
    return one(said(object), right);
  }

  /// The same of what was said, for one right.
  private static int one(int said, int right) {
    return ((said & right) == 0 ? 0 : GRANTS)
        | ((said >> MARKED_SHIFT & right) == 0 ? 0 : GRANTS_MARKED)
        | ((said >> DENIED_SHIFT & right) == 0 ? 0 : DENIES)
        | ((said >> CLOSED_SHIFT & right) == 0 ? 0 : CLOSES);
  }

  /// What one record says to somebody who has a single right of it.
  public static int heard(long record, int right) {
    return one(said(record, right), right);
  }

  /// Whether something said for a right gives it.
  public static boolean gives(int said) {
    boolean granted = (said & GRANTS_MARKED) != 0 || ((said & GRANTS) != 0 && (said & CLOSES) == 0);
    return granted && (said & DENIES) == 0;
  }

  /// What records say of the subject, whatever resource they are looked at for: four bits each of
  /// what is granted, granted by what is marked, denied, and closed to others.
  private int said(RecordSet records) {
    return switch (records) {
      case One(long record) -> said(record);
      case Some(long[] few) -> {
        int said = 0;
        for (long record : few) {
          said |= said(record);
        }
        yield said;
      }
      case Many many -> said(many);
    };
  }

  private int said(Many many) {
    int said = many.closed() << CLOSED_SHIFT;
    if (subjects.size() > many.size()) {
      for (long[] some : many.arrays()) {
        for (long record : some) {
          said |= said(record);
        }
      }
      return said;
    }
    for (int i = 0; i < subjects.size(); i++) {
      long record = many.find(subjects.id(i));
      if (record != PackedRecord.NONE) {
        said |= said(record, subjects.value(i));
      }
    }
    return said;
  }

  private int said(long record) {
    return PackedRecord.closed(record) << CLOSED_SHIFT
        | said(record, subjects.valueOf(PackedRecord.id(record)));
  }

  private static int said(long record, int subject) {
    int granted = PackedRecord.granted(record) & subject;
    return (PackedRecord.marker(record) == 0 ? granted : granted << MARKED_SHIFT)
        | (PackedRecord.denied(record) & subject) << DENIED_SHIFT;
  }

  /// @param under what filters leave of what is granted
  private void count(int said, int reach, int under) {
    plain |= said & reach & under;
    marked |= said >> MARKED_SHIFT & reach & under;
    denied |= said >> DENIED_SHIFT & reach;
    closed |= said >> CLOSED_SHIFT & reach;
  }

  /// Step 7.
  private boolean isExcluded() {
    boolean any = false;
    for (int i = 0; i < subjects.size(); i++) {
      any |= (subjects.value(i) & EXCLUSIVE) != 0;
    }
    for (int i = 0; i < resources.size(); i++) {
      if ((subjects.valueOf(resources.id(i)) & EXCLUSIVE) != 0) {
        return false;
      }
    }
    return any;
  }
}
