package dev.veridex.http.routes.grants;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.grants.Grant;
import dev.veridex.grants.GrantReader;
import dev.veridex.grants.RelationType;
import dev.veridex.grants.RelationshipPaths;
import dev.veridex.grants.RelationshipPaths.PathResult;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Shortest paths over relationships.
public final class PathRoutes {
  private static final Parameter<String> SUBJECT =
      Parameter.query("subject", Type.TEXT, "where the path begins");
  private static final Parameter<String> RELATION =
      Parameter.query("relation", Type.TEXT, "the relation that all of its steps have");
  private static final Parameter<String> OBJECT =
      Parameter.query("object", Type.TEXT, "where the path ends");
  private static final Parameter<Long> MAX_DEPTH =
      Parameter.query(
          "maxDepth",
          Type.whole(1, RelationshipPaths.MAX_DEPTH),
          "how many steps it has at most; 10 if absent");

  private static final Member<String> FROM = Member.required("subject", Type.TEXT, "from");
  private static final Member<String> TO = Member.required("object", Type.TEXT, "to");
  private static final Member<String> TYPE = Member.required("type", Type.TEXT, "of what type");
  private static final Member<Instant> UNTIL =
      Member.optional("expiresAt", Type.TIME, "from when on the step is not there");
  private static final Shape<Grant> STEP =
      Shape.out(
          "PathStep",
          List.of(FROM, TO, TYPE, UNTIL),
          (step, out) ->
              out.put(FROM, step.key().first())
                  .put(TO, step.key().third())
                  .put(TYPE, step.type().map(RelationType::text).orElse(""))
                  .put(UNTIL, step.life().expiresAt()));

  private static final Member<Boolean> FOUND =
      Member.required("found", Type.BOOLEAN, "whether there is one");
  private static final Member<Long> LENGTH =
      Member.optional("length", Type.whole(1, Long.MAX_VALUE), "how many steps the shortest has");
  private static final Member<List<Grant>> PATH =
      Member.optional("path", Type.list(Type.object(STEP)), "a shortest one, step by step");
  private static final Member<String> CODE =
      Member.optional(
          "code",
          Type.TEXT,
          "MAX_DEPTH_EXCEEDED: none up to the greatest depth, and deeper was not looked");
  private static final Shape<PathAnswer> ANSWER =
      Shape.out(
          "RelationshipPath",
          List.of(FOUND, LENGTH, PATH, CODE, WriteReceipt.REVISION),
          (answer, out) -> {
            out.put(FOUND, answer.result instanceof PathResult.Found)
                .put(WriteReceipt.REVISION, answer.revision);
            switch (answer.result) {
              case PathResult.Found(List<Grant> steps) ->
                  out.put(LENGTH, (long) steps.size()).put(PATH, steps);
              case PathResult.None() -> {}
              case PathResult.MaxDepthExceeded() -> out.put(CODE, "MAX_DEPTH_EXCEEDED");
            }
          });

  private record PathAnswer(PathResult result, String revision) {}

  private final RelationshipPaths paths;
  private final RevisionSeal seal;

  public PathRoutes(RelationshipPaths paths, RevisionSeal seal) {
    this.paths = paths;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.GET,
                "/v1/relationships/path",
                "relationship.path",
                "A shortest path over live relationships of one relation")
            .needs(
                new RequiredRight.Owns<>(
                    new ScopeSource.Query<>(),
                    "a user for oneself; scope admin, or an impersonating service"))
            .takes(SUBJECT, RELATION, OBJECT, MAX_DEPTH)
            .answers(Reply.json(200, ANSWER), this::find));
  }

  private Answer<PathAnswer> find(Call<NoBody> call) {
    GrantReader.Answered<PathResult> found =
        paths.find(
            call.caller(),
            call.scope(),
            required(call, SUBJECT),
            required(call, RELATION),
            required(call, OBJECT),
            call.find(MAX_DEPTH).map(Math::toIntExact).orElse(RelationshipPaths.USUAL_DEPTH));
    String sealed = seal.seal(found.revision());
    return Answer.at(sealed, new PathAnswer(found.value(), sealed));
  }

  private static String required(Call<NoBody> call, Parameter<String> parameter) {
    Optional<String> given = call.find(parameter);
    return given.orElseThrow(
        () ->
            new VeridexException(
                Problem.of(ErrorCode.BAD_REQUEST, "The %s is missing.".formatted(parameter.name()))
                    .with("parameter", parameter.name())));
  }
}
