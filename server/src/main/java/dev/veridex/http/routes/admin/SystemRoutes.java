package dev.veridex.http.routes.admin;

import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.metrics.Metrics;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Routes for operators: liveness, readiness and metrics.
public final class SystemRoutes {
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private static final Member<String> STATUS =
      Member.required("status", Type.TEXT, "alive or ready");
  private static final Member<Long> BUILDING =
      Member.optional(
          "searchIndexesBuilding",
          Type.whole(0, Integer.MAX_VALUE),
          "how many search indexes are being made and answer INDEX_BUILDING meanwhile");
  private static final Shape<Health> HEALTH =
      Shape.out(
          "Health",
          List.of(STATUS, BUILDING),
          (health, out) ->
              out.put(STATUS, health.status)
                  .put(BUILDING, Optional.of(health.building).filter(some -> some > 0)));

  /// The health of the server, and the number of search indexes being built.
  private record Health(String status, long building) {}

  private final Metrics metrics;
  private final Supplier<Optional<Problem>> notReady;
  private final LongSupplier building;
  private final boolean openMetrics;

  /// @param notReady why requests cannot all be served; absent if they can
  /// @param building how many search indexes cannot be searched, although the start is over
  /// @param openMetrics whether metrics are shown to whoever asks
  public SystemRoutes(
      Metrics metrics,
      Supplier<Optional<Problem>> notReady,
      LongSupplier building,
      boolean openMetrics) {
    this.metrics = metrics;
    this.notReady = notReady;
    this.building = building;
    this.openMetrics = openMetrics;
  }

  public List<Route<?, ?>> routes() {
    RequiredRight<NoBody> metricsRight =
        openMetrics
            ? new RequiredRight.Open<>()
            : new RequiredRight.Administers<>(new ScopeSource.Server<>());
    return List.of(
        Route.of(Method.GET, "/health/live", "health.live", "Whether the process is alive")
            .needs(new RequiredRight.Open<>())
            .whateverHappens()
            .answers(Reply.json(200, HEALTH), _ -> Answer.of(new Health("alive", 0))),
        Route.of(Method.GET, "/health/ready", "health.ready", "Whether requests can be served")
            .needs(new RequiredRight.Open<>())
            .whateverHappens()
            .answers(Reply.json(200, HEALTH), this::readiness),
        Route.of(Method.GET, "/metrics", "metrics.read", "What is counted, for Prometheus")
            .needs(metricsRight)
            .whateverHappens()
            .answers(Reply.text(PROMETHEUS), _ -> Answer.of(metrics.text())));
  }

  private Answer<Health> readiness(Call<NoBody> call) {
    VeridexException.throwIf(notReady.get());
    return Answer.of(new Health("ready", building.getAsLong()));
  }
}
