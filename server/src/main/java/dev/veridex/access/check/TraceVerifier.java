package dev.veridex.access.check;

import dev.veridex.access.check.Trace.Fact;
import dev.veridex.access.check.Trace.LastStep;
import dev.veridex.access.check.Trace.Outcome;
import dev.veridex.access.check.Trace.Part;
import dev.veridex.access.check.Trace.ReachedId;
import dev.veridex.access.check.Trace.Reason;
import dev.veridex.access.check.Trace.Source;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.LedgerIndividual;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.Prefix;
import dev.veridex.access.statement.RecordId;
import dev.veridex.access.statement.Rights;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/// Verifies a trace. It sees the trace and the individuals and grants that the trace names, nothing
/// else: no index, no store, and none of the code that decides.
///
/// Every record must follow from what its individuals say, see [FactVerifier], and every approval
/// and relationship be one that was given; the answer, with everything that the trace says about
/// it, must follow from those. It is written to be read beside docs/access.md, not to be fast.
public final class TraceVerifier {
  private final Trace trace;
  private final Function<String, Optional<LedgerIndividual>> individuals;
  private final Predicate<GrantedRight> given;
  private final Set<Membership> ofSubject = new LinkedHashSet<>();
  private final Set<Membership> ofResource = new LinkedHashSet<>();
  private final Map<String, Integer> subjects = new HashMap<>();
  private final Map<String, Integer> resources = new HashMap<>();
  private final Set<String> filters = new LinkedHashSet<>();
  private int ceiling = Rights.ALL;

  /// @param position of its fact; of a relationship, the complement of its position
  private record Membership(String member, String group, int rights, Marker marker, int position) {}

  private TraceVerifier(
      Trace trace,
      Function<String, Optional<LedgerIndividual>> individuals,
      Predicate<GrantedRight> given) {
    this.trace = trace;
    this.individuals = individuals;
    this.given = given;
  }

  /// The first flaw of a trace; nothing, if it holds.
  ///
  /// @param given whether there is such a grant, ended or not
  public static Optional<String> verify(
      Trace trace,
      Function<String, Optional<LedgerIndividual>> individuals,
      Predicate<GrantedRight> given) {
    try {
      new TraceVerifier(trace, individuals, given).run();
      return Optional.empty();
    } catch (FactVerifier.InvalidTrace e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private void run() {
    new FactVerifier(individuals).verify(trace.facts());
    grants();
    walkSubjects();
    walkResources();
    reached(trace.subjects(), subjects, "subjects");
    reached(trace.resources(), resources, "resources");
    filters();
    ways();
    answer();
  }

  /// Approvals are of the very subject on the very resource, and count for that alone.
  private void grants() {
    for (GrantedRight each : trace.relationships()) {
      FactVerifier.require(!each.isApproval(), "an approval is no membership");
      grant(each);
    }
    RecordId approved =
        new RecordId(IndexKey.permission(trace.question().resource()), trace.question().subject());
    for (GrantedRight each : trace.approvals()) {
      FactVerifier.require(each.id().equals(approved), "an approval of somebody else");
      grant(each);
    }
    FactVerifier.require(
        Set.copyOf(trace.approvals()).size() == trace.approvals().size()
            && Set.copyOf(trace.relationships()).size() == trace.relationships().size(),
        "a grant is told twice");
  }

  private void grant(GrantedRight each) {
    boolean over = each.end().filter(end -> !end.isAfter(trace.time())).isPresent();
    FactVerifier.require(!over, "a grant has ended: " + each.id());
    FactVerifier.require(given.test(each), "nobody gave " + each.id());
  }

  private List<Membership> memberships(String member) {
    List<Membership> found = new ArrayList<>();
    for (int i = 0; i < trace.facts().size(); i++) {
      Fact fact = trace.facts().get(i);
      int rights = Rights.granted(fact.access()) & ~Rights.denied(fact.access());
      if (fact.id().key().equals(IndexKey.memberships(member)) && rights != 0) {
        found.add(new Membership(member, fact.id().subject(), rights, fact.marker(), i));
      }
    }
    for (int i = 0; i < trace.relationships().size(); i++) {
      RecordId id = trace.relationships().get(i).id();
      if (id.key().object().equals(member)) {
        found.add(new Membership(member, id.subject(), Rights.ALL, Marker.NONE, ~i));
      }
    }
    return found;
  }

  private void walkSubjects() {
    subjects.put(trace.question().subject(), Rights.ALL);
    boolean more = true;
    while (more) {
      more = false;
      for (String member : List.copyOf(subjects.keySet())) {
        for (Membership each : memberships(member)) {
          more |= ofSubject.add(each);
          subjects.merge(each.group(), each.rights(), (a, b) -> a | b);
        }
      }
    }
    FactVerifier.require(
        ofSubject.size() == trace.subjectMemberships(), "memberships of the subject");
  }

  private void walkResources() {
    String resource = trace.question().resource();
    resources.put(resource, Rights.ALL);
    resources.put(IndexKey.ALL_RESOURCES, Rights.ALL);
    trace.question().implicit().forEach(group -> resources.put(group, Rights.ALL));
    ofResource.addAll(memberships(resource));
    boolean more = true;
    while (more) {
      more = false;
      for (String member : List.copyOf(resources.keySet())) {
        if (isGiven(member) && !member.equals(resource)) {
          continue;
        }
        for (Membership each : memberships(member)) {
          int rights = each.rights() & resources.getOrDefault(member, 0);
          if (each.marker() != Marker.EXCLUSIVE && rights != 0) {
            int before = resources.getOrDefault(each.group(), 0);
            resources.put(each.group(), before | rights);
            more |= ofResource.add(each) || (rights & ~before) != 0;
          }
        }
      }
    }
    FactVerifier.require(
        ofResource.size() == trace.resourceMemberships(), "memberships of the resource");
  }

  private static void reached(List<ReachedId> told, Map<String, Integer> found, String what) {
    Map<String, Integer> map = new HashMap<>();
    for (ReachedId each : told) {
      FactVerifier.require(map.put(each.id(), each.rights()) == null, "told twice: " + what);
    }
    FactVerifier.require(map.equals(found), what);
  }

  /// Each way is one that its rights can have come.
  private void ways() {
    String subject = trace.question().subject();
    for (ReachedId each : trace.subjects()) {
      int ways = each.id().equals(subject) ? 0 : 1;
      FactVerifier.require(each.ways().size() == ways, "a way to " + each.id());
      for (LastStep way : each.ways()) {
        boolean there = subjects.containsKey(way.from()) && way.rights() == each.rights();
        FactVerifier.require(
            there && leads(ofSubject, way.from(), each.id(), true) != 0, "a way to " + each.id());
      }
    }
    String resource = trace.question().resource();
    for (ReachedId each : trace.resources()) {
      boolean given = isGiven(each.id()) && !each.id().equals(resource);
      int rights = each.id().equals(resource) ? each.rights() : 0;
      for (LastStep way : each.ways()) {
        int come =
            resources.getOrDefault(way.from(), 0) & leads(ofResource, way.from(), each.id(), false);
        boolean ofGiven = given && way.equals(new LastStep(resource, Rights.ALL));
        FactVerifier.require(ofGiven || (way.rights() & ~come) == 0, "a way to " + each.id());
        FactVerifier.require(
            (rights & way.rights()) == 0, "a right comes two ways to " + each.id());
        rights |= way.rights();
      }
      FactVerifier.require(rights == each.rights(), "the ways to " + each.id());
    }
  }

  /// The rights with which memberships lead from one to another; those of a resource that are
  /// exclusive do not.
  private static int leads(Set<Membership> memberships, String from, String to, boolean ofSubject) {
    int rights = 0;
    for (Membership each : memberships) {
      boolean followed = ofSubject || each.marker() != Marker.EXCLUSIVE;
      if (followed && each.member().equals(from) && each.group().equals(to)) {
        rights |= each.rights();
      }
    }
    return rights;
  }

  private boolean isGiven(String group) {
    return group.equals(IndexKey.ALL_RESOURCES) || trace.question().implicit().contains(group);
  }

  private void filters() {
    Set<String> objects = new LinkedHashSet<>(trace.question().implicit());
    objects.add(trace.question().resource());
    memberships(trace.question().resource()).forEach(each -> objects.add(each.group()));
    List<Integer> by = new ArrayList<>();
    for (int i = 0; i < trace.facts().size(); i++) {
      Fact fact = trace.facts().get(i);
      if (isFilter(fact) && objects.contains(fact.id().key().object())) {
        by.add(i);
        filters.add(fact.id().subject());
        ceiling &= Rights.granted(fact.access());
      }
    }
    FactVerifier.require(by.equals(trace.ceilingBy()), "the filters in force");
    trace.question().filter().ifPresent(filters::add);
    FactVerifier.require(filters.equals(Set.copyOf(trace.filters())), "filters");
    FactVerifier.require(filters.size() == trace.filters().size(), "filters");
    FactVerifier.require(ceiling == trace.ceiling(), "the ceiling");
  }

  /// Whether a record is a filter on an object that is in force: one whose every word was struck is
  /// not.
  private static boolean isFilter(Fact fact) {
    IndexKey key = fact.id().key();
    boolean alive =
        fact.access() != 0 || fact.behind().stream().anyMatch(each -> each.parts().isEmpty());
    return key.prefix() == Prefix.FILTER && key.filter().isEmpty() && alive;
  }

  private void answer() {
    FactVerifier.require(trace.reasons().size() == 4, "a reason for each right");
    int rights = 0;
    for (int i = 0; i < 4; i++) {
      Reason reason = reason(1 << i);
      FactVerifier.require(
          reason.equals(trace.reasons().get(i)), "the reason of " + Rights.letters(1 << i));
      rights |= reason.outcome() == Outcome.GRANTED ? 1 << i : 0;
    }
    FactVerifier.require(rights == trace.rights(), "the answer");
  }

  private Reason reason(int right) {
    List<Integer> granting = new ArrayList<>();
    List<Integer> denying = new ArrayList<>();
    List<Integer> capping = new ArrayList<>();
    List<Integer> closing = new ArrayList<>();
    List<Integer> struck = new ArrayList<>();
    List<Integer> approvals = new ArrayList<>();
    List<Fact> facts = trace.facts();
    for (int i = 0; i < facts.size(); i++) {
      Fact fact = facts.get(i);
      int ofObject = isLookedAt(fact) ? resources.getOrDefault(fact.id().key().object(), 0) : 0;
      int reach = ofObject & subjects.getOrDefault(fact.id().subject(), 0);
      int granted = Rights.granted(fact.access());
      add(granting, i, granted & reach & right);
      add(denying, i, Rights.denied(fact.access()) & reach & right);
      add(closing, i, fact.marker() == Marker.EXCLUSIVE ? granted & ofObject & right : 0);
      add(capping, i, isFilter(fact) ? ~granted & right : 0);
      add(struck, i, struckBits(fact) & right);
    }
    for (int i = 0; i < trace.approvals().size(); i++) {
      add(approvals, i, trace.approvals().get(i).rights() & right);
    }
    boolean ceilingLeaves = (ceiling & right) != 0;
    boolean left = ceilingLeaves && !approvals.isEmpty();
    boolean effective = left && closing.isEmpty();
    for (int position : granting) {
      Fact fact = facts.get(position);
      boolean free = !fact.id().key().filter().isEmpty() || ceilingLeaves;
      left |= free;
      effective |= free && (closing.isEmpty() || fact.marker() != Marker.NONE);
    }
    List<Integer> excluding = excluding();
    Outcome outcome = Outcome.GRANTED;
    if (granting.isEmpty() && approvals.isEmpty()) {
      outcome = Outcome.MISSING;
    } else if (!left) {
      outcome = Outcome.CAPPED;
    } else if (!effective) {
      outcome = Outcome.CLOSED;
    } else if (!denying.isEmpty()) {
      outcome = Outcome.DENIED;
    } else if (!excluding.isEmpty()) {
      outcome = Outcome.EXCLUDED;
    }
    return new Reason(
        right, outcome, granting, denying, capping, closing, excluding, struck, approvals);
  }

  private static void add(List<Integer> positions, int position, int rights) {
    if (rights != 0) {
      positions.add(position);
    }
  }

  /// Whether a record may grant or deny something to somebody.
  private boolean isLookedAt(Fact fact) {
    IndexKey key = fact.id().key();
    return switch (key.prefix()) {
      case MEMBERSHIP -> false;
      case PERMISSION -> key.filter().isEmpty() || filters.contains(key.filter());
      case FILTER -> trace.question().filter().filter(key.filter()::equals).isPresent();
    };
  }

  private static int struckBits(Fact fact) {
    int bits = 0;
    for (Source behind : fact.behind()) {
      for (Part part : behind.parts()) {
        bits |= part.struck().isPresent() ? part.bits() : 0;
      }
    }
    return Rights.granted(bits) | Rights.denied(bits);
  }

  /// The exclusive memberships of the subject, if the resource is in groups and in none of those.
  private List<Integer> excluding() {
    Set<String> free = new HashSet<>(Set.of(trace.question().subject()));
    boolean more = true;
    while (more) {
      more = false;
      for (Membership each : ofSubject) {
        more |=
            free.contains(each.member())
                && each.marker() != Marker.IGNORES_EXCLUSIVE
                && free.add(each.group());
      }
    }
    Set<String> exclusive = new HashSet<>();
    for (Membership each : ofSubject) {
      if (each.marker() == Marker.EXCLUSIVE && free.contains(each.member())) {
        exclusive.add(each.group());
      }
    }
    boolean inGroups = !memberships(trace.question().resource()).isEmpty();
    if (exclusive.isEmpty()
        || !inGroups
        || resources.keySet().stream().anyMatch(exclusive::contains)) {
      return List.of();
    }
    List<Integer> positions = new ArrayList<>();
    for (Membership each : ofSubject) {
      if (each.marker() == Marker.EXCLUSIVE && exclusive.contains(each.group())) {
        positions.add(each.position());
      }
    }
    return positions.stream().sorted().toList();
  }
}
