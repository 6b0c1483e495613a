package dev.veridex.http;

import dev.veridex.common.Scope;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// One operation of the API, declared once: the router, the authorisation and the description all
/// come from here.
///
/// @param path with parameters in braces, as `/v1/tokens/{id}`
/// @param operation its name in the audit log, the metrics and the description, as `token.mint`
/// @param request what its body looks like, if it has one
/// @param urgent whether it is served when the server takes on nothing else
public record Route<Q, A>(
    Method method,
    String path,
    String operation,
    String summary,
    Right<Q> right,
    List<Parameter<?>> parameters,
    Optional<Body<Q>> request,
    Reply<A> reply,
    boolean urgent,
    Handler<Q, A> handler) {

  /// `?scope=`, on routes that take one.
  public static final Parameter<Scope> SCOPE =
      Parameter.query(
          "scope",
          Type.SCOPE,
          "the scope it is about; without one: global, unless the server insists on one");

  /// `{account}`, in the path of everything that is in one.
  public static final Parameter<String> ACCOUNT =
      Parameter.path("account", Type.TEXT, "the name of the account");

  public Route {
    parameters = List.copyOf(parameters);
  }

  /// What a body looks like.
  ///
  /// @param example a whole one
  public record Body<Q>(Shape<Q> shape, JsonNode example) {}

  /// What is done for a call that may be served.
  @FunctionalInterface
  public interface Handler<Q, A> {
    Answer<A> handle(Call<Q> call);
  }

  /// A route that still lacks its right, without which it cannot become one.
  public static Unguarded<NoBody> of(Method method, String path, String operation, String summary) {
    return new Unguarded<>(method, path, operation, summary, Optional.empty());
  }

  /// The body of requests that have none.
  public record NoBody() {
    static final NoBody INSTANCE = new NoBody();
  }

  /// A route that still lacks its right.
  public record Unguarded<Q>(
      Method method, String path, String operation, String summary, Optional<Body<Q>> request) {

    /// The same with a body.
    public <R> Unguarded<R> reads(Shape<R> shape, JsonNode example) {
      return new Unguarded<>(
          method, path, operation, summary, Optional.of(new Body<>(shape, example)));
    }

    public Guarded<Q> needs(Right<Q> right) {
      return new Guarded<>(this, right, List.of(), false);
    }
  }

  /// A route that still lacks its handler.
  public record Guarded<Q>(
      Unguarded<Q> what, Right<Q> right, List<Parameter<?>> parameters, boolean urgent) {

    public Guarded<Q> takes(Parameter<?>... taken) {
      return new Guarded<>(what, right, List.of(taken), urgent);
    }

    /// The same, served also when the server takes on nothing else.
    public Guarded<Q> whateverHappens() {
      return new Guarded<>(what, right, parameters, true);
    }

    public <A> Route<Q, A> answers(Reply<A> reply, Handler<Q, A> handler) {
      return new Route<>(
          what.method,
          what.path,
          what.operation,
          what.summary,
          right,
          parameters,
          what.request,
          reply,
          urgent,
          handler);
    }
  }

  /// Whether it takes `?scope=`.
  public boolean takesScope() {
    return right instanceof Right.Administers<Q>(Where.Query<Q> _);
  }
}
