package dev.veridex.http.routes.grants;

import dev.veridex.common.RevisionSeal;
import dev.veridex.common.Scope;
import dev.veridex.common.TtlPolicy;
import dev.veridex.grants.GrantScopes;
import dev.veridex.grants.ScopeWork;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.ChangeReply;
import dev.veridex.http.routes.JobReplies;
import dev.veridex.http.routes.JobReplies.JobEnd;
import dev.veridex.http.routes.TtlShapes;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.jobs.Jobs;
import dev.veridex.tenancy.TtlPolicies;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;

/// Scopes as a whole: their TTL policies, the deletion of their grants, and migration into them.
public final class ScopeRoutes {
  private static final String PATH = "/v1/scopes/{scope}";
  private static final String OWNER = "the account's owner or scope admin";

  private static final Type<String> ALL = Type.choice(List.of("all"), text -> text);
  private static final Parameter<String> ENVIRONMENTS =
      Parameter.query("environments", ALL, "all: also in the environments of an account");
  private static final Parameter<String> DESCENDANTS =
      Parameter.query("descendants", ALL, "all: also in the scopes below a custom path");
  private static final Shape<JobEnd> DELETED =
      JobReplies.shape("ScopeDeletion", List.of("deleted", "approvals", "relationships"));
  private static final Shape<JobEnd> MIGRATED =
      JobReplies.shape(
          "ScopeMigration",
          List.of("migrated", "alreadyDone", "skippedExpired", "conflicts", "failed"));

  private static final Member<String> PRESET =
      Member.optional(
          "preset",
          Type.choice(List.of("default", "temporary", "short-lived", "long-lived"), text -> text),
          "a well-known policy, instead of the other members");
  private static final Shape<TtlPolicy> POLICY =
      Shape.in(
          "ScopeTtlRequest",
          and(PRESET),
          given -> {
            Optional<String> preset = given.find(PRESET);
            if (preset.isPresent() && given.members().size() > 1) {
              throw Type.wrong("a preset comes alone", "/preset");
            }
            return preset.flatMap(TtlPolicy::preset).orElseGet(() -> TtlShapes.policy(given));
          });
  private static final Member<Scope> SCOPE =
      Member.optional("source", Type.SCOPE, "the scope it was set for; absent: it is the default");
  private static final Shape<TtlPolicies.Effective> EFFECTIVE =
      Shape.out(
          "ScopeTtl",
          and(SCOPE),
          (effective, out) -> {
            TtlShapes.write(effective.policy(), out);
            out.put(SCOPE, effective.source());
          });

  private final TtlPolicies policies;
  private final ScopeWork work;
  private final JobReplies replies;
  private final RevisionSeal seal;

  public ScopeRoutes(TtlPolicies policies, ScopeWork work, Jobs jobs, RevisionSeal seal) {
    this.policies = policies;
    this.work = work;
    this.replies = new JobReplies(jobs, seal);
    this.seal = seal;
  }

  private static List<Member<?>> and(Member<?> another) {
    List<Member<?>> members = new ArrayList<>(TtlShapes.MEMBERS);
    members.add(another);
    return members;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.PUT, PATH + "/ttl", "ttl.put", "Set the TTL policy of a scope")
            .reads(POLICY, JsonNodeFactory.instance.objectNode().put("preset", "temporary"))
            .needs(new RequiredRight.Owns<>(new ScopeSource.Path<>(), OWNER))
            .takes(Route.PATH_SCOPE)
            .answers(
                Reply.json(
                        200,
                        ChangeReply.<TtlPolicy>shape(
                            "ScopeTtlPut", TtlShapes.MEMBERS, TtlShapes::write))
                    .or(201),
                this::putPolicy),
        Route.of(
                Method.GET,
                PATH + "/ttl",
                "ttl.read",
                "The TTL policy that counts in a scope, its own or an inherited one")
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Path<>()))
            .takes(Route.PATH_SCOPE)
            .answers(Reply.json(200, EFFECTIVE), this::policy),
        Route.of(Method.DELETE, PATH + "/ttl", "ttl.delete", "Remove the TTL policy of a scope")
            .needs(new RequiredRight.Owns<>(new ScopeSource.Path<>(), OWNER))
            .takes(Route.PATH_SCOPE)
            .answers(Reply.json(200, WriteReceipt.SHAPE), this::deletePolicy),
        Route.of(
                Method.DELETE,
                PATH,
                "scope.delete",
                "Delete the approvals and relationships of a scope that are there now")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Path<>()))
            .takes(Route.PATH_SCOPE, ENVIRONMENTS, DESCENDANTS, JobReplies.WAIT)
            .answers(Reply.json(200, DELETED), this::delete),
        Route.of(
                Method.POST,
                PATH + "/migrate",
                "scope.migrate",
                "Move approvals and relationships that were written without a scope into one")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Server<>()))
            .takes(Route.PATH_SCOPE, JobReplies.WAIT)
            .answers(Reply.json(200, MIGRATED), this::migrate));
  }

  private Answer<ChangeReply<TtlPolicy>> putPolicy(Call<TtlPolicy> call) {
    return ChangeReply.put(policies.put(call.caller(), call.scope(), call.body()), seal);
  }

  private Answer<TtlPolicies.Effective> policy(Call<NoBody> call) {
    return Answer.of(policies.find(call.scope()));
  }

  private Answer<WriteReceipt> deletePolicy(Call<NoBody> call) {
    return ChangeReply.deleted(policies.delete(call.caller(), call.scope()), seal);
  }

  private Answer<JobEnd> delete(Call<NoBody> call) {
    Scope scope = call.scope();
    return replies.await(
        call,
        work.delete(
                call.caller(),
                GrantScopes.of(
                    scope, call.find(ENVIRONMENTS).isPresent(), call.find(DESCENDANTS).isPresent()))
            .result());
  }

  private Answer<JobEnd> migrate(Call<NoBody> call) {
    return replies.await(call, work.migrate(call.caller(), call.get(Route.PATH_SCOPE)).result());
  }
}
