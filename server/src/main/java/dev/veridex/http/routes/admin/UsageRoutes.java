package dev.veridex.http.routes.admin;

import dev.veridex.buckets.UsageReport;
import dev.veridex.buckets.UsageReport.Usages;
import dev.veridex.common.Namespace;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.List;

/// The usage of an account or a bucket.
public final class UsageRoutes {
  private static final Parameter<String> BUCKET =
      Parameter.query("bucket", Type.TEXT, "a bucket; absent: the account with all environments");

  private static final Shape<Usages> USAGE =
      Shape.out(
          "Usage",
          List.of(QuotaShapes.USED, QuotaShapes.QUOTAS),
          (usages, out) ->
              out.put(QuotaShapes.USED, usages.used()).put(QuotaShapes.QUOTAS, usages.quotas()));

  private final UsageReport usageReport;

  public UsageRoutes(UsageReport usageReport) {
    this.usageReport = usageReport;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.GET,
                "/v1/accounts/{account}/usage",
                "account.usage",
                "What is used of quotas")
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(),
                    "the account's owner or scope admin; for a bucket its ACL: admin"))
            .takes(Route.ACCOUNT, BUCKET)
            .answers(Reply.json(200, USAGE), this::usage));
  }

  private Answer<Usages> usage(Call<NoBody> call) {
    Namespace namespace = Namespace.of(call.scope());
    return Answer.of(
        call.find(BUCKET)
            .map(name -> usageReport.of(call.who(), namespace, name))
            .orElseGet(() -> usageReport.of(call.who(), namespace)));
  }
}
