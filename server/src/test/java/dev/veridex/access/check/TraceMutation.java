package dev.veridex.access.check;

import dev.veridex.access.check.Trace.Fact;
import dev.veridex.access.check.Trace.LastStep;
import dev.veridex.access.check.Trace.Outcome;
import dev.veridex.access.check.Trace.Part;
import dev.veridex.access.check.Trace.ReachedId;
import dev.veridex.access.check.Trace.Reason;
import dev.veridex.access.check.Trace.Source;
import dev.veridex.access.check.Trace.Strike;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;

/// Changes one thing in a trace, so that it is not true any more.
public final class TraceMutation {
  private final Random random;

  public TraceMutation(Random random) {
    this.random = random;
  }

  public Trace of(Trace trace) {
    boolean facts = !trace.facts().isEmpty();
    return switch (random.nextInt(facts ? 8 : 4)) {
      case 0 -> with(trace, trace.rights() ^ 1 << random.nextInt(4), trace.facts());
      case 1 -> withReached(trace);
      case 2 -> withReasons(trace);
      case 3 -> withCeiling(trace);
      case 4 -> with(trace, trace.rights(), without(trace.facts()));
      case 5 -> with(trace, trace.rights(), changed(trace.facts(), this::otherAccess));
      case 6 -> with(trace, trace.rights(), changed(trace.facts(), this::otherMarker));
      default -> with(trace, trace.rights(), changed(trace.facts(), this::otherIndividuals));
    };
  }

  private <T> List<T> without(List<T> list) {
    List<T> less = new ArrayList<>(list);
    less.remove(random.nextInt(less.size()));
    return less;
  }

  private <T> List<T> changed(List<T> list, UnaryOperator<T> change) {
    List<T> other = new ArrayList<>(list);
    other.replaceAll(each -> each);
    int place = random.nextInt(other.size());
    other.set(place, change.apply(other.get(place)));
    return other;
  }

  private Fact otherAccess(Fact fact) {
    return new Fact(
        fact.id(), fact.access() ^ 1 << random.nextInt(8), fact.marker(), fact.behind());
  }

  private Fact otherMarker(Fact fact) {
    Marker other = fact.marker() == Marker.NONE ? Marker.EXCLUSIVE : Marker.NONE;
    return new Fact(fact.id(), fact.access(), other, fact.behind());
  }

  /// Somebody else said it, or at another time, or was struck by another, or nobody did.
  private Fact otherIndividuals(Fact fact) {
    if (fact.behind().isEmpty()) {
      return otherAccess(fact);
    }
    List<Source> behind = changed(fact.behind(), this::otherBehind);
    return new Fact(fact.id(), fact.access(), fact.marker(), behind);
  }

  private Source otherBehind(Source each) {
    int what = random.nextInt(4);
    if (what == 3 && !each.parts().isEmpty()) {
      return new Source(each.individual(), each.marker(), without(each.parts()));
    }
    if (what == 0) {
      return new Source(each.individual() + "?", each.marker(), each.parts());
    }
    if (what == 1 && !each.parts().isEmpty()) {
      return new Source(each.individual(), each.marker(), changed(each.parts(), this::otherPart));
    }
    Marker other = each.marker() == Marker.NONE ? Marker.IGNORES_EXCLUSIVE : Marker.NONE;
    return new Source(each.individual(), other, each.parts());
  }

  private Part otherPart(Part part) {
    if (part.struck().isEmpty() && random.nextBoolean()) {
      // As if somebody had struck it.
      Op later = new Op(part.op().opId() + random.nextInt(3), part.op().n() + 1);
      String anybody = "i" + random.nextInt(7);
      return new Part(part.op(), part.bits(), Optional.of(new Strike(later, anybody)));
    }
    return part.struck().isPresent()
        ? new Part(
            part.op(),
            part.bits(),
            Optional.of(new Strike(new Op(Long.MAX_VALUE, 0), part.struck().get().individual())))
        : new Part(new Op(part.op().opId() + 1000, 0), part.bits(), part.struck());
  }

  private Trace withReached(Trace trace) {
    boolean ofSubject = random.nextBoolean();
    UnaryOperator<ReachedId> change =
        each ->
            random.nextBoolean() || each.ways().isEmpty()
                ? new ReachedId(each.id(), each.rights() ^ 1 << random.nextInt(4), each.ways())
                : new ReachedId(each.id(), each.rights(), otherWays(each.ways()));
    return new Trace(
        trace.question(),
        trace.rights(),
        trace.time(),
        ofSubject ? changed(trace.subjects(), change) : trace.subjects(),
        ofSubject ? trace.resources() : changed(trace.resources(), change),
        trace.subjectMemberships(),
        trace.resourceMemberships(),
        trace.filters(),
        trace.ceiling(),
        trace.ceilingBy(),
        trace.facts(),
        trace.relationships(),
        trace.approvals(),
        trace.reasons());
  }

  private List<LastStep> otherWays(List<LastStep> ways) {
    return random.nextBoolean()
        ? without(ways)
        : changed(ways, way -> new LastStep(way.from() + "?", way.rights()));
  }

  private Trace withReasons(Trace trace) {
    UnaryOperator<Reason> change =
        reason ->
            new Reason(
                reason.right(),
                reason.outcome() == Outcome.MISSING ? Outcome.DENIED : Outcome.MISSING,
                reason.granting(),
                reason.denying(),
                reason.capping(),
                reason.closing(),
                reason.excluding(),
                reason.struck(),
                reason.approvals());
    return with(
        trace, trace.ceiling(), changed(trace.reasons(), change), trace.rights(), trace.facts());
  }

  private Trace withCeiling(Trace trace) {
    int other = trace.ceiling() ^ 1 << random.nextInt(4);
    return with(trace, other, trace.reasons(), trace.rights(), trace.facts());
  }

  private static Trace with(Trace trace, int rights, List<Fact> facts) {
    return with(trace, trace.ceiling(), trace.reasons(), rights, facts);
  }

  private static Trace with(
      Trace trace, int ceiling, List<Reason> reasons, int rights, List<Fact> facts) {
    return new Trace(
        trace.question(),
        rights,
        trace.time(),
        trace.subjects(),
        trace.resources(),
        trace.subjectMemberships(),
        trace.resourceMemberships(),
        trace.filters(),
        ceiling,
        trace.ceilingBy(),
        facts,
        trace.relationships(),
        trace.approvals(),
        reasons);
  }
}
