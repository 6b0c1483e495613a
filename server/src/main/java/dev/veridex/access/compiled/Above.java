package dev.veridex.access.compiled;

import org.jspecify.annotations.Nullable;

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

  /// Something is directly in a group with filters.
  private static final int IN_FILTERED = 32;

  private static final int UNDER_WAY = 64;
  private static final int DEEPEST = 200;

  private final CompiledCheck check;
  private final Compiled index;
  private final int right;

  /// What is known of groups, by id, plus one.
  private final byte[] @Nullable [] known;

  private final int everywhere;
  private boolean able;
  private int depth;

  /// @param check whose subject and implicit groups are set
  Above(CompiledCheck check, int right) {
    this.check = check;
    this.index = check.index();
    this.right = right;
    this.known = new byte[index.pages().length][];
    this.able = !check.isExclusive() && Integer.bitCount(right) == 1;
    int said = check.said(index.entry(index.everything()), right);
    for (int i = 0; i < check.implicitSize(); i++) {
      Entry implicit = index.entry(check.implicit(i));
      able &= implicit.filters().isEmpty();
      said |= check.said(implicit, right);
    }
    this.everywhere = said;
  }

  /// Whether it can say anything.
  boolean isAble() {
    return able;
  }

  /// What is said of a resource, by itself and by all that it is in; [#UNKNOWN] if the check has to
  /// say.
  int of(int id, Entry own) {
    if (!able || !own.filters().isEmpty()) {
      return UNKNOWN;
    }
    // What is above a group is above what is in it; but what everything is in has groups of its own
    // only when it is asked for itself.
    int said =
        id == Names.UNKNOWN || check.isEverywhere(id)
            ? groups(own) | (id == Names.UNKNOWN ? 0 : check.said(own, right))
            : above(id);
    return able && (said & (FILTERED | IN_FILTERED)) == 0 ? everywhere | said : UNKNOWN;
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
    return reaches ? above & ~IN_FILTERED : above & FILTERED;
  }

  private int above(int group) {
    int page = group >> Compiled.PAGE_SHIFT;
    int place = group & (Compiled.PAGE - 1);
    if (page >= known.length) {
      return 0;
    }
    byte[] here = known[page];
    if (here == null) {
      here = new byte[Compiled.PAGE];
      known[page] = here;
    }
    if (here[place] != 0) {
      int said = here[place] - 1;
      // In a circle, what is above depends on where one begins.
      able &= said != UNDER_WAY;
      return said;
    }
    here[place] = UNDER_WAY + 1;
    depth++;
    able &= depth < DEEPEST;
    Entry entry = index.entry(group);
    int said = check.said(entry, right);
    // What everything is in is not followed any further.
    if (able && !check.isEverywhere(group)) {
      int groups = groups(entry);
      said |= groups & ~FILTERED;
      said |= (groups & FILTERED) == 0 ? 0 : IN_FILTERED;
    }
    depth--;
    said |= entry.filters().isEmpty() ? 0 : FILTERED;
    here[place] = (byte) (said + 1);
    return said;
  }
}
