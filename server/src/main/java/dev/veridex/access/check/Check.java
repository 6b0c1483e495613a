package dev.veridex.access.check;

import dev.veridex.access.check.Verdict.Cap;
import dev.veridex.access.check.Verdict.Edge;
import dev.veridex.access.check.Verdict.Match;
import dev.veridex.access.ledger.AclRecord;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.Prefix;
import dev.veridex.access.statement.Rights;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Decides which rights a subject has on a resource. The steps are those of docs/access.md, in
/// their order.
public final class Check {
  private static final int FEW_FILTERS = 3;

  private final CheckView view;
  private final CheckRequest question;
  private final Map<String, List<Edge>> edges = new HashMap<>();
  private final Map<String, Integer> subjects = new LinkedHashMap<>();
  private final Map<String, Integer> resources = new LinkedHashMap<>();
  private final List<Cap> caps = new ArrayList<>();
  private final List<Match> matches = new ArrayList<>();
  private int ceiling = Rights.ALL;
  private int plain;
  private int marked;
  private int closed;
  private int denied;

  private Check(CheckView view, CheckRequest question) {
    this.view = view;
    this.question = question;
  }

  /// Answers a question from one state of an index.
  public static Verdict of(CheckView view, CheckRequest question) {
    return new Check(view, question).run();
  }

  /// The groups that a subject is in, directly and through others.
  public static Set<String> groups(CheckView view, String subject) {
    Check check = new Check(view, new CheckRequest(subject, subject, Optional.empty(), List.of()));
    check.walkSubjects();
    Set<String> groups = new HashSet<>(check.subjects.keySet());
    groups.remove(subject);
    return groups;
  }

  private Verdict run() {
    List<Edge> subjectEdges = walkSubjects();
    List<Edge> resourceEdges = walkResources();
    Set<String> direct = direct();
    Set<String> filters = filters(direct);
    List<GrantedRight> approvals = grants(filters);
    Set<String> exclusive = exclusiveGroups(subjectEdges);
    boolean excluded =
        !exclusive.isEmpty()
            && !direct.isEmpty()
            && resources.keySet().stream().noneMatch(exclusive::contains);
    int rights = (marked | (plain & ~closed)) & ~denied;
    return new Verdict(
        question,
        excluded ? 0 : rights,
        subjects,
        resources,
        subjectEdges,
        resourceEdges,
        exclusive,
        direct,
        caps,
        List.copyOf(filters),
        ceiling,
        matches,
        approvals,
        closed,
        denied,
        excluded);
  }

  /// Memberships with rights, read once.
  private List<Edge> edges(String from) {
    return edges.computeIfAbsent(
        from,
        member -> {
          List<Edge> found = new ArrayList<>();
          for (SubjectRecord each : view.records(IndexKey.memberships(member))) {
            int rights = each.record().granted() & ~each.record().denied();
            if (rights != 0) {
              found.add(
                  new Edge(
                      member, each.subject(), rights, each.record().marker(), Optional.empty()));
            }
          }
          for (GrantedRight each : view.memberships(member)) {
            found.add(
                new Edge(
                    member, each.id().subject(), each.rights(), Marker.NONE, Optional.of(each)));
          }
          return found;
        });
  }

  /// Step 1: everybody for whom the subject passes, with the rights of the last membership.
  private List<Edge> walkSubjects() {
    List<Edge> walked = new ArrayList<>();
    Deque<String> open = new ArrayDeque<>();
    subjects.put(question.subject(), Rights.ALL);
    open.add(question.subject());
    while (!open.isEmpty()) {
      for (Edge edge : edges(open.remove())) {
        walked.add(edge);
        Integer before = subjects.get(edge.to());
        // The subject itself has all, from the start.
        subjects.put(edge.to(), before == null ? edge.rights() : before | edge.rights());
        if (before == null) {
          open.add(edge.to());
        }
      }
    }
    return walked;
  }

  /// Step 2: everything as which the resource passes. Restrictions add up along a way, ways are
  /// united.
  private List<Edge> walkResources() {
    Set<Edge> walked = new LinkedHashSet<>();
    Deque<String> open = new ArrayDeque<>();
    resources.put(question.resource(), Rights.ALL);
    resources.put(IndexKey.ALL_RESOURCES, Rights.ALL);
    question.implicit().forEach(group -> resources.put(group, Rights.ALL));
    open.add(question.resource());
    while (!open.isEmpty()) {
      String member = open.remove();
      for (Edge edge : edges(member)) {
        walked.add(edge);
        int reach =
            edge.marker() == Marker.EXCLUSIVE
                ? 0
                : edge.rights() & resources.getOrDefault(member, 0);
        int before = resources.getOrDefault(edge.to(), 0);
        if ((reach & ~before) != 0) {
          resources.put(edge.to(), before | reach);
          if (isFollowed(edge.to())) {
            open.add(edge.to());
          }
        }
      }
    }
    return List.copyOf(walked);
  }

  private boolean isFollowed(String group) {
    return group.equals(question.resource())
        || (!group.equals(IndexKey.ALL_RESOURCES) && !question.implicit().contains(group));
  }

  /// The groups that the resource is directly in, whatever their marker.
  private Set<String> direct() {
    Set<String> direct = new LinkedHashSet<>();
    edges(question.resource()).forEach(edge -> direct.add(edge.to()));
    return direct;
  }

  /// Step 3: the filters on the resource and what it is directly in, and the one that is asked for.
  private Set<String> filters(Set<String> direct) {
    Set<String> objects = new LinkedHashSet<>();
    objects.add(question.resource());
    objects.addAll(direct);
    objects.addAll(question.implicit());
    Set<String> filters = new LinkedHashSet<>();
    for (String object : objects) {
      for (SubjectRecord filter : view.records(IndexKey.filters(object))) {
        if (!filter.record().isDeleted()) {
          int rights = filter.record().granted();
          caps.add(new Cap(object, filter.subject(), rights));
          filters.add(filter.subject());
          ceiling &= rights;
        }
      }
    }
    question.filter().ifPresent(filters::add);
    return filters;
  }

  /// Steps 4 to 6: all records that grant or deny something, and those that close a right to
  /// others.
  private List<GrantedRight> grants(Set<String> filters) {
    resources.forEach(
        (object, reach) -> {
          look(IndexKey.permission(object), reach, true);
          filtered(object, filters)
              .forEach(
                  (filter, records) ->
                      look(new IndexKey(Prefix.PERMISSION, filter, object), records, reach, false));
          question
              .filter()
              .ifPresent(name -> look(new IndexKey(Prefix.FILTER, name, object), reach, false));
        });
    List<GrantedRight> approvals = view.approvals(question.subject(), question.resource());
    approvals.forEach(approval -> plain |= approval.rights() & ceiling);
    return approvals;
  }

  /// The permissions on an object under active filters: asked for one by one if they are few, else
  /// picked from those that there are.
  private Map<String, List<SubjectRecord>> filtered(String object, Set<String> filters) {
    Map<String, List<SubjectRecord>> found = new LinkedHashMap<>();
    if (filters.size() <= FEW_FILTERS) {
      for (String filter : filters) {
        found.put(filter, view.records(new IndexKey(Prefix.PERMISSION, filter, object)));
      }
    } else {
      found.putAll(view.filtered(object));
      found.keySet().retainAll(filters);
    }
    return found;
  }

  private void look(IndexKey key, int ofObject, boolean capped) {
    look(key, view.records(key), ofObject, capped);
  }

  private void look(IndexKey key, List<SubjectRecord> records, int ofObject, boolean capped) {
    for (SubjectRecord found : records) {
      AclRecord record = found.record();
      boolean exclusive = record.marker() == Marker.EXCLUSIVE;
      int reach = ofObject & subjects.getOrDefault(found.subject(), 0);
      if (exclusive) {
        closed |= record.granted() & ofObject;
      }
      if (exclusive || reach != 0) {
        matches.add(new Match(key, found, ofObject, reach, capped));
      }
      denied |= record.denied() & reach;
      int granted = record.granted() & reach & (capped ? ceiling : Rights.ALL);
      if (record.marker() == Marker.NONE) {
        plain |= granted;
      } else {
        marked |= granted;
      }
    }
  }

  /// For step 7: groups that the subject is in exclusively, unless beyond a membership that ignores
  /// such things.
  private Set<String> exclusiveGroups(List<Edge> walked) {
    Map<String, List<Edge>> byMember = new HashMap<>();
    walked.forEach(edge -> byMember.computeIfAbsent(edge.from(), _ -> new ArrayList<>()).add(edge));
    Set<String> exclusive = new LinkedHashSet<>();
    Set<String> reached = new HashSet<>(Set.of(question.subject()));
    Deque<String> open = new ArrayDeque<>(reached);
    while (!open.isEmpty()) {
      for (Edge edge : byMember.getOrDefault(open.remove(), List.of())) {
        if (edge.marker() == Marker.EXCLUSIVE) {
          exclusive.add(edge.to());
        }
        if (edge.marker() != Marker.IGNORES_EXCLUSIVE && reached.add(edge.to())) {
          open.add(edge.to());
        }
      }
    }
    return exclusive;
  }
}
