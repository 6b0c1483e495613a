package dev.veridex.http;

import dev.veridex.acl.RefusedException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.identity.Token;
import dev.veridex.json.JsonText;
import dev.veridex.metrics.Metrics;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// Serves requests: route, caller, right, body, handler, answer.
///
/// Whatever happens on the way becomes an answer: a refusal its problem, a fault of ours a 500 that
/// says nothing of the inside.
public final class Gateway {
  private static final String REVISION = "Veridex-Revision";
  private static final String WARNING = "Veridex-Warning";

  private final Router router;
  private final CallerAuthorization authorisation;
  private final Admission admission;
  private final RequestBodies bodies;
  private final ScopeResolver scopes;
  private final RequestMetrics traffic;
  private final RandomGenerator random;

  /// @param random where the ids of traces come from
  /// @param faults hears of what is our own fault
  public Gateway(
      List<Route<?, ?>> routes,
      CallerAuthorization authorisation,
      Admission admission,
      UnscopedMode unscoped,
      AccessLog log,
      Metrics metrics,
      InstantSource clock,
      RandomGenerator random,
      System.Logger faults) {
    this.router = new Router(routes);
    this.authorisation = authorisation;
    this.admission = admission;
    this.bodies = new RequestBodies(admission);
    this.traffic = new RequestMetrics(log, metrics, clock, faults);
    this.scopes =
        new ScopeResolver(
            unscoped,
            metrics.counter(
                "veridex_unscoped_calls_total",
                "Calls that named no scope and were let in",
                Map.of()));
    this.random = random;
  }

  /// Serves a request.
  ///
  /// @param network takes the answer; the request counts as in flight until it has
  public void handle(Exchange exchange, Consumer<Response> network) {
    TraceContext trace = TraceContext.of(exchange.header("traceparent"), random);
    RequestMetrics.Passage passage = traffic.begin(exchange, trace);
    try {
      Response response = answer(exchange, passage);
      passage.answered(response.status());
      network.accept(Headers.complete(response, exchange).with("traceparent", trace.header()));
    } finally {
      // First of all: whatever the log may do, the slot is free.
      if (passage.isAdmitted()) {
        admission.leave();
      }
      admission.releaseAnswer(passage.reserved());
      passage.close();
      passage.end();
    }
  }

  private Response answer(Exchange exchange, RequestMetrics.Passage passage) {
    try {
      return Compression.apply(serve(exchange, passage), exchange.header("Accept-Encoding"));
    } catch (VeridexException e) {
      return passage.refused(e);
    } catch (RuntimeException | Error e) {
      return passage.failed(e);
    }
  }

  private Response serve(Exchange exchange, RequestMetrics.Passage passage) {
    RequestTarget target = RequestTarget.parse(exchange.target());
    return switch (router.find(exchange.method(), target.segments())) {
      case Router.Match.OneRoute(Route<?, ?> route, Map<String, String> values) ->
          serve(route, exchange, target, values, passage);
      case Router.Match.OtherMethods(var allowed) ->
          Problems.response(Problem.of(ErrorCode.METHOD_NOT_ALLOWED, "this path has other methods"))
              .with("Allow", String.join(", ", allowed));
      case Router.Match.Nothing() ->
          throw new VeridexException(
              Problem.of(ErrorCode.NOT_FOUND, "there is no such route, see /openapi.json"));
    };
  }

  private <Q, A> Response serve(
      Route<Q, A> route,
      Exchange exchange,
      RequestTarget target,
      Map<String, String> path,
      RequestMetrics.Passage passage) {
    passage.at(route.operation());
    // Before admission: a wrong token may have to wait, and must not keep a slot while it does.
    Optional<Token> token =
        switch (route.right()) {
          case RequiredRight.Open<Q>() -> Optional.empty();
          case RequiredRight.Allowed<Q> _ -> authorisation.callerIfAny(exchange, route.operation());
          case RequiredRight.Administers<Q> _,
              RequiredRight.Reaches<Q> _,
              RequiredRight.Owns<Q> _ ->
              Optional.of(authorisation.caller(exchange, route.operation()));
        };
    List<Token> services =
        route.right() instanceof RequiredRight.Allowed<Q>
            ? authorisation.services(exchange, route.operation())
            : List.of();
    token.ifPresent(passage::by);
    if (!route.urgent()) {
      admission.enter();
      passage.admitted();
    }
    RoutedRequest request =
        new RoutedRequest(
            exchange,
            ParameterValues.of(route, exchange, target, path),
            token,
            services,
            bytes -> reserve(passage, bytes),
            passage);
    return serve(route, request);
  }

  /// Looks at the caller once more, from the token on.
  private <Q> void again(Route<Q, ?> route, RoutedRequest request, Q body) {
    Token token = authorisation.caller(request.exchange, route.operation());
    requestedScope(route, request.by(token), Optional.of(body));
  }

  private <Q, A> Response serve(Route<Q, A> route, RoutedRequest request) {
    if (route.request().isEmpty()) {
      @SuppressWarnings("unchecked") // A route without a body is a Route<NoBody, A>.
      Q none = (Q) Route.NoBody.INSTANCE;
      return serve(route, request, none, requestedScope(route, request, Optional.of(none)));
    }
    // Whoever may not do this at all need not send a body to hear it, nor have us read one.
    boolean early =
        route
            .where()
            .filter(
                where ->
                    where instanceof ScopeSource.Body<Q> || where instanceof ScopeSource.Named<Q>)
            .isEmpty();
    Optional<Scope> scope =
        early ? Optional.of(requestedScope(route, request, Optional.empty())) : Optional.empty();
    if (route.right() instanceof RequiredRight.Administers<Q> && !early) {
      Token caller = request.token.orElseThrow();
      authorisation.administers(caller, caller.scope(), route.operation(), List.of());
    }
    if (route.right() instanceof RequiredRight.Allowed<Q>(_, _, RequiredRight.Early check)) {
      Scope known = scope.orElseThrow();
      auditing(
          route,
          request,
          known,
          () -> {
            check.check(request.call(known, Route.NoBody.INSTANCE, () -> {}, () -> {}, _ -> {}));
            return true;
          });
    }
    return switch (route.request().get()) {
      case Route.Body.Json<Q>(Shape<Q> shape, _) ->
          bodies.json(
              request.exchange,
              bytes -> {
                Q body = Type.object(shape).reading().read(json(shape, bytes), "");
                return serve(
                    route,
                    request,
                    body,
                    scope.orElseGet(() -> requestedScope(route, request, Optional.of(body))));
              });
      case Route.Body.Raw<Q>(Function<Route.Content, Q> made, int maxBytes) ->
          bodies.bytes(
              request.exchange,
              maxBytes,
              bytes ->
                  serve(route, request, made.apply(request.content(bytes)), scope.orElseThrow()));
      case Route.Body.Bulk<Q>(Function<Route.Inputs, Q> made, _, boolean protobuf) -> {
        Optional<LineStream.Framing> framing =
            RequestBodies.framing(request.exchange)
                .filter(each -> protobuf || each == LineStream.Framing.NEWLINES);
        yield framing.isPresent()
            ? serve(
                route,
                request,
                made.apply(streamed(request, scope.orElseThrow(), framing.get())),
                scope.orElseThrow())
            : bodies.json(
                request.exchange,
                bytes -> serve(route, request, made.apply(given(bytes)), scope.orElseThrow()));
      }
    };
  }

  /// A body of lines, which is closed when the request is done with, however it ends.
  private Route.Inputs streamed(RoutedRequest request, Scope scope, LineStream.Framing framing) {
    LineStream lines = bodies.lines(request.exchange, account(scope), framing);
    request.passage.closeAtEnd(lines::close);
    return new Route.Inputs.Lines(lines, framing == LineStream.Framing.LENGTHS);
  }

  private void goesOn(RoutedRequest request, Scope scope) {
    String account = account(scope);
    admission.enterStream(account);
    request.passage.closeAtEnd(() -> admission.leaveStream(account));
  }

  /// Whose streams are counted together.
  private static String account(Scope scope) {
    return scope.parts().isEmpty() ? "" : scope.parts().getFirst();
  }

  private static Route.Inputs given(byte[] bytes) {
    JsonNode json = JsonText.read(bytes);
    return json.isArray()
        ? new Route.Inputs.All(json.valueStream().toList(), false)
        : new Route.Inputs.All(List.of(json), true);
  }

  private void reserve(RequestMetrics.Passage passage, long bytes) {
    admission.reserveAnswer(bytes);
    passage.reserved(bytes);
  }

  /// No body at all is an empty object where nothing in it is required.
  private static JsonNode json(Shape<?> shape, byte[] bytes) {
    return bytes.length == 0 && shape.members().stream().noneMatch(Member::required)
        ? JsonNodeFactory.instance.objectNode()
        : JsonText.read(bytes);
  }

  private record RoutedRequest(
      Exchange exchange,
      Map<String, String> values,
      Optional<Token> token,
      List<Token> services,
      LongConsumer room,
      RequestMetrics.Passage passage) {

    RoutedRequest by(Token other) {
      return new RoutedRequest(exchange, values, Optional.of(other), services, room, passage);
    }

    <Q> Call<Q> call(
        Scope scope, Q body, Runnable again, Runnable goesOn, Consumer<List<String>> refused) {
      return new Call<>(
          token,
          services,
          scope,
          values,
          body,
          exchange.header("Accept").orElse(""),
          exchange.method().equals("HEAD"),
          exchange.remoteAddress(),
          room,
          again,
          goesOn,
          refused);
    }

    Route.Content content(byte[] bytes) {
      return new Route.Content(
          exchange.header("Content-Type").orElse(Route.Content.UNKNOWN_TYPE),
          exchange.headersBeginning(Route.Content.KEPT),
          bytes);
    }
  }

  private <Q, A> Response serve(Route<Q, A> route, RoutedRequest request, Q body, Scope scope) {
    Answer<A> answer =
        auditing(
            route,
            request,
            scope,
            () ->
                route
                    .handler()
                    .handle(
                        request.call(
                            scope,
                            body,
                            () -> again(route, request, body),
                            () -> goesOn(request, scope),
                            parts -> refused(route, request, scope, parts))));
    Response response =
        new Response(
            answer.status().orElse(route.reply().status()),
            answer.headers(),
            route.reply().rendering().apply(answer.value()));
    if (answer.revision().isPresent()) {
      response = response.with(REVISION, answer.revision().get());
    }
    boolean warned = route.isUnscoped(request.values, body);
    return warned
        ? response.with(WARNING, "no scope was named, so this is about global")
        : response;
  }

  /// Does something, and writes into the audit log if it was refused for the caller's sake.
  private <T> T auditing(Route<?, ?> route, RoutedRequest request, Scope scope, Supplier<T> work) {
    try {
      return work.get();
    } catch (RefusedException e) {
      throw authorisation.refused(
          e,
          request.token,
          scope,
          route.operation(),
          e.key().isEmpty() ? ParameterValues.key(route, request.values) : e.key(),
          request.exchange.remoteAddress());
    }
  }

  private void refused(Route<?, ?> route, RoutedRequest request, Scope scope, List<String> parts) {
    List<String> key = ParameterValues.key(route, request.values);
    authorisation.refused(
        request.token, scope, route.operation(), key, parts, request.exchange.remoteAddress());
  }

  /// The scope that is request for, once it is clear that the caller may.
  private <Q> Scope requestedScope(Route<Q, ?> route, RoutedRequest request, Optional<Q> body) {
    switch (route.right()) {
      case RequiredRight.Open<Q>() -> {
        return new Scope.Global();
      }
      case RequiredRight.Administers<Q>(ScopeSource<Q> where) -> {
        Token caller = request.token.orElseThrow();
        Scope scope = scopes.of(where, request.values, request.token, body);
        authorisation.administers(
            caller, scope, route.operation(), ParameterValues.key(route, request.values));
        return scope;
      }
      case RequiredRight.Reaches<Q>(ScopeSource<Q> where) -> {
        return reached(route, where, request, body);
      }
      case RequiredRight.Owns<Q>(ScopeSource<Q> where, _) -> {
        return reached(route, where, request, body);
      }
      case RequiredRight.Allowed<Q>(ScopeSource<Q> where, _, _) -> {
        Scope scope = scopes.of(where, request.values, request.token, body);
        List<String> key = ParameterValues.key(route, request.values);
        request.token.ifPresent(
            caller -> authorisation.reaches(caller, scope, route.operation(), key));
        request.services.forEach(
            service -> authorisation.reaches(service, scope, route.operation(), key));
        return scope;
      }
    }
  }

  private <Q> Scope reached(
      Route<Q, ?> route, ScopeSource<Q> where, RoutedRequest request, Optional<Q> body) {
    Token caller = request.token.orElseThrow();
    Scope scope = scopes.of(where, request.values, request.token, body);
    authorisation.reaches(
        caller, scope, route.operation(), ParameterValues.key(route, request.values));
    return scope;
  }
}
