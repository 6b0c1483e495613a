package dev.veridex.access.compiled;

import dev.veridex.access.check.CheckRequest;
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

  private final CompiledIndex index;
  private LiveApprovals approvals;
  private final SubjectClosure closure;
  private final IdValues subjects;
  private final ResourceClosure passing;
  private final IdValues resources;
  private final IdValues filters = new IdValues();

  /// Effects of permissions on the groups that everything is in, cached if there will be many
  /// questions.
  private final IdValues everywhere = new IdValues();

  private boolean many;
  private int[] implicit = new int[4];
  private int implicitSize;
  private int asked = IdDictionary.UNKNOWN;

  // Made once, for a question allocates nothing.
  private final LongConsumer beingIn = this::isIn;
  private final LongConsumer activating = this::activate;

  private TimedRights approved = TimedRights.Many.NONE;
  private boolean direct;
  private int ceiling;
  private int plain;
  private int marked;
  private int closed;
  private int denied;

  /// Checks on statements and memberships alone.
  public CompiledCheck(CompiledIndex index) {
    this(index, LiveApprovals.NONE);
  }

  public CompiledCheck(CompiledIndex index, LiveApprovals approvals) {
    this.index = index;
    this.approvals = approvals;
    this.closure = new SubjectClosure(index);
    this.subjects = closure.ids();
    this.passing = new ResourceClosure(index);
    this.resources = passing.ids();
  }

  public CompiledIndex index() {
    return index;
  }

  LiveApprovals approvals() {
    return approvals;
  }

  /// Gives the subject that was named last approvals of its own, for the questions that follow.
  ///
  /// @param now at which it is looked what has ended
  public void approve(TimedRights own, long now) {
    approvals = new LiveApprovals(CompiledGrants.NONE, now);
    approved = own;
  }

  /// The number of the subject that was named last.
  int subject() {
    return closure.subject();
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
    return closure.isExclusive();
  }

  /// There will be many questions about this subject, with the same implicit groups.
  public void expectMany() {
    many = true;
    everywhere.clear();
  }

  /// Whether the subject is in one of those for whom it passes exclusively.
  public boolean isExclusiveAt(int position) {
    return closure.isExclusiveAt(position);
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
    return closure.isNamed();
  }

  /// The rights that it has as one of those for whom it passes.
  public int rightsAt(int position) {
    return subjects.value(position) & ALL;
  }

  /// About how much memory it takes.
  public long bytes() {
    return subjects.bytes() + passing.bytes() + filters.bytes() + everywhere.bytes();
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

  public int implicit(int position) {
    return implicit[position];
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

  /// Step 1: moves on to a subject.
  public void subject(int id) {
    closure.moveTo(id);
    approved = approvals.of(id);
  }

  /// The rights on a resource, which may be one that the index does not know.
  public int rights(int resource) {
    return rights(resource, index.entry(resource));
  }

  /// The rights on a resource that is also in some groups without any statement.
  ///
  /// @param resource [IdDictionary#UNKNOWN] if none of the records speaks of it by name
  public int rights(int resource, IdRecords own, int[] groups) {
    int size = implicitSize;
    for (int group : groups) {
      addImplicit(group);
    }
    int rights = rights(resource, own);
    implicitSize = size;
    return rights;
  }

  /// The rights on a resource of a class.
  ///
  /// @param shape what is said of each of them; none of them is spoken of by name
  public int rights(IdRecords shape) {
    return rights(IdDictionary.UNKNOWN, shape);
  }

  private int rights(int resource, IdRecords own) {
    if (!closure.isKnown()) {
      // No record names it, and only those that do grant anything.
      return 0;
    }
    walk(resource, own);
    filters(own);
    plain = approved.size() == 0 ? 0 : approved.rights(resource, approvals.now()) & ceiling;
    marked = 0;
    closed = 0;
    denied = 0;
    for (int i = 0; i < resources.size(); i++) {
      grants(resources.id(i), passing.rightsAt(i));
    }
    if (closure.isExclusive() && direct && closure.isExcludedFrom(resources)) {
      return 0;
    }
    return (marked | (plain & ~closed)) & ~denied;
  }

  /// Step 2: everything as which the resource passes.
  void walk(int resource, IdRecords own) {
    passing.moveTo(resource, own, implicit, implicitSize);
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
    count(many && isEverywhere(object) ? cachedEffect(object) : effect(entry), reach, ceiling);
    if (filters.size() > 0) {
      filtered(entry.filtered(), reach);
    }
  }

  /// The permissions on what everything is in may be a great many.
  private int cachedEffect(int object) {
    int position = everywhere.find(object);
    if (position < 0) {
      position = everywhere.size();
      everywhere.add(object, effect(index.entry(object)));
    }
    return everywhere.value(position);
  }

  private int effect(IdRecords object) {
    return closure.effectOf(object.permissions());
  }

  private void filtered(FilteredRecords filtered, int reach) {
    if (filtered.isEmpty()) {
      return;
    }
    for (int i = 0; i < filters.size(); i++) {
      count(closure.effectOf(filtered.permissions(filters.id(i))), reach, ALL);
    }
    if (asked != IdDictionary.UNKNOWN) {
      count(closure.effectOf(filtered.own(asked)), reach, ALL);
    }
  }

  /// The effect of the records about an object on a single right of the subject, as
  /// [PermissionBits].
  public int effect(IdRecords object, int right) {
    return PermissionBits.one(effect(object), right);
  }

  /// @param under what filters leave of what is granted
  private void count(int said, int reach, int under) {
    plain |= PermissionBits.granted(said) & reach & under;
    marked |= PermissionBits.marked(said) & reach & under;
    denied |= PermissionBits.denied(said) & reach;
    closed |= PermissionBits.closed(said) & reach;
  }
}
