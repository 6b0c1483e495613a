package dev.veridex.http.routes.access;

import dev.veridex.access.AsOf;
import dev.veridex.access.AtRevision;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Routes of access checks, single and in batches.
public final class CheckRoutes {
  private static final int MAX_CHECKS = 1000;
  private static final int MAX_EXPLAINED = 20;

  static final Parameter<String> SUBJECT =
      Parameter.query("subject", Type.ID, "who would act; absent: the caller");
  static final Parameter<String> RESOURCE =
      new Parameter<>("resource", Parameter.In.QUERY, Type.ID, true, "on what");
  private static final Parameter<Integer> RIGHTS =
      Parameter.query("rights", AccessTypes.RIGHTS, "which rights, as RU; absent: all four");
  private static final Parameter<String> FILTER =
      Parameter.query("filter", Type.TEXT, "the filter under which it is asked");
  static final Parameter<String> BUCKET =
      Parameter.query("bucket", Type.TEXT, "the bucket that the resource is in");
  private static final Parameter<Boolean> EXPLAIN =
      Parameter.query("explain", Type.BOOLEAN, "true: say why");

  static final String WHO_MAY_ASK =
      "for oneself: a token with that subject; for others: scope admin, or a service that may"
          + " impersonate";

  private final RightsChecker answers;
  private final RevisionSeal seal;

  public CheckRoutes(RightsChecker answers, RevisionSeal seal) {
    this.answers = answers;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.GET,
                AccessRoutes.ACCESS + "/check",
                "access.check",
                "May a subject do something?")
            .needs(new RequiredRight.Owns<>(new ScopeSource.Inside<>(), WHO_MAY_ASK))
            .takes(
                Route.ACCOUNT,
                SUBJECT,
                RESOURCE,
                RIGHTS,
                FILTER,
                BUCKET,
                EXPLAIN,
                AsOfParameter.AT,
                AsOfParameter.AT_LEAST)
            .answers(Reply.json(200, CheckShapes.ANSWER), this::check),
        Route.of(
                Method.POST,
                AccessRoutes.ACCESS + "/check",
                "access.checks",
                "Many such questions, answered from one state")
            .reads(CheckShapes.BATCH, CheckShapes.batchExample())
            .needs(new RequiredRight.Owns<>(new ScopeSource.Inside<>(), WHO_MAY_ASK))
            .takes(Route.ACCOUNT)
            .answers(Reply.json(200, CheckShapes.ANSWERS_SHAPE), this::checks));
  }

  private Answer<CheckShapes.CheckAnswer> check(Call<NoBody> call) {
    CheckShapes.CheckQuery asked =
        new CheckShapes.CheckQuery(
            call.find(SUBJECT),
            call.find(RESOURCE).orElseThrow(() -> required(RESOURCE)),
            call.find(RIGHTS).orElse(Rights.ALL),
            call.find(FILTER),
            call.find(BUCKET),
            call.find(EXPLAIN).orElse(false));
    CheckShapes.Answers answers = check(call, List.of(asked), AsOfParameter.of(call, seal));
    CheckShapes.CheckAnswer first = answers.results().getFirst();
    return Answer.at(
        answers.revision(),
        new CheckShapes.CheckAnswer(
            first.requested(), first.rights(), first.trace(), Optional.of(answers.revision())));
  }

  private Answer<CheckShapes.Answers> checks(Call<CheckShapes.Batch> call) {
    List<CheckShapes.CheckQuery> checks = call.body().checks();
    if (checks.size() > MAX_CHECKS) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "too many checks in one request")
              .at("/checks")
              .with("max", MAX_CHECKS));
    }
    if (checks.stream().filter(CheckShapes.CheckQuery::explain).count() > MAX_EXPLAINED) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "too many checks to explain in one request")
              .at("/checks")
              .with("max", MAX_EXPLAINED));
    }
    CheckShapes.Answers answers =
        check(call, checks, AsOfParameter.of(call.body().at(), call.body().atLeast(), seal));
    return Answer.at(answers.revision(), answers);
  }

  private CheckShapes.Answers check(
      Call<?> call, List<CheckShapes.CheckQuery> checks, AsOf moment) {
    Optional<String> caller = call.who().subject();
    AtRevision<List<RightsChecker.Answer>> checked =
        this.answers.check(
            call.who(),
            Namespace.of(call.scope()),
            checks.stream().map(asked -> asked.by(caller)).toList(),
            moment);
    List<CheckShapes.CheckAnswer> answers = new ArrayList<>(checks.size());
    for (int i = 0; i < checks.size(); i++) {
      RightsChecker.Answer each = checked.value().get(i);
      each.trace()
          .ifPresent(trace -> call.room().accept((long) AccessRoutes.PART_BYTES * trace.size()));
      answers.add(
          new CheckShapes.CheckAnswer(
              checks.get(i).rights(), each.rights(), each.trace(), Optional.empty()));
    }
    return new CheckShapes.Answers(answers, seal.seal(checked.revision()));
  }

  public static VeridexException required(Parameter<?> parameter) {
    return new VeridexException(
        Problem.of(ErrorCode.BAD_REQUEST, "this parameter is missing")
            .with("parameter", parameter.name()));
  }
}
