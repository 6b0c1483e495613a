package dev.veridex.grants;

import dev.veridex.common.Scope;
import dev.veridex.common.TtlPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Approvals and relationships as docs/grants.md says, slowly: a list that is looked through.
final class GrantsModel {
  static final Duration GRACE = Duration.ofHours(1);
  private static final Instant NEVER = Instant.parse("2200-01-01T00:00:00Z");

  /// A caller, as far as rules are concerned.
  ///
  /// @param id of the token
  /// @param admin whether an administrator of all scopes
  record Who(String name, String id, boolean admin, boolean grantor) {
    /// The name as a grantor: all of them are of Global.
    String in(Scope scope) {
      return scope instanceof Scope.Global ? name : id;
    }
  }

  /// A grant.
  ///
  /// @param end absent: for ever
  record Entry(
      Scope scope,
      GrantKey key,
      String type,
      String by,
      Instant since,
      Optional<Instant> end,
      Map<String, String> metadata,
      boolean unscoped) {
    boolean lives(Instant now) {
      return end.isEmpty() || now.isBefore(end.get());
    }

    boolean isKept(Instant now) {
      return end.isEmpty() || now.isBefore(end.get().plus(GRACE));
    }
  }

  /// Who had what since when, and until when that is remembered.
  private record Revoked(Instant since, Instant until) {}

  private final List<Entry> entries = new ArrayList<>();
  private final Map<List<Object>, Revoked> revoked = new HashMap<>();
  final Map<Scope, TtlPolicy> policies = new HashMap<>();

  TtlPolicy policy(Scope scope) {
    TtlPolicy own = policies.get(scope);
    if (own == null && scope instanceof Scope.TenantEnvironment(String tenant, _)) {
      own = policies.get(new Scope.Tenant(tenant));
    }
    return own == null ? TtlPolicy.STANDARD : own;
  }

  Optional<Entry> find(Scope scope, GrantKey key) {
    return entries.stream()
        .filter(each -> each.scope.equals(scope) && each.key.equals(key))
        .findFirst();
  }

  private Optional<Entry> live(Scope scope, GrantKey key, Instant now) {
    return find(scope, key).filter(each -> each.lives(now));
  }

  private static boolean longer(Optional<Instant> end, Optional<Instant> than) {
    return end.orElse(NEVER.plusSeconds(1)).isAfter(than.orElse(NEVER.plusSeconds(1)));
  }

  /// Gives something.
  ///
  /// @param end as it is settled; it is within the bounds
  /// @return the code of a refusal
  Optional<String> give(
      Who who,
      Scope scope,
      GrantKey key,
      String type,
      Optional<Instant> end,
      Map<String, String> metadata,
      boolean unscoped,
      Instant now) {
    boolean approval = key.kind() == GrantKind.APPROVAL;
    if (approval && who.name.equals(key.first())) {
      return Optional.of("FORBIDDEN");
    }
    if (!who.admin && !(approval && who.grantor)) {
      return Optional.of("FORBIDDEN");
    }
    Optional<Entry> before = live(scope, key, now);
    Optional<Entry> extended = before.filter(each -> longer(end, each.end));
    boolean extension = extended.isPresent();
    if (extended.filter(each -> !who.admin && !each.by.equals(who.in(scope))).isPresent()) {
      return Optional.of("FORBIDDEN");
    }
    Instant since = before.map(Entry::since).orElse(now);
    boolean bounded = extension;
    Revoked remembered = revoked.get(List.of(scope, key));
    if (before.isEmpty() && !who.admin && remembered != null && now.isBefore(remembered.until)) {
      since = remembered.since;
      bounded = since.isBefore(now);
    }
    if (bounded && !who.admin && tooLong(scope, since, end)) {
      return Optional.of("INVALID_TTL");
    }
    Entry entry =
        new Entry(
            scope,
            key,
            type,
            before.filter(_ -> extension || !who.admin).map(Entry::by).orElse(who.in(scope)),
            since,
            end,
            metadata,
            unscoped && before.map(Entry::unscoped).orElse(true));
    replace(entry);
    return Optional.empty();
  }

  private boolean tooLong(Scope scope, Instant since, Optional<Instant> end) {
    TtlPolicy policy = policy(scope);
    return policy.enforce() && longer(end, Optional.of(since.plus(policy.max())));
  }

  private void replace(Entry entry) {
    entries.removeIf(each -> each.scope.equals(entry.scope) && each.key.equals(entry.key));
    entries.add(entry);
  }

  /// Changes the end of something.
  ///
  /// @param end as it is settled; absent: it lies outside the bounds
  Optional<String> extend(
      Who who, Scope scope, GrantKey key, Optional<Optional<Instant>> end, Instant now) {
    boolean approval = key.kind() == GrantKind.APPROVAL;
    if (approval && who.name.equals(key.first())) {
      return Optional.of("FORBIDDEN");
    }
    if (!who.admin && !(approval && who.grantor)) {
      return Optional.of("FORBIDDEN");
    }
    Optional<Entry> before = live(scope, key, now);
    if (before.isEmpty()) {
      return Optional.of("NOT_FOUND");
    }
    Entry old = before.get();
    if (!who.admin && !old.by.equals(who.in(scope))) {
      return Optional.of("FORBIDDEN");
    }
    if (end.isEmpty() || (!who.admin && tooLong(scope, old.since, end.get()))) {
      return Optional.of("INVALID_TTL");
    }
    replace(
        new Entry(scope, key, old.type, old.by, old.since, end.get(), old.metadata, old.unscoped));
    return Optional.empty();
  }

  Optional<String> revoke(Who who, Scope scope, GrantKey key, Instant now) {
    boolean approval = key.kind() == GrantKind.APPROVAL;
    Optional<Entry> before = live(scope, key, now);
    boolean may =
        who.admin
            || (approval && before.map(each -> each.by.equals(who.in(scope))).orElse(who.grantor));
    if (!may) {
      return Optional.of("FORBIDDEN");
    }
    before.ifPresent(
        entry -> {
          entries.remove(entry);
          Instant until = entry.since.plus(policy(scope).max());
          if (until.isAfter(now)) {
            revoked.put(
                List.of(scope, key),
                new Revoked(entry.since, until.isBefore(NEVER) ? until : NEVER));
          }
        });
    return Optional.empty();
  }

  /// Deletes everything in some scopes.
  ///
  /// @return how many were alive
  long delete(Set<Scope> scopes, Instant now) {
    long alive = entries.stream().filter(e -> scopes.contains(e.scope) && e.lives(now)).count();
    entries.removeIf(each -> scopes.contains(each.scope));
    return alive;
  }

  /// Moves what was written without a scope.
  Map<String, Long> migrate(Scope target, Instant now) {
    Map<String, Long> counts = new HashMap<>();
    for (Entry each : List.copyOf(entries)) {
      if (!(each.scope instanceof Scope.Global) || !each.unscoped || !each.isKept(now)) {
        continue;
      }
      if (!each.lives(now)) {
        counts.merge("skippedExpired", 1L, Long::sum);
        continue;
      }
      Entry moved =
          new Entry(
              target, each.key, each.type, each.by, each.since, each.end, each.metadata, false);
      Optional<Entry> there = live(target, each.key, now);
      if (there.isEmpty()) {
        replace(moved);
        entries.remove(each);
        counts.merge("migrated", 1L, Long::sum);
      } else if (there.get().equals(moved)) {
        entries.remove(each);
        counts.merge("alreadyDone", 1L, Long::sum);
      } else {
        counts.merge("conflicts", 1L, Long::sum);
      }
    }
    return counts;
  }

  /// Everything of a kind in some scopes, in the order of lists: by scope, then by key.
  List<Entry> all(GrantKind kind, Set<Scope> scopes, boolean expiredToo, Instant now) {
    return entries.stream()
        .filter(each -> each.key.kind() == kind && scopes.contains(each.scope))
        .filter(each -> expiredToo ? each.isKept(now) : each.lives(now))
        .sorted(
            Comparator.<Entry, String>comparing(each -> each.key.first())
                .thenComparing(each -> each.key.second())
                .thenComparing(each -> each.key.third()))
        .toList();
  }

  /// The length of a shortest path: 0 if there is none, -1 if the depth does not suffice to say.
  int path(Scope scope, String subject, String relation, String object, int depth, Instant now) {
    List<Entry> edges =
        all(GrantKind.RELATIONSHIP, Set.of(scope), false, now).stream()
            .filter(each -> each.key.second().equals(relation))
            .toList();
    Set<String> known = new HashSet<>(Set.of(subject));
    Set<String> at = Set.of(subject);
    for (int length = 1; ; length++) {
      Set<String> next = new HashSet<>();
      boolean found = false;
      for (Entry edge : edges) {
        if (at.contains(edge.key.first())) {
          found |= edge.key.third().equals(object);
          if (Set.of("trust", "membership").contains(edge.type)) {
            next.add(edge.key.third());
          }
        }
      }
      if (found) {
        return length <= depth ? length : -1;
      }
      next.removeAll(known);
      if (next.isEmpty()) {
        return 0;
      }
      if (length > depth) {
        return -1;
      }
      known.addAll(next);
      at = next;
    }
  }
}
