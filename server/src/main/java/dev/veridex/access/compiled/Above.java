package dev.veridex.access.compiled;

/// What a subject hears of one right in the groups above resources: found out once for each group,
/// however many resources are in it.
///
/// It says what the check says, where that is a matter of grants and denials alone. Where there are
/// filters, exclusive memberships or circles it says nothing, and the check itself has to.
final class Above {
  /// The check has to say.
  static final int UNKNOWN = -1;

  /// Filters count for what is directly in a group.
  private static final int FILTERED = 16;

  private static final int UNDER_WAY = 32;
  private static final int DEEPEST = 200;

  private final CompiledCheck check;
  private final Compiled index;
  private final int right;
  private final Reach known = new Reach();
  private final int everywhere;
  private boolean able;
  private int depth;

  /// @param check whose subject and implicit groups are set
  Above(CompiledCheck check, int right) {
    this.check = check;
    this.index = check.index();
    this.right = right;
    this.able = !check.isExclusive() && Integer.bitCount(right) == 1;
    int said = check.said(index.entry(index.everything()), right);
    for (int i = 0; i < check.implicitSize(); i++) {
      Entry implicit = index.entry(check.implicit(i));
      able &= implicit.filters().isEmpty();
      said |= check.said(implicit, right);
    }
    this.everywhere = said;
  }

  /// What is said of a resource, by itself and by all that it is in; [#UNKNOWN] if the check has to
  /// say.
  int of(int id, Entry own) {
    if (!able || !own.filters().isEmpty()) {
      return UNKNOWN;
    }
    int said = everywhere | (id == Names.UNKNOWN ? 0 : check.said(own, right));
    said |= groups(own);
    return able && (said & FILTERED) == 0 ? said : UNKNOWN;
  }

  /// What is said of the groups that something is in. That one of them has filters is told, too.
  private int groups(Entry member) {
    if (member.onlyMembership() != Packed.NONE) {
      return group(member.onlyMembership());
    }
    int[] said = {0};
    member.memberships().forEach(record -> said[0] |= group(record));
    return said[0];
  }

  private int group(long membership) {
    if (Packed.edge(membership) == 0) {
      return 0;
    }
    int above = above(Packed.id(membership));
    boolean reaches =
        Packed.marker(membership) != Packed.EXCLUSIVE && (Packed.edge(membership) & right) != 0;
    return reaches ? above : above & FILTERED;
  }

  private int above(int group) {
    int place = known.find(group);
    if (place >= 0) {
      // In a circle, what is above depends on where one begins.
      able &= known.value(place) != UNDER_WAY;
      return known.value(place);
    }
    place = known.size();
    known.add(group, UNDER_WAY);
    depth++;
    able &= depth < DEEPEST;
    Entry entry = index.entry(group);
    int said = check.said(entry, right);
    // What everything is in is not followed any further.
    if (able && !check.isEverywhere(group)) {
      said |= groups(entry) & ~FILTERED;
    }
    depth--;
    said |= entry.filters().isEmpty() ? 0 : FILTERED;
    known.set(place, said);
    return said;
  }
}
