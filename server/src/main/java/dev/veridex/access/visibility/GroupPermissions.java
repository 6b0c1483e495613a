package dev.veridex.access.visibility;

import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.IdDictionary;
import dev.veridex.access.compiled.IdRecords;
import dev.veridex.access.compiled.PackedRecord;
import dev.veridex.access.compiled.SparseBytes;
import org.jspecify.annotations.Nullable;

/// The permissions of a subject for one right on the groups above resources, computed once for each
/// group, however many resources are in it.
///
/// It says what the check says, where that is a matter of grants and denials alone. Where there are
/// filters, exclusive memberships, circles, too many groups one above the other, or several rights
/// at once, it says nothing, and the check itself has to.
final class GroupPermissions {
  /// The check has to say.
  static final int UNKNOWN = -1;

  /// Filters count for what is directly in a group.
  private static final int FILTERED = 16;

  /// Something is directly in a group with filters.
  private static final int IN_FILTERED = 32;

  /// What is above cannot be told here: it is a circle, or too high.
  private static final int UNSURE = 64;

  private static final int UNDER_WAY = 126;
  private static final int DEEPEST = 200;

  private final CompiledCheck check;
  private final CompiledIndex index;
  private final int right;
  private final boolean plain;
  private final boolean broad;
  private final @Nullable SubjectPermissions said;
  private final int everywhere;

  /// What is known of groups, by id, plus one. Others may read it at any time: what is not finished
  /// is not taken for known.
  private final SparseBytes known;

  private volatile boolean unsure;
  private int depth;

  /// @param check whose subject and implicit groups are set
  /// @param most so many permissions of the subject are looked at beforehand
  GroupPermissions(CompiledCheck check, int right, int most) {
    this.check = check;
    this.index = check.index();
    this.right = right;
    this.known = new SparseBytes(index.bound());
    this.said = SubjectPermissions.of(check, right, most);
    boolean grantsAlone = !check.isExclusive() && Integer.bitCount(right) == 1;
    boolean named = isNamed(index.everything());
    int heard = check.effect(index.entry(index.everything()), right);
    for (int i = 0; i < check.implicitSize(); i++) {
      IdRecords implicit = index.entry(check.implicit(i));
      grantsAlone &= implicit.filters().isEmpty();
      named |= isNamed(check.implicit(i));
      heard |= check.effect(implicit, right);
    }
    this.plain = grantsAlone;
    this.broad = named;
    this.everywhere = heard;
  }

  private boolean isNamed(int id) {
    return said == null || said.isNamed(id);
  }

  /// Whether it could say everything so far that it was asked.
  boolean isAble() {
    return plain && !unsure;
  }

  /// What is said of a resource of its own class, if that is known already; else [#UNKNOWN]. Many
  /// may ask at a time.
  ///
  /// @param lone whether that is a matter of permissions on itself
  int known(int id, boolean lone) {
    if (lone && said != null) {
      return ofLone(said, id);
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
    if (lone && said != null) {
      return ofLone(said, group);
    }
    int heard = known.get(group) - 1;
    boolean sure = heard >= 0 && heard < UNSURE && (heard & FILTERED) == 0;
    return sure ? everywhere | (heard & ~IN_FILTERED) : UNKNOWN;
  }

  /// Where more counts than grants and denials, it is still known that nothing gives nothing.
  private int ofLone(SubjectPermissions all, int id) {
    if (plain) {
      return everywhere | all.of(id);
    }
    return broad || all.isNamed(id) ? UNKNOWN : 0;
  }

  /// What is said of a resource, by itself and by all that it is in; [#UNKNOWN] if the check has to
  /// say. One at a time may ask.
  int of(int id, IdRecords own) {
    if (!plain || !own.filters().isEmpty()) {
      return UNKNOWN;
    }
    // What is above a group is above what is in it; but what everything is in has groups of its own
    // only when it is asked for itself.
    int heard =
        id == IdDictionary.UNKNOWN || check.isEverywhere(id)
            ? groups(own) | (id == IdDictionary.UNKNOWN ? 0 : said(id, own))
            : above(id);
    return heard < FILTERED ? everywhere | heard : UNKNOWN;
  }

  /// What is said of groups that a resource is in without any statement, besides what it is in
  /// anyway; [#UNKNOWN] if the check has to say.
  int ofImplicit(int[] groups) {
    int heard = everywhere;
    for (int group : groups) {
      IdRecords entry = index.entry(group);
      if (!plain || !entry.filters().isEmpty()) {
        return UNKNOWN;
      }
      heard |= check.effect(entry, right);
    }
    return heard;
  }

  private int said(int id, IdRecords object) {
    return said != null && object.permissions().closed() == 0
        ? said.of(id)
        : check.effect(object, right);
  }

  /// What is said of the groups that something is in. That one of them has filters is told, too.
  private int groups(IdRecords member) {
    if (member.onlyMembership() != PackedRecord.NONE) {
      return group(member.onlyMembership());
    }
    int[] heard = {0};
    member.memberships().forEach(record -> heard[0] |= group(record));
    return heard[0];
  }

  private int group(long membership) {
    if (PackedRecord.edge(membership) == 0) {
      return 0;
    }
    int above = above(PackedRecord.id(membership));
    boolean reaches = (PackedRecord.reach(membership) & right) != 0;
    return reaches ? above & ~IN_FILTERED : above & (FILTERED | UNSURE);
  }

  private int above(int group) {
    int before = known.get(group) - 1;
    if (before >= 0 && before != UNDER_WAY) {
      return before;
    }
    // In a circle, what is above depends on where one begins.
    if (before == UNDER_WAY || depth == DEEPEST) {
      unsure = true;
      return UNSURE;
    }
    known.set(group, UNDER_WAY + 1);
    depth++;
    IdRecords entry = index.entry(group);
    int heard = said(group, entry) | (entry.filters().isEmpty() ? 0 : FILTERED);
    // What everything is in is not followed any further.
    if (!check.isEverywhere(group)) {
      int groups = groups(entry);
      heard |= groups & ~FILTERED;
      heard |= (groups & FILTERED) == 0 ? 0 : IN_FILTERED;
    }
    depth--;
    int sure = (heard & UNSURE) == 0 ? heard : UNSURE;
    known.set(group, sure + 1);
    return sure;
  }

  /// About how much memory it takes by now.
  long bytes() {
    return 80 + known.bytes() + (said == null ? 0 : said.bytes());
  }
}
