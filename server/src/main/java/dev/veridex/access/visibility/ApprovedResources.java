package dev.veridex.access.visibility;

import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.IdDictionary;
import dev.veridex.access.compiled.IdValues;
import dev.veridex.access.compiled.TimedRights;
import dev.veridex.common.Expiry;
import dev.veridex.index.VisibleResources;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The resources on which a subject has a right, approvals counted: those on which it has it
/// anyway, which it shares with others, and those that are approved for it alone, as far as nothing
/// takes them away again. It holds until the first of these approvals ends.
final class ApprovedResources implements VisibleResources {
  private static final byte NO = 1;
  private static final byte YES = 2;
  private static final long ENTRY_BYTES = 80;

  private final Object identity = new Object();
  private final PermittedResources others;
  private final TimedRights approvals;
  private final CompiledCheck check;
  private final int right;
  private final long from;
  private final long until;

  /// What is approved and has not ended.
  private final IdValues approved = new IdValues();

  private final byte[] decided;
  private final Map<Long, Boolean> below = new ConcurrentHashMap<>();

  /// @param others on which it has the right without approvals
  /// @param check without approvals, whose subject and implicit groups are set, and which nobody
  ///   else uses any more
  /// @param now at which it is looked what has ended
  ApprovedResources(
      PermittedResources others, TimedRights approvals, long now, CompiledCheck check, int right) {
    this.others = others;
    this.approvals = approvals;
    this.check = check;
    this.right = right;
    this.from = now;
    // Nothing but one's own: all approvals of the scope would stay in memory with it.
    check.approve(approvals, now);
    long[] first = {Expiry.NEVER};
    approvals.forEach(
        (slot, end) -> {
          if ((TimedRights.right(slot) & right) != 0 && !Expiry.isExpired(end, now)) {
            approved.put(TimedRights.id(slot));
            first[0] = Math.min(first[0], end);
          }
        });
    this.until = first[0];
    this.decided = new byte[approved.size()];
  }

  /// Whether it still holds: for the same approvals and the same other rights, before any of them
  /// has ended, and not before it was made, when others may have been alive.
  @SuppressWarnings("ReferenceEquality") // Each is the same one, or another.
  boolean isOf(PermittedResources known, TimedRights all, long now) {
    return known == others && all == approvals && now >= from && now < until;
  }

  /// The resources, or where nothing is approved any more, those of all who are like this subject.
  VisibleResources resources() {
    return decided.length == 0 ? others : this;
  }

  @Override
  public Object numbering() {
    return others.numbering();
  }

  @Override
  public Object identity() {
    return identity;
  }

  @Override
  public int size() {
    return others.size();
  }

  @Override
  public int find(String resource) {
    return others.find(resource);
  }

  @Override
  public String name(int number) {
    return others.name(number);
  }

  @Override
  public boolean test(int number) {
    int position = approved.find(number);
    if (position < 0) {
      return others.test(number);
    }
    // Whoever does not see yet what another one has decided decides the same.
    byte known = decided[position];
    return known == 0 ? decide(position) : known == YES;
  }

  private synchronized boolean decide(int position) {
    boolean may = (check.rights(approved.id(position)) & right) == right;
    decided[position] = may ? YES : NO;
    return may;
  }

  @Override
  public int[] prefixes() {
    return others.prefixes();
  }

  @Override
  public boolean test(int number, int folder) {
    return approved.find(number) < 0
        ? others.test(number, folder)
        : below.computeIfAbsent(
            (long) folder << Integer.SIZE | number, _ -> decideBelow(number, folder));
  }

  private synchronized boolean decideBelow(int number, int folder) {
    int[] chain = FolderDictionary.chain(check.index().dictionary(), folder);
    return (check.rights(number, check.index().entry(number), chain) & right) == right;
  }

  @Override
  public boolean sees(String resource) {
    int folder = FolderDictionary.smallest(check.index().dictionary(), resource);
    return folder == IdDictionary.UNKNOWN ? test(find(resource)) : test(find(resource), folder);
  }

  @Override
  public boolean isQuick() {
    return others.isQuick();
  }

  @Override
  public boolean isEverything() {
    return others.isEverything();
  }

  /// About how much memory it takes by now, without what it shares.
  long bytes() {
    return 128 + approved.bytes() + decided.length + check.bytes() + ENTRY_BYTES * below.size();
  }
}
