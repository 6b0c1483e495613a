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
  private final boolean plain;
  private final @Nullable Said said;
  private final int everywhere;

  /// What is known of groups, by id, plus one. Nothing but what is so for sure: others may read it
  /// at any time.
  private final Bytes known;

  private volatile boolean able;
  private int depth;

  /// @param check whose subject and implicit groups are set
  /// @param most so many permissions of the subject are looked at beforehand
  Above(CompiledCheck check, int right, int most) {
    this.check = check;
    this.index = check.index();
    this.right = right;
    this.known = new Bytes(index.bound());
    boolean grantsAlone = !check.isExclusive() && Integer.bitCount(right) == 1;
    int heard = check.said(index.entry(index.everything()), right);
    for (int i = 0; i < check.implicitSize(); i++) {
      Entry implicit = index.entry(check.implicit(i));
      grantsAlone &= implicit.filters().isEmpty();
      heard |= check.said(implicit, right);
    }
    this.everywhere = heard;
    this.plain = grantsAlone;
    this.able = plain;
    this.said = plain ? Said.of(check, right, most) : null;
  }

  /// Whether it can say anything.
  boolean isAble() {
    return able;
  }

  /// What is said of a resource of its own class, if that is known already; else [#UNKNOWN]. Many
  /// may ask at a time.
  ///
  /// @param lone whether that is a matter of permissions on itself
  int known(int id, boolean lone) {
    if (said != null && lone) {
      return everywhere | said.of(id);
    }
    int heard = known.get(id) - 1;
    boolean sure = heard >= 0 && heard < FILTERED && !check.isEverywhere(id);
    return sure ? everywhere | heard : UNKNOWN;
  }

  /// What is said of whatever just is in a group, if that is known already; else [#UNKNOWN]. Many
  /// may ask at a time.
  ///
  /// @param lone whether that is a matter of permissions on the group itself
  int knownIn(int group, boolean lone) {
    if (said != null && lone) {
      return everywhere | said.of(group);
    }
    int heard = known.get(group) - 1;
    boolean sure = heard >= 0 && heard < UNDER_WAY && (heard & FILTERED) == 0;
    return sure ? everywhere | (heard & ~IN_FILTERED) : UNKNOWN;
  }

  /// What is said of a resource, by itself and by all that it is in; [#UNKNOWN] if the check has to
  /// say. One at a time may ask.
  int of(int id, Entry own) {
    if (!able || !own.filters().isEmpty()) {
      return UNKNOWN;
    }
    // What is above a group is above what is in it; but what everything is in has groups of its own
    // only when it is asked for itself.
    int heard =
        id == Names.UNKNOWN || check.isEverywhere(id)
            ? groups(own) | (id == Names.UNKNOWN ? 0 : said(id, own))
            : above(id);
    return able && (heard & (FILTERED | IN_FILTERED)) == 0 ? everywhere | heard : UNKNOWN;
  }

  private int said(int id, Entry object) {
    return said != null && object.permissions().closed() == 0
        ? said.of(id)
        : check.said(object, right);
  }

  /// What is said of the groups that something is in. That one of them has filters is told, too.
  private int groups(Entry member) {
    if (member.onlyMembership() != Packed.NONE) {
      return group(member.onlyMembership());
    }
    int[] heard = {0};
    member.memberships().forEach(record -> heard[0] |= group(record));
    return heard[0];
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
    int before = known.get(group) - 1;
    if (before >= 0) {
      // In a circle, what is above depends on where one begins.
      able &= before != UNDER_WAY;
      return before;
    }
    known.set(group, UNDER_WAY + 1);
    depth++;
    able &= depth < DEEPEST;
    Entry entry = index.entry(group);
    int heard = said(group, entry);
    // What everything is in is not followed any further.
    if (able && !check.isEverywhere(group)) {
      int groups = groups(entry);
      heard |= groups & ~FILTERED;
      heard |= (groups & FILTERED) == 0 ? 0 : IN_FILTERED;
    }
    depth--;
    heard |= entry.filters().isEmpty() ? 0 : FILTERED;
    known.set(group, able ? heard + 1 : 0);
    return heard;
  }

  /// About how much memory it takes by now.
  long bytes() {
    return 80 + known.bytes() + (said == null ? 0 : said.bytes());
  }
}
