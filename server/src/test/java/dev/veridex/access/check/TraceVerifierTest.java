package dev.veridex.access.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.access.TestIndex;
import dev.veridex.access.check.Trace.Fact;
import dev.veridex.access.check.Trace.Outcome;
import dev.veridex.access.check.Trace.Part;
import dev.veridex.access.check.Trace.Reason;
import dev.veridex.access.check.Trace.Source;
import dev.veridex.access.check.Trace.Strike;
import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.Rights;
import dev.veridex.json.JsonText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Traces that are forged as a whole, so that they agree with themselves.
final class TraceVerifierTest {
  private final TestIndex index = new TestIndex();

  private void apply(long opId, String state) {
    String message = "{'cmd':'update','opId':%d,'newState':%s}".formatted(opId, state);
    index.apply(JsonText.read(message.replace('\'', '"').getBytes(UTF_8)));
  }

  private static String statement(String id, String more) {
    return "{'@id':'%s','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'d','v-s:permissionSubject':'u',%s}"
        .formatted(id, more);
  }

  private Trace trace() {
    CheckRequest question = CheckRequest.of("u", "d", Optional.empty(), Optional.empty());
    return index.read(
        reader ->
            Explainer.of(
                reader,
                Check.of(new AccessIndexView(reader, Instant.EPOCH), question),
                Instant.EPOCH));
  }

  private Optional<String> verify(Trace trace) {
    return TraceVerifier.verify(
        trace, id -> index.read(reader -> reader.known(id, Integer.MAX_VALUE)), _ -> false);
  }

  /// The trace of a denied R, as if what denies it were not there.
  private static Trace granted(Trace trace, UnaryOperator<Source> forged) {
    Fact fact = trace.facts().getFirst();
    List<Source> behind = new ArrayList<>(fact.behind());
    behind.replaceAll(forged);
    int denied = Rights.denial(Rights.READ);
    Fact other = new Fact(fact.id(), fact.access() & ~denied, fact.marker(), behind);
    List<Reason> reasons = new ArrayList<>(trace.reasons());
    Reason reason = reasons.get(1);
    boolean struck =
        behind.stream()
            .flatMap(each -> each.parts().stream())
            .anyMatch(part -> part.struck().isPresent());
    reasons.set(
        1,
        new Reason(
            reason.right(),
            Outcome.GRANTED,
            reason.granting(),
            List.of(),
            reason.capping(),
            reason.closing(),
            reason.excluding(),
            struck ? List.of(0) : List.of(),
            reason.approvals()));
    return new Trace(
        trace.question(),
        trace.rights() | Rights.READ,
        trace.time(),
        trace.subjects(),
        trace.resources(),
        trace.subjectMemberships(),
        trace.resourceMemberships(),
        trace.filters(),
        trace.ceiling(),
        trace.ceilingBy(),
        List.of(other),
        trace.relationships(),
        trace.approvals(),
        reasons);
  }

  private static Source struck(Source behind, String by, long opId) {
    List<Part> parts = new ArrayList<>(behind.parts());
    parts.replaceAll(
        part -> new Part(part.op(), part.bits(), Optional.of(new Strike(new Op(opId, 0), by))));
    return new Source(behind.individual(), behind.marker(), parts);
  }

  @Test
  void whatACommandKeptCannotBeLeftOut() {
    apply(5, statement("a", "'v-s:canRead':false,'v-s:dropCount':true"));
    apply(10, statement("a", "'v-s:canUpdate':true,'v-s:dropCount':true"));
    apply(11, statement("b", "'v-s:canRead':true"));
    Trace trace = trace();
    assertThat(verify(trace)).isEmpty();
    assertThat(trace.reasons().get(1).outcome()).isEqualTo(Outcome.DENIED);
    Trace forged =
        granted(
            trace,
            each ->
                each.individual().equals("a")
                    ? new Source(
                        "a",
                        each.marker(),
                        each.parts().stream().filter(part -> part.op().opId() == 10).toList())
                    : each);
    assertThat(verify(forged)).contains("it says something else: Pd u");
  }

  @Test
  void nobodyStrikesByBeingDeletedOrByHavingSaidSomethingLater() {
    apply(5, statement("a", "'v-s:canRead':false"));
    apply(6, statement("b", "'v-s:canRead':true"));
    apply(7, statement("gone", "'v-s:canRead':false,'v-s:deleted':true,'v-s:updateCounter':7"));
    apply(90, statement("other", "'v-s:canUpdate':true"));
    Trace trace = trace();
    assertThat(verify(trace)).isEmpty();
    for (Strike by :
        List.of(new Strike(new Op(7, 0), "gone"), new Strike(new Op(50, 0), "other"))) {
      Trace forged =
          granted(
              trace,
              each ->
                  each.individual().equals("a")
                      ? struck(each, by.individual(), by.op().opId())
                      : each);
      assertThat(verify(forged)).contains("it was not struck: Pd u");
    }
  }

  @Test
  void aStrikeIsProvedAlsoWhenItsAuthorSaidSomethingElseSince() {
    apply(5, statement("a", "'v-s:canRead':false"));
    apply(6, statement("b", "'v-s:canRead':true,'v-s:canUpdate':true"));
    apply(7, statement("c", "'v-s:canRead':false,'v-s:dropCount':true,'v-s:deleted':true"));
    apply(8, "{'@id':'c','rdf:type':'v-s:Document'}");
    Trace trace = trace();
    assertThat(verify(trace)).isEmpty();
    assertThat(Rights.letters(trace.rights())).isEqualTo("RU");
    assertThat(trace.reasons().get(1).struck()).isNotEmpty();
  }
}
