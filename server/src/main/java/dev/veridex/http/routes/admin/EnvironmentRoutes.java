package dev.veridex.http.routes.admin;

import dev.veridex.common.Page;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.Scope;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.ChangeReply;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.tenancy.Environment;
import dev.veridex.tenancy.Environments;
import java.time.Instant;
import java.util.List;

/// Environments of an account: make, look at, list, delete.
public final class EnvironmentRoutes {
  private static final String ALL = "/v1/accounts/{account}/environments";
  private static final String PATH = ALL + "/{env}";
  private static final String WHO = "the account's owner or scope admin";

  static final Parameter<String> ENV =
      Parameter.path("env", Type.TEXT, "the name of the environment");
  private static final Member<String> NAME = Member.required("name", Type.TEXT, "its name");
  private static final Member<Scope> SCOPE =
      Member.required("scope", Type.SCOPE, "what tokens for it are minted for");
  private static final Member<Instant> CREATED_AT =
      Member.required("createdAt", Type.TIME, "when it was made");

  private static final Shape<Environment> ENVIRONMENT =
      Shape.out("Environment", List.of(NAME, SCOPE, CREATED_AT), EnvironmentRoutes::write);

  private static final Shape<ChangeReply<Environment>> PUT =
      ChangeReply.shape(
          "EnvironmentPut", List.of(NAME, SCOPE, CREATED_AT), EnvironmentRoutes::write);

  private final Environments environments;
  private final RevisionSeal seal;

  public EnvironmentRoutes(Environments environments, RevisionSeal seal) {
    this.environments = environments;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.PUT, PATH, "environment.put", "Make an environment by naming it")
            .needs(new RequiredRight.Owns<>(new ScopeSource.Account<>(), WHO))
            .takes(Route.ACCOUNT, ENV)
            .answers(Reply.json(200, PUT).or(201), this::put),
        Route.of(Method.GET, PATH, "environment.read", "An environment")
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Account<>()))
            .takes(Route.ACCOUNT, ENV)
            .answers(Reply.json(200, ENVIRONMENT), this::read),
        Route.of(
                Method.DELETE,
                PATH,
                "environment.delete",
                "Delete an environment and everything in it, at once")
            .needs(new RequiredRight.Owns<>(new ScopeSource.Account<>(), WHO))
            .takes(Route.ACCOUNT, ENV)
            .answers(Reply.json(200, WriteReceipt.SHAPE), this::delete),
        Route.of(Method.GET, ALL, "environment.list", "The environments of an account")
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Account<>()))
            .takes(Route.ACCOUNT, PageParameters.LIMIT, PageParameters.CURSOR)
            .answers(
                Reply.json(200, PageParameters.of("EnvironmentList", ENVIRONMENT)), this::list));
  }

  private Answer<ChangeReply<Environment>> put(Call<NoBody> call) {
    return ChangeReply.put(
        environments.put(call.caller(), call.get(Route.ACCOUNT), call.get(ENV)), seal);
  }

  private Answer<Environment> read(Call<NoBody> call) {
    return Answer.of(environments.find(call.get(Route.ACCOUNT), call.get(ENV)));
  }

  private Answer<WriteReceipt> delete(Call<NoBody> call) {
    return ChangeReply.deleted(
        environments.delete(call.caller(), call.get(Route.ACCOUNT), call.get(ENV)), seal);
  }

  private Answer<Page<Environment>> list(Call<NoBody> call) {
    return Answer.of(
        environments.list(
            call.get(Route.ACCOUNT), call.find(PageParameters.CURSOR), PageParameters.limit(call)));
  }

  private static void write(Environment environment, AnswerObject out) {
    out.put(NAME, environment.name())
        .put(SCOPE, environment.scope())
        .put(CREATED_AT, environment.createdAt());
  }
}
