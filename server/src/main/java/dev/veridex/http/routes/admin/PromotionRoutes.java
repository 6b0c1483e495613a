package dev.veridex.http.routes.admin;

import dev.veridex.buckets.Promotions;
import dev.veridex.buckets.Promotions.Plan;
import dev.veridex.buckets.Promotions.Step;
import dev.veridex.buckets.Promotions.TtlStep;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.TtlPolicy;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.ChangeReply;
import dev.veridex.http.routes.TtlShapes;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;

/// Promotion of bucket settings from one environment to another.
public final class PromotionRoutes {
  private static final Member<String> TO =
      Member.required("to", Type.TEXT, "the environment that receives them");
  private static final Member<List<String>> BUCKETS =
      Member.optional("buckets", Type.list(Type.TEXT), "which buckets; absent: all of them");
  private static final Member<String> PLAN =
      Member.optional(
          "plan", Type.TEXT, "the plan to carry out, as it was answered before; absent: make one");

  private static final Member<Boolean> TTL =
      Member.optional(
          "ttl",
          Type.BOOLEAN,
          "whether to copy the TTL policy of the environment; absent: if no buckets are named");

  private record PromotionRequest(
      String to, Optional<List<String>> buckets, boolean ttl, Optional<String> plan) {}

  private static final Shape<PromotionRequest> WANTED =
      Shape.in(
          "PromotionRequest",
          List.of(TO, BUCKETS, TTL, PLAN),
          given ->
              new PromotionRequest(
                  given.get(TO),
                  given.find(BUCKETS),
                  given.find(TTL).orElse(given.find(BUCKETS).isEmpty()),
                  given.find(PLAN)));

  private static final Member<String> BUCKET = Member.required("bucket", Type.TEXT, "its name");
  private static final Member<String> CHANGE =
      Member.required("change", Type.TEXT, "create, change, nothing or conflict");
  private static final Member<BucketShapes.BucketRequest> BEFORE =
      Member.optional("before", BucketShapes.SETTINGS_TYPE, "what it is there");
  private static final Member<BucketShapes.BucketRequest> AFTER =
      Member.required("after", BucketShapes.SETTINGS_TYPE, "what it will be");

  private static final Shape<Step> STEP =
      Shape.out(
          "PromotionStep",
          List.of(BUCKET, CHANGE, BEFORE, AFTER),
          (step, out) ->
              out.put(BUCKET, step.after().name())
                  .put(CHANGE, step.kind().text())
                  .put(BEFORE, step.before().map(BucketShapes.BucketRequest::of))
                  .put(AFTER, BucketShapes.BucketRequest.of(step.after())));

  private static final Member<String> ID =
      Member.required("plan", Type.TEXT, "hand it back to have it carried out");
  private static final Member<Boolean> APPLIED =
      Member.required("applied", Type.BOOLEAN, "whether it was carried out");
  private static final Member<List<Step>> STEPS =
      Member.required("changes", Type.list(Type.object(STEP)), "what happens to each bucket");

  private static final Member<TtlPolicy> TTL_BEFORE =
      Member.optional("before", TtlShapes.POLICY, "what it is there");
  private static final Member<TtlPolicy> TTL_AFTER =
      Member.required("after", TtlShapes.POLICY, "what it will be");
  private static final Shape<TtlStep> TTL_STEP =
      Shape.out(
          "PromotionTtl",
          List.of(CHANGE, TTL_BEFORE, TTL_AFTER),
          (step, out) ->
              out.put(CHANGE, step.kind().text())
                  .put(TTL_BEFORE, step.before())
                  .put(TTL_AFTER, step.after()));
  private static final Member<TtlStep> TTL_CHANGE =
      Member.optional(
          "ttl", Type.object(TTL_STEP), "what happens to the environment's own TTL policy");

  private static final Shape<ChangeReply<Plan>> ANSWER =
      ChangeReply.shape(
          "Promotion", List.of(ID, APPLIED, STEPS, TTL_CHANGE), PromotionRoutes::write);

  private final Promotions promotions;
  private final RevisionSeal seal;

  public PromotionRoutes(Promotions promotions, RevisionSeal seal) {
    this.promotions = promotions;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.POST,
                "/v1/accounts/{account}/environments/{env}/promote",
                "environment.promote",
                "Plan to copy the settings of buckets and the TTL policy to another environment, or carry a plan out")
            .reads(WANTED, JsonNodeFactory.instance.objectNode().put("to", "prod"))
            .needs(
                new RequiredRight.Owns<>(
                    new ScopeSource.Account<>(), "the account's owner or scope admin"))
            .takes(Route.ACCOUNT, EnvironmentRoutes.ENV)
            .answers(Reply.json(200, ANSWER), this::promote));
  }

  private Answer<ChangeReply<Plan>> promote(Call<PromotionRequest> call) {
    PromotionRequest wanted = call.body();
    return ChangeReply.put(
        promotions.promote(
            call.caller(),
            new Promotions.Request(
                call.get(Route.ACCOUNT),
                call.get(EnvironmentRoutes.ENV),
                wanted.to,
                wanted.buckets,
                wanted.ttl,
                wanted.plan)),
        seal);
  }

  private static void write(Plan plan, AnswerObject out) {
    out.put(ID, plan.id())
        .put(APPLIED, plan.applied())
        .put(STEPS, plan.steps())
        .put(TTL_CHANGE, plan.ttl());
  }
}
