package dev.veridex.http.routes;

import dev.veridex.accounts.Place;
import dev.veridex.buckets.Holdings;
import dev.veridex.buckets.Holdings.Usages;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.Right;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.Where;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.List;

/// What an account or a bucket holds of what it may hold.
public final class UsageRoutes {
  private static final Parameter<String> BUCKET =
      Parameter.query("bucket", Type.TEXT, "a bucket; absent: the account with all environments");

  private static final Shape<Usages> USAGE =
      Shape.out(
          "Usage",
          List.of(QuotaShapes.USED, QuotaShapes.QUOTAS),
          (usages, out) ->
              out.put(QuotaShapes.USED, usages.used()).put(QuotaShapes.QUOTAS, usages.quotas()));

  private final Holdings holdings;

  public UsageRoutes(Holdings holdings) {
    this.holdings = holdings;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.GET,
                "/v1/accounts/{account}/usage",
                "account.usage",
                "What is used of quotas")
            .needs(
                new Right.Allowed<>(
                    new Where.Inside<>(),
                    "the account's owner or scope admin; for a bucket its ACL: admin"))
            .takes(Route.ACCOUNT, BUCKET)
            .answers(Reply.json(200, USAGE), this::usage));
  }

  private Answer<Usages> usage(Call<NoBody> call) {
    Place place = Place.of(call.scope());
    return Answer.of(
        call.find(BUCKET)
            .map(name -> holdings.of(call.who(), place, name))
            .orElseGet(() -> holdings.of(call.who(), place)));
  }
}
