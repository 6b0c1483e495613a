package dev.veridex.http.routes.access;

import dev.veridex.access.RightsChecker;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.Trace;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Questions to the access index, and its answers.
final class CheckShapes {
  /// A check of a batch.
  record CheckQuery(
      Optional<String> subject,
      String resource,
      int rights,
      Optional<String> filter,
      Optional<String> bucket,
      boolean explain) {

    /// The question, for a caller who may mean himself.
    RightsChecker.Query by(Optional<String> caller) {
      return new RightsChecker.Query(
          CheckRequest.of(CheckShapes.subject(subject, caller), resource, filter, bucket), explain);
    }
  }

  /// Whom a question is about, for a caller who may mean himself.
  static String subject(Optional<String> named, Optional<String> caller) {
    return named
        .or(() -> caller)
        .orElseThrow(
            () ->
                new VeridexException(
                    Problem.of(
                            ErrorCode.SUBJECT_REQUIRED,
                            "a token that stands for nobody asks for somebody")
                        .with("parameter", "subject")));
  }

  private static final Member<String> SUBJECT =
      Member.optional("subject", Type.ID, "who would act; absent: the caller");
  private static final Member<String> RESOURCE = Member.required("resource", Type.ID, "on what");
  private static final Member<Integer> WANTED =
      Member.optional("rights", AccessTypes.RIGHTS, "which rights; absent: all four");
  private static final Member<String> UNDER =
      Member.optional("filter", Type.TEXT, "the filter under which it is asked");
  private static final Member<String> BUCKET =
      Member.optional("bucket", Type.TEXT, "the bucket that the resource is in");
  private static final Member<Boolean> EXPLAIN =
      Member.optional("explain", Type.BOOLEAN, "whether to say why");
  private static final Shape<CheckQuery> CHECK =
      Shape.in(
          "Check",
          List.of(SUBJECT, RESOURCE, WANTED, UNDER, BUCKET, EXPLAIN),
          given ->
              new CheckQuery(
                  given.find(SUBJECT),
                  given.get(RESOURCE),
                  given.find(WANTED).orElse(Rights.ALL),
                  given.find(UNDER),
                  given.find(BUCKET),
                  given.find(EXPLAIN).orElse(false)));

  /// A batch of questions.
  record Batch(List<CheckQuery> checks, Optional<String> at, Optional<String> atLeast) {}

  private static final Member<List<CheckQuery>> CHECKS =
      Member.required("checks", Type.list(Type.object(CHECK)), "at most 1000");
  private static final Member<String> AT =
      Member.optional("at", Type.TEXT, AsOfParameter.AT_MEANING);
  private static final Member<String> AT_LEAST =
      Member.optional("atLeast", Type.TEXT, AsOfParameter.AT_LEAST_MEANING);
  static final Shape<Batch> BATCH =
      Shape.in(
          "CheckBatch",
          List.of(CHECKS, AT, AT_LEAST),
          given -> new Batch(given.get(CHECKS), given.find(AT), given.find(AT_LEAST)));

  static JsonNode batchExample() {
    ObjectNode batch = JsonNodeFactory.instance.objectNode();
    batch
        .putArray("checks")
        .addObject()
        .put("subject", "d:user_alice")
        .put("resource", "d:document_123")
        .put("rights", "RU");
    return batch;
  }

  /// An answer, at a revision if it stands alone.
  record CheckAnswer(int requested, int rights, Optional<Trace> trace, Optional<String> revision) {}

  private static final Member<Boolean> GRANTED =
      Member.required("granted", Type.BOOLEAN, "whether all requested rights are there");
  private static final Member<Integer> GIVEN =
      Member.required("rights", AccessTypes.RIGHTS, "those requested that are there");
  private static final Member<Integer> ALL_RIGHTS =
      Member.required("allRights", AccessTypes.RIGHTS, "all that are there");
  private static final Member<Trace> TRACE =
      Member.optional("trace", Type.object(TraceShapes.TRACE), "why");
  private static final Member<String> REVISION =
      Member.optional("revision", Type.TEXT, "of the state that was looked at");
  static final Shape<CheckAnswer> ANSWER =
      Shape.out(
          "CheckAnswer",
          List.of(GRANTED, GIVEN, ALL_RIGHTS, REVISION, TRACE),
          (answer, out) ->
              out.put(GRANTED, (answer.requested & ~answer.rights) == 0)
                  .put(GIVEN, answer.requested & answer.rights)
                  .put(ALL_RIGHTS, answer.rights)
                  .put(REVISION, answer.revision)
                  .put(TRACE, answer.trace));

  /// Answers at a revision.
  record Answers(List<CheckAnswer> results, String revision) {}

  private static final Member<List<CheckAnswer>> ANSWERS =
      Member.required("results", Type.list(Type.object(ANSWER)), "one for each, in order");
  static final Shape<Answers> ANSWERS_SHAPE =
      Shape.out(
          "CheckAnswers",
          List.of(ANSWERS, WriteReceipt.REVISION),
          (answers, out) ->
              out.put(ANSWERS, answers.results).put(WriteReceipt.REVISION, answers.revision));

  private CheckShapes() {}
}
