package dev.veridex.access;

import dev.veridex.access.compiled.AccessIndexEdit;
import dev.veridex.access.compiled.CompiledGrants;
import dev.veridex.access.compiled.EndQueue;
import dev.veridex.access.compiled.IdDictionary;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.statement.Prefix;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.Expiry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Puts what grants give into a state in memory: approvals beside the index, live relationships
/// among its memberships.
final class GrantEdit {
  private static final int RIGHTS = 4;

  private final AccessIndexEdit edit;
  private final CompiledGrants before;
  private final CompiledGrants.Edit grants;
  private final Instant now;
  private final EndQueue ends;
  private boolean related;
  private long ended = Long.MIN_VALUE;

  /// @param now at which it is looked what has ended
  /// @param ends takes those of memberships
  GrantEdit(AccessIndexEdit edit, CompiledGrants before, Instant now, EndQueue ends) {
    this.edit = edit;
    this.before = before;
    this.grants = before.edit();
    this.now = now;
    this.ends = ends;
  }

  /// Sets what grants give of one permission or membership.
  ///
  /// @param all there are; those that have ended give nothing
  void put(RecordId id, List<GrantedRight> all) {
    boolean alive = all.stream().anyMatch(grant -> grant.isLive(now));
    int object = number(id.key().object(), alive);
    int subject = number(id.subject(), alive);
    if (object == IdDictionary.UNKNOWN || subject == IdDictionary.UNKNOWN) {
      ended(id, all);
      return;
    }
    switch (id.key().prefix()) {
      case PERMISSION -> {
        for (int right = 0; right < RIGHTS; right++) {
          grants.approve(subject, object, right, end(all, 1 << right));
        }
      }
      case MEMBERSHIP -> {
        relate(object, subject, end(all, ~0));
        ended(id, all);
      }
      case FILTER -> throw new IllegalArgumentException("no grant is a filter: " + id);
    }
  }

  /// A name that is only about what has ended is not worth a number.
  private int number(String name, boolean alive) {
    return alive ? edit.intern(name) : edit.find(name);
  }

  private void ended(RecordId id, List<GrantedRight> all) {
    if (id.key().prefix() == Prefix.MEMBERSHIP) {
      all.stream()
          .filter(grant -> !grant.isLive(now))
          .forEach(grant -> ended = Math.max(ended, Expiry.micros(grant.end().orElseThrow())));
    }
  }

  /// Takes a membership out that has ended, unless it was extended.
  void end(int member, int group) {
    long end = before.membershipEnd(member, group);
    if (end != 0 && Expiry.isExpired(end, Expiry.micros(now))) {
      ended = Math.max(ended, end);
      relate(member, group, 0);
    }
  }

  private void relate(int member, int group, long end) {
    long known = before.membershipEnd(member, group);
    boolean was = known != 0;
    grants.relate(member, group, end);
    if (end != 0 && end != known) {
      ends.add(end, member, group);
    }
    if (was != (end != 0)) {
      edit.relate(member, group, end != 0);
      related = true;
    }
  }

  /// The last end of those that give some rights, in microseconds; 0 if none is alive.
  private long end(List<GrantedRight> all, int rights) {
    long last = 0;
    for (GrantedRight grant : all) {
      if ((grant.rights() & rights) != 0 && grant.isLive(now)) {
        last = Math.max(last, grant.end().map(Expiry::micros).orElse(Expiry.NEVER));
      }
    }
    return last;
  }

  /// Whether memberships came or went.
  boolean isRelated() {
    return related;
  }

  /// When the last one of the memberships ended that have ended.
  Optional<Instant> lastEnd() {
    return ended == Long.MIN_VALUE ? Optional.empty() : Optional.of(Expiry.instant(ended));
  }

  long bytes() {
    return grants.bytes();
  }

  CompiledGrants done() {
    return grants.done();
  }
}
