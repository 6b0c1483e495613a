package dev.veridex.http.routes.documents;

import dev.veridex.access.check.Trace;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.routes.access.TraceShapes;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.search.query.VisibilityReasons;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// JSON shapes of why a document is visible to a subject or is not.
final class WhyShapes {
  private WhyShapes() {}

  /// A document and a subject.
  record WhyRequest(String pk, Optional<String> as) {}

  private static final Member<String> PK =
      Member.required("pk", Type.TEXT, "the key of the document");
  static final Member<String> AS =
      Member.optional(
          "as", Type.ID, "the subject whose rights count; for administrators and services");

  static final Shape<WhyRequest> ASKED_SHAPE =
      Shape.in("Why", List.of(PK, AS), given -> new WhyRequest(given.get(PK), given.find(AS)));

  static JsonNode example() {
    return JsonNodeFactory.instance.objectNode().put("pk", "bike-1").put("as", "d:user_alice");
  }

  /// The explanation.
  record WhyAnswer(String pk, VisibilityReasons.Explanation explained, String revision) {}

  private static final Member<Boolean> VISIBLE =
      Member.required("visible", Type.BOOLEAN, "whether searches show it to the subject");
  private static final Member<VisibilityReasons.Reason> BECAUSE =
      Member.required(
          "because",
          Type.choice(
              List.of(VisibilityReasons.Reason.values()),
              each -> each.name().toLowerCase(Locale.ROOT).replace('_', '-')),
          "what decides that");
  static final Member<List<Trace>> WHY =
      Member.optional(
          "why",
          Type.list(Type.object(TraceShapes.TRACE)),
          "what the subject may do to each resource of the document, and why");

  static final Shape<WhyAnswer> ANSWER =
      Shape.out(
          "WhyAnswer",
          List.of(PK, VISIBLE, BECAUSE, WHY, WriteReceipt.REVISION),
          (answered, out) ->
              out.put(PK, answered.pk)
                  .put(VISIBLE, answered.explained.because() == VisibilityReasons.Reason.VISIBLE)
                  .put(BECAUSE, answered.explained.because())
                  .put(WHY, Optional.of(answered.explained.why()))
                  .put(WriteReceipt.REVISION, answered.revision));
}
