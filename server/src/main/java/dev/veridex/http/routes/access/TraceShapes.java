package dev.veridex.http.routes.access;

import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.Trace;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.statement.Op;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// JSON shapes of the trace of a check.
public final class TraceShapes {
  private static final Type<Long> NUMBER = Type.whole(0, Long.MAX_VALUE);
  private static final Type<List<Long>> POSITIONS = Type.list(NUMBER);

  // What was reached.

  private static final Member<String> ID = Member.required("id", Type.TEXT, "of what was reached");
  private static final Member<Integer> WITH =
      Member.required("rights", AccessTypes.RIGHTS, "with which rights");
  private static final Member<String> FROM = Member.required("from", Type.TEXT, "from where");
  private static final Member<Integer> COME =
      Member.required("rights", AccessTypes.RIGHTS, "which rights came this way");
  private static final Shape<Trace.LastStep> WAY =
      Shape.out(
          "Way",
          List.of(FROM, COME),
          (way, out) -> out.put(FROM, way.from()).put(COME, way.rights()));
  private static final Member<List<Trace.LastStep>> WAYS =
      Member.required(
          "ways", Type.list(Type.object(WAY)), "the last steps there; none to the beginning");
  private static final Shape<Trace.ReachedId> REACHED =
      Shape.out(
          "Reached",
          List.of(ID, WITH, WAYS),
          (reached, out) ->
              out.put(ID, reached.id()).put(WITH, reached.rights()).put(WAYS, reached.ways()));

  // Records and who is behind them.

  private static final Member<String> STRIKER =
      Member.required("individual", Type.TEXT, "that struck");
  private static final Member<Op> STRIKE = Member.required("op", AccessTypes.OP, "when");
  private static final Shape<Trace.Strike> STRUCK =
      Shape.out(
          "Strike",
          List.of(STRIKER, STRIKE),
          (struck, out) -> out.put(STRIKER, struck.individual()).put(STRIKE, struck.op()));

  private static final Member<Op> SAID = Member.required("op", AccessTypes.OP, "when it said so");
  private static final Member<Trace.Strike> STRUCK_BY =
      Member.optional("struckBy", Type.object(STRUCK), "who struck it, if it counts no more");
  private static final Shape<Trace.Part> PART = part();

  private static final Member<String> INDIVIDUAL =
      Member.required("id", Type.TEXT, "of the individual");
  private static final Member<String> MARKER =
      Member.required("marker", Type.TEXT, "X exclusive, N ignores exclusive ones, 0 neither");
  private static final Member<List<Trace.Part>> PARTS =
      Member.required("says", Type.list(Type.object(PART)), "none: it names no right");
  private static final Shape<Trace.Source> BEHIND =
      Shape.out(
          "Behind",
          List.of(INDIVIDUAL, MARKER, PARTS),
          (behind, out) ->
              out.put(INDIVIDUAL, behind.individual())
                  .put(MARKER, behind.marker().text())
                  .put(PARTS, behind.parts()));

  private static final Member<List<Trace.Source>> INDIVIDUALS =
      Member.required("individuals", Type.list(Type.object(BEHIND)), "who says so");
  private static final Shape<Trace.Fact> FACT = fact();

  // What grants give.

  private static final Member<String> MEMBER = Member.required("member", Type.TEXT, "who is in");
  private static final Member<String> RELATION =
      Member.required("relation", Type.TEXT, "of the relationship");
  private static final Member<String> GROUP = Member.required("group", Type.TEXT, "in what");
  private static final Member<String> GRANTED_BY =
      Member.required("grantedBy", Type.TEXT, "who gave it");
  private static final Member<Instant> GRANTED_AT =
      Member.required("grantedAt", Type.TIME, "since when");
  private static final Member<Instant> EXPIRES =
      Member.optional("expiresAt", Type.TIME, "from when on it does not count; absent: no end");
  private static final Shape<GrantedRight> RELATIONSHIP =
      Shape.out(
          "MembershipRelationship",
          List.of(MEMBER, RELATION, GROUP, GRANTED_BY, GRANTED_AT, EXPIRES),
          (each, out) ->
              given(
                  each,
                  out.put(MEMBER, each.id().key().object())
                      .put(RELATION, each.name())
                      .put(GROUP, each.id().subject())));
  private static final Member<String> ACTION =
      Member.required("action", Type.TEXT, "of the approval");
  private static final Member<Integer> APPROVED =
      Member.required("rights", AccessTypes.RIGHTS, "that it gives");
  private static final Shape<GrantedRight> APPROVAL =
      Shape.out(
          "ApprovedRights",
          List.of(ACTION, APPROVED, GRANTED_BY, GRANTED_AT, EXPIRES),
          (each, out) -> given(each, out.put(ACTION, each.name()).put(APPROVED, each.rights())));

  // What became of each right.

  private static final Member<Integer> RIGHT =
      Member.required("right", AccessTypes.RIGHTS, "one letter");
  private static final Member<Trace.Outcome> OUTCOME =
      Member.required(
          "outcome",
          Type.choice(List.of(Trace.Outcome.values()), Trace.Outcome::text),
          "what became of it");
  private static final Member<List<Long>> GRANTING =
      Member.required("granting", POSITIONS, "records that grant it");
  private static final Member<List<Long>> DENYING =
      Member.required("denying", POSITIONS, "records that deny it");
  private static final Member<List<Long>> CAPPING =
      Member.required("capping", POSITIONS, "filters that do not leave it");
  private static final Member<List<Long>> CLOSING =
      Member.required("closing", POSITIONS, "exclusive records that grant it");
  private static final Member<List<Long>> EXCLUDING =
      Member.required("excluding", POSITIONS, "exclusive memberships that take everything away");
  private static final Member<List<Long>> STRICKEN =
      Member.required("struck", POSITIONS, "records in which it was named and struck");
  private static final Member<List<Long>> APPROVING =
      Member.required("approvals", POSITIONS, "approvals that grant it");
  private static final Shape<Trace.Reason> REASON =
      Shape.out(
          "Reason",
          List.of(
              RIGHT, OUTCOME, GRANTING, DENYING, CAPPING, CLOSING, EXCLUDING, STRICKEN, APPROVING),
          (reason, out) ->
              out.put(RIGHT, reason.right())
                  .put(OUTCOME, reason.outcome())
                  .put(GRANTING, positions(reason.granting()))
                  .put(DENYING, positions(reason.denying()))
                  .put(CAPPING, positions(reason.capping()))
                  .put(CLOSING, positions(reason.closing()))
                  .put(EXCLUDING, positions(reason.excluding()))
                  .put(STRICKEN, positions(reason.struck()))
                  .put(APPROVING, positions(reason.approvals())));

  // All of it.

  private static final Member<String> SUBJECT = Member.required("subject", Type.TEXT, "who");
  private static final Member<String> RESOURCE = Member.required("resource", Type.TEXT, "on what");
  private static final Member<String> FILTER =
      Member.optional("filter", Type.TEXT, "under which it was asked");
  private static final Member<List<String>> IMPLICIT =
      Member.required(
          "implicitGroups", Type.list(Type.TEXT), "that the resource is in without a statement");
  private static final Member<Integer> RIGHTS =
      Member.required("rights", AccessTypes.RIGHTS, "all that are there");
  private static final Member<Instant> TIME =
      Member.required("time", Type.TIME, "at which nothing here had expired");
  private static final Member<List<Trace.ReachedId>> SUBJECTS =
      Member.required("subjects", Type.list(Type.object(REACHED)), "for whom the subject passes");
  private static final Member<List<Trace.ReachedId>> RESOURCES =
      Member.required("resources", Type.list(Type.object(REACHED)), "as what the resource passes");
  private static final Member<Long> SUBJECT_MEMBERSHIPS =
      Member.required("subjectMemberships", NUMBER, "how many lead to the subjects");
  private static final Member<Long> RESOURCE_MEMBERSHIPS =
      Member.required("resourceMemberships", NUMBER, "how many lead to the resources");
  private static final Member<List<String>> FILTERS =
      Member.required("filters", Type.list(Type.TEXT), "that are active");
  private static final Member<Integer> CEILING =
      Member.required("ceiling", AccessTypes.RIGHTS, "what filters leave");
  private static final Member<List<Long>> CEILING_BY =
      Member.required("ceilingBy", POSITIONS, "the records of filters that are in force");
  private static final Member<List<Trace.Fact>> RECORDS =
      Member.required("records", Type.list(Type.object(FACT)), "elsewhere named by their position");
  private static final Member<List<GrantedRight>> RELATIONSHIPS =
      Member.required(
          "relationships", Type.list(Type.object(RELATIONSHIP)), "memberships without statement");
  private static final Member<List<GrantedRight>> APPROVALS =
      Member.required("approvals", Type.list(Type.object(APPROVAL)), "that are alive");
  private static final Member<List<Trace.Reason>> REASONS =
      Member.required("reasons", Type.list(Type.object(REASON)), "one for each right");

  public static final Shape<Trace> TRACE =
      Shape.out(
          "Trace",
          List.of(
              SUBJECT,
              RESOURCE,
              FILTER,
              IMPLICIT,
              RIGHTS,
              TIME,
              REASONS,
              SUBJECTS,
              RESOURCES,
              SUBJECT_MEMBERSHIPS,
              RESOURCE_MEMBERSHIPS,
              FILTERS,
              CEILING,
              CEILING_BY,
              RECORDS,
              RELATIONSHIPS,
              APPROVALS),
          TraceShapes::write);

  private TraceShapes() {}

  private static void write(Trace trace, AnswerObject out) {
    CheckRequest question = trace.question();
    out.put(SUBJECT, question.subject())
        .put(RESOURCE, question.resource())
        .put(FILTER, question.filter())
        .put(IMPLICIT, question.implicit())
        .put(RIGHTS, trace.rights())
        .put(TIME, trace.time())
        .put(REASONS, trace.reasons())
        .put(SUBJECTS, trace.subjects())
        .put(RESOURCES, trace.resources())
        .put(SUBJECT_MEMBERSHIPS, (long) trace.subjectMemberships())
        .put(RESOURCE_MEMBERSHIPS, (long) trace.resourceMemberships())
        .put(FILTERS, trace.filters())
        .put(CEILING, trace.ceiling())
        .put(CEILING_BY, positions(trace.ceilingBy()))
        .put(RECORDS, trace.facts())
        .put(RELATIONSHIPS, trace.relationships())
        .put(APPROVALS, trace.approvals());
  }

  private static void given(GrantedRight grant, AnswerObject out) {
    out.put(GRANTED_BY, grant.grantor()).put(GRANTED_AT, grant.since()).put(EXPIRES, grant.end());
  }

  private static Shape<Trace.Part> part() {
    List<Member<?>> members = new ArrayList<>(List.of(SAID));
    members.addAll(AccessTypes.BITS);
    members.add(STRUCK_BY);
    return Shape.out(
        "Said",
        members,
        (part, out) -> {
          out.put(SAID, part.op()).put(STRUCK_BY, part.struck());
          AccessTypes.writeBits(part.bits(), out);
        });
  }

  private static Shape<Trace.Fact> fact() {
    List<Member<?>> members = new ArrayList<>(AccessTypes.ID);
    members.addAll(AccessTypes.BITS);
    members.addAll(List.of(MARKER, INDIVIDUALS));
    return Shape.out(
        "TracedRecord",
        members,
        (fact, out) -> {
          AccessTypes.write(fact.id(), out);
          AccessTypes.writeBits(fact.access(), out);
          out.put(MARKER, fact.marker().text()).put(INDIVIDUALS, fact.behind());
        });
  }

  private static List<Long> positions(List<Integer> positions) {
    return positions.stream().map(Integer::longValue).toList();
  }
}
