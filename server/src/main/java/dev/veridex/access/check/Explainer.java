package dev.veridex.access.check;

import dev.veridex.access.check.Trace.Fact;
import dev.veridex.access.check.Trace.LastStep;
import dev.veridex.access.check.Trace.Outcome;
import dev.veridex.access.check.Trace.Part;
import dev.veridex.access.check.Trace.ReachedId;
import dev.veridex.access.check.Trace.Reason;
import dev.veridex.access.check.Trace.Source;
import dev.veridex.access.check.Trace.Strike;
import dev.veridex.access.check.Verdict.Edge;
import dev.veridex.access.check.Verdict.Match;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.AclRecord;
import dev.veridex.access.ledger.Contribution;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.Strikes;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.Prefix;
import dev.veridex.access.statement.RecordId;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Makes the trace of a verdict: finds the individuals behind every record that had a part in it,
/// and what was struck on the way.
public final class Explainer {
  private static final int RIGHTS = 4;

  /// The most records that a trace tells, and the most individuals behind them.
  public static final int MAX_PARTS = 50_000;

  private final AccessIndexReader index;
  private final Verdict verdict;
  private final Instant time;
  private final Map<RecordId, Integer> positions = new LinkedHashMap<>();
  private final List<Fact> facts = new ArrayList<>();
  private int parts;

  private Explainer(AccessIndexReader index, Verdict verdict, Instant time) {
    this.index = index;
    this.verdict = verdict;
    this.time = time;
  }

  /// Explains a verdict.
  ///
  /// @param index in the state from which it was found
  /// @param time of that state
  public static Trace of(AccessIndexReader index, Verdict verdict, Instant time) {
    return new Explainer(index, verdict, time).run();
  }

  private Trace run() {
    List<Edge> ofSubject = verdict.subjectEdges();
    List<Edge> ofResource = verdict.resourceEdges().stream().filter(this::leads).toList();
    List<Edge> all = new ArrayList<>(ofSubject);
    all.addAll(ofResource);
    all.stream().filter(edge -> edge.grant().isEmpty()).forEach(edge -> fact(id(edge)));
    verdict.caps().forEach(cap -> fact(new RecordId(IndexKey.filters(cap.object()), cap.filter())));
    int closed = 0;
    for (Match match : verdict.matches()) {
      int closing = closing(match);
      if (says(match) || (closing & ~closed) != 0) {
        closed |= closing;
        fact(id(match));
      }
    }
    struckRecords();
    List<GrantedRight> relationships = relationships(all);
    count(relationships.size() + verdict.approvals().size());
    return new Trace(
        verdict.question(),
        verdict.rights(),
        time,
        subjects(),
        resources(ofResource),
        ofSubject.size(),
        ofResource.size(),
        verdict.filters(),
        verdict.ceiling(),
        capping(0),
        facts,
        relationships,
        verdict.approvals(),
        List.of(
            reason(Rights.CREATE),
            reason(Rights.READ),
            reason(Rights.UPDATE),
            reason(Rights.DELETE)));
  }

  /// Whether a membership of the resource's side matters: all that it has itself do.
  private boolean leads(Edge edge) {
    return edge.from().equals(verdict.question().resource())
        || (edge.marker() != Marker.EXCLUSIVE
            && (edge.rights() & verdict.resources().getOrDefault(edge.from(), 0)) != 0);
  }

  private static boolean says(Match match) {
    AclRecord record = match.found().record();
    return ((record.granted() | record.denied()) & match.reach()) != 0;
  }

  private static int closing(Match match) {
    AclRecord record = match.found().record();
    return record.marker() == Marker.EXCLUSIVE ? record.granted() & match.ofObject() : 0;
  }

  private static RecordId id(Edge edge) {
    return new RecordId(IndexKey.memberships(edge.from()), edge.to());
  }

  private static RecordId id(Match match) {
    return new RecordId(match.key(), match.found().subject());
  }

  /// Records under the keys that were looked at in which somebody's word was struck.
  private void struckRecords() {
    Set<String> members = new LinkedHashSet<>(verdict.subjects().keySet());
    verdict.resourceEdges().forEach(edge -> members.add(edge.from()));
    members.add(verdict.question().resource());
    members.forEach(member -> struckRecords(IndexKey.memberships(member), _ -> true));
    Set<String> filtered = new LinkedHashSet<>(verdict.direct());
    filtered.add(verdict.question().resource());
    filtered.addAll(verdict.question().implicit());
    filtered.forEach(object -> struckRecords(IndexKey.filters(object), _ -> true));
    Predicate<String> passes = verdict.subjects()::containsKey;
    for (String object : verdict.resources().keySet()) {
      struckRecords(IndexKey.permission(object), passes);
      verdict
          .filters()
          .forEach(name -> struckRecords(new IndexKey(Prefix.PERMISSION, name, object), passes));
      verdict
          .question()
          .filter()
          .ifPresent(name -> struckRecords(new IndexKey(Prefix.FILTER, name, object), passes));
    }
  }

  private void struckRecords(IndexKey key, Predicate<String> relevant) {
    for (String subject : index.struck(key)) {
      RecordId id = new RecordId(key, subject);
      if (relevant.test(subject) && !positions.containsKey(id)) {
        Fact fact = read(id);
        if (struckBits(fact) != 0) {
          add(fact);
        }
      }
    }
  }

  private void fact(RecordId id) {
    if (!positions.containsKey(id)) {
      add(read(id));
    }
  }

  private void add(Fact fact) {
    count(1 + fact.behind().size());
    positions.put(fact.id(), facts.size());
    facts.add(fact);
  }

  private void count(int more) {
    parts += more;
    if (parts > MAX_PARTS) {
      throw tooMuch();
    }
  }

  public static VeridexException tooMuch() {
    return new VeridexException(
        Problem.of(ErrorCode.BAD_REQUEST, "too much had a part in this answer to explain it")
            .with("max", MAX_PARTS));
  }

  private Fact read(RecordId id) {
    Strikes strikes = index.strikes(id);
    AclRecord sum = AclRecord.NONE;
    List<Source> behind = new ArrayList<>();
    for (AccessIndexReader.NamedContribution each : index.contributions(id)) {
      Contribution contribution = each.contribution();
      sum = sum.changed(Contribution.Effect.NONE, contribution.under(strikes.ops()), id);
      if (contribution.live()) {
        behind.add(
            new Source(each.individual(), contribution.marker(), parts(contribution, strikes)));
      }
    }
    return new Fact(id, sum.access(), sum.marker(), behind);
  }

  /// The bits of a contribution, those together that were named and struck by the same.
  private static List<Part> parts(Contribution contribution, Strikes strikes) {
    Map<Part, Integer> parts = new LinkedHashMap<>();
    int counted = contribution.ops().notStruckBy(strikes.ops());
    for (int bit = 0; bit < Rights.BITS; bit++) {
      Optional<Op> op = contribution.ops().at(bit);
      if (op.isPresent()) {
        Optional<Strike> struck =
            (counted & 1 << bit) != 0
                ? Optional.empty()
                : Optional.of(
                    new Strike(strikes.ops().at(bit).orElseThrow(), strikes.by(bit).orElseThrow()));
        parts.merge(new Part(op.get(), 0, struck), 1 << bit, (a, b) -> a | b);
      }
    }
    List<Part> list = new ArrayList<>();
    parts.forEach((part, bits) -> list.add(new Part(part.op(), bits, part.struck())));
    return list;
  }

  private static int struckBits(Fact fact) {
    int bits = 0;
    for (Source behind : fact.behind()) {
      for (Part part : behind.parts()) {
        bits |= part.struck().isPresent() ? part.bits() : 0;
      }
    }
    return bits;
  }

  private static List<GrantedRight> relationships(List<Edge> edges) {
    return edges.stream().flatMap(edge -> edge.grant().stream()).distinct().toList();
  }

  private List<ReachedId> subjects() {
    String subject = verdict.question().subject();
    Map<String, String> before = MembershipPaths.from(subject, verdict.subjectEdges(), _ -> true);
    List<ReachedId> reached = new ArrayList<>();
    verdict
        .subjects()
        .forEach(
            (id, rights) ->
                reached.add(
                    new ReachedId(
                        id,
                        rights,
                        id.equals(subject)
                            ? List.of()
                            : List.of(new LastStep(before.getOrDefault(id, subject), rights)))));
    return reached;
  }

  /// Each right has a way of its own, on which it is not lost.
  private List<ReachedId> resources(List<Edge> edges) {
    String resource = verdict.question().resource();
    List<Map<String, String>> before = new ArrayList<>();
    for (int bit = 0; bit < RIGHTS; bit++) {
      int right = 1 << bit;
      before.add(
          MembershipPaths.from(
              resource,
              edges,
              edge -> edge.marker() != Marker.EXCLUSIVE && (edge.rights() & right) != 0));
    }
    List<ReachedId> reached = new ArrayList<>();
    verdict
        .resources()
        .forEach((id, rights) -> reached.add(new ReachedId(id, rights, ways(before, id, rights))));
    return reached;
  }

  private List<LastStep> ways(List<Map<String, String>> before, String id, int rights) {
    String resource = verdict.question().resource();
    if (id.equals(resource)) {
      return List.of();
    }
    if (isGiven(id)) {
      return List.of(new LastStep(resource, Rights.ALL));
    }
    Map<String, Integer> ways = new TreeMap<>();
    for (int bit = 0; bit < RIGHTS; bit++) {
      if ((rights & 1 << bit) != 0) {
        ways.merge(before.get(bit).getOrDefault(id, resource), 1 << bit, (a, b) -> a | b);
      }
    }
    List<LastStep> list = new ArrayList<>();
    ways.forEach((from, some) -> list.add(new LastStep(from, some)));
    return list;
  }

  /// Whether the resource is in a group without any statement.
  private boolean isGiven(String group) {
    CheckRequest question = verdict.question();
    return !group.equals(question.resource())
        && (group.equals(IndexKey.ALL_RESOURCES) || question.implicit().contains(group));
  }

  private Reason reason(int right) {
    List<Integer> granting = new ArrayList<>();
    List<Integer> denying = new ArrayList<>();
    List<Integer> closing = new ArrayList<>();
    boolean uncapped = false;
    boolean effective = false;
    for (Match match : verdict.matches()) {
      Integer position = positions.get(id(match));
      if (position == null) {
        continue;
      }
      AclRecord record = match.found().record();
      if ((record.granted() & match.reach() & right) != 0) {
        granting.add(position);
        boolean left = !match.capped() || (verdict.ceiling() & right) != 0;
        uncapped |= left;
        effective |= left && (record.marker() != Marker.NONE || (verdict.closed() & right) == 0);
      }
      if ((record.denied() & match.reach() & right) != 0) {
        denying.add(position);
      }
      if ((closing(match) & right) != 0) {
        closing.add(position);
      }
    }
    List<Integer> approvals = new ArrayList<>();
    for (int i = 0; i < verdict.approvals().size(); i++) {
      if ((verdict.approvals().get(i).rights() & right) != 0) {
        approvals.add(i);
        boolean left = (verdict.ceiling() & right) != 0;
        uncapped |= left;
        effective |= left && (verdict.closed() & right) == 0;
      }
    }
    List.of(granting, denying, closing).forEach(positions -> positions.sort(null));
    boolean any = !granting.isEmpty() || !approvals.isEmpty();
    Outcome outcome = outcome(any, uncapped, effective, !denying.isEmpty());
    return new Reason(
        right,
        outcome,
        granting,
        denying,
        capping(right),
        closing,
        excluding(),
        struck(right),
        approvals);
  }

  private Outcome outcome(boolean any, boolean uncapped, boolean effective, boolean denied) {
    if (!any) {
      return Outcome.MISSING;
    }
    if (!effective) {
      return uncapped ? Outcome.CLOSED : Outcome.CAPPED;
    }
    if (denied) {
      return Outcome.DENIED;
    }
    return verdict.excluded() ? Outcome.EXCLUDED : Outcome.GRANTED;
  }

  /// The filters that do not leave a right; all, if none is named.
  private List<Integer> capping(int right) {
    return verdict.caps().stream()
        .filter(cap -> (cap.rights() & right) == 0)
        .map(cap -> new RecordId(IndexKey.filters(cap.object()), cap.filter()))
        .map(id -> positions.getOrDefault(id, -1))
        .sorted()
        .toList();
  }

  /// The exclusive memberships of the subject, if they take everything away.
  private List<Integer> excluding() {
    return !verdict.excluded()
        ? List.of()
        : verdict.subjectEdges().stream()
            .filter(
                edge ->
                    edge.marker() == Marker.EXCLUSIVE
                        && verdict.exclusiveGroups().contains(edge.to()))
            .map(edge -> positions.getOrDefault(id(edge), -1))
            .sorted()
            .toList();
  }

  private List<Integer> struck(int right) {
    List<Integer> struck = new ArrayList<>();
    for (int i = 0; i < facts.size(); i++) {
      int bits = struckBits(facts.get(i));
      if (((Rights.granted(bits) | Rights.denied(bits)) & right) != 0) {
        struck.add(i);
      }
    }
    return struck;
  }
}
