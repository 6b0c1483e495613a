package dev.veridex.http;

import dev.veridex.common.Scope;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/// An operation of the API, declared once: router, authorization and API description are derived
/// from it.
///
/// More than eight components: everything that a route declares is in one place, which is its
/// purpose.
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
    RequiredRight<Q> right,
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

  /// `{scope}`, in the path of what is about a scope as a whole.
  public static final Parameter<Scope> PATH_SCOPE =
      Parameter.path("scope", Type.SCOPE, "the scope, e.g. tenant:acme:env:prod");

  /// `{account}`, in the path of everything that is in one.
  public static final Parameter<String> ACCOUNT =
      Parameter.path("account", Type.TEXT, "the name of the account");

  /// `?env=`, on routes about what an environment can have, too.
  public static final Parameter<String> ENV =
      Parameter.query("env", Type.TEXT, "the environment of the account that it is about");

  public Route {
    parameters = List.copyOf(parameters);
  }

  /// The shape of a request body.
  public sealed interface Body<Q> {
    /// A JSON object.
    ///
    /// @param example a whole one
    record Json<Q>(Shape<Q> shape, JsonNode example) implements Body<Q> {}

    /// A request body of arbitrary bytes.
    ///
    /// @param made what the handler takes: the content itself
    /// @param maxBytes the most of them
    record Raw<Q>(Function<Content, Q> made, int maxBytes) implements Body<Q> {}

    /// Many inputs: one as a JSON object, a list of them, or one a line.
    ///
    /// @param made what the handler takes: the inputs themselves
    /// @param example of one of them
    /// @param protobuf whether they may also come as protobuf, each after its length
    record Bulk<Q>(Function<Inputs, Q> made, JsonNode example, boolean protobuf)
        implements Body<Q> {}
  }

  /// The inputs of a bulk request.
  public sealed interface Inputs {
    /// All inputs, in memory.
    ///
    /// @param single whether it is one, and not a list of one
    record All(List<JsonNode> values, boolean single) implements Inputs {}

    /// Inputs that are read one by one while the answer is written.
    ///
    /// @param protobuf whether they are protobuf and not JSON
    record Lines(LineStream lines, boolean protobuf) implements Inputs {}
  }

  /// A body of bytes, as it came.
  ///
  /// @param headers those that are kept with it, by name in lower case
  public record Content(String contentType, SortedMap<String, String> headers, byte[] bytes) {
    /// What the names of headers begin with that are kept.
    public static final String KEPT = "x-store-";

    /// The type of bytes about which nothing is said.
    public static final String UNKNOWN_TYPE = "application/octet-stream";
  }

  /// The handler of an admitted call.
  @FunctionalInterface
  public interface Handler<Q, A> {
    Answer<A> handle(Call<Q> call);
  }

  /// A route that still lacks its right, without which it cannot become one.
  public static WithoutRight<NoBody> of(
      Method method, String path, String operation, String summary) {
    return new WithoutRight<>(method, path, operation, summary, Optional.empty());
  }

  /// The body of requests that have none.
  public record NoBody() {
    static final NoBody INSTANCE = new NoBody();
  }

  /// A route that still lacks its right.
  public record WithoutRight<Q>(
      Method method, String path, String operation, String summary, Optional<Body<Q>> request) {

    /// The same with a body.
    public <R> WithoutRight<R> reads(Shape<R> shape, JsonNode example) {
      return new WithoutRight<>(
          method, path, operation, summary, Optional.of(new Body.Json<>(shape, example)));
    }

    /// The same with a body of bytes.
    public WithoutRight<Content> readsBytes(int maxBytes) {
      return new WithoutRight<>(
          method,
          path,
          operation,
          summary,
          Optional.of(new Body.Raw<>(Function.identity(), maxBytes)));
    }

    /// The same with many inputs.
    public WithoutRight<Inputs> readsBulk(JsonNode example) {
      return readsBulk(example, false);
    }

    /// The same with many inputs, which may also be protobuf.
    public WithoutRight<Inputs> readsBulk(JsonNode example, boolean protobuf) {
      return new WithoutRight<>(
          method,
          path,
          operation,
          summary,
          Optional.of(new Body.Bulk<>(Function.identity(), example, protobuf)));
    }

    public WithoutHandler<Q> needs(RequiredRight<Q> right) {
      return new WithoutHandler<>(this, right, List.of(), false);
    }
  }

  /// A route that still lacks its handler.
  public record WithoutHandler<Q>(
      WithoutRight<Q> what, RequiredRight<Q> right, List<Parameter<?>> parameters, boolean urgent) {

    public WithoutHandler<Q> takes(Parameter<?>... taken) {
      return new WithoutHandler<>(what, right, List.of(taken), urgent);
    }

    /// The same, served also when the server takes on nothing else.
    public WithoutHandler<Q> whateverHappens() {
      return new WithoutHandler<>(what, right, parameters, true);
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

  /// Where it says which scope it is about; nowhere, if it is open.
  public Optional<ScopeSource<Q>> where() {
    return switch (right) {
      case RequiredRight.Open<Q>() -> Optional.empty();
      case RequiredRight.Administers<Q>(ScopeSource<Q> where) -> Optional.of(where);
      case RequiredRight.Reaches<Q>(ScopeSource<Q> where) -> Optional.of(where);
      case RequiredRight.Owns<Q>(ScopeSource<Q> where, _) -> Optional.of(where);
      case RequiredRight.Allowed<Q>(ScopeSource<Q> where, _, _) -> Optional.of(where);
    };
  }

  /// All its parameters, with those that come from where its scope is named.
  public List<Parameter<?>> allParameters() {
    List<Parameter<?>> all = new ArrayList<>(parameters);
    if (takesScope()) {
      all.add(SCOPE);
    }
    if (where().filter(ScopeSource.Inside.class::isInstance).isPresent()) {
      all.add(ENV);
    }
    return all;
  }

  /// Whether a request to it could name a scope and does not.
  boolean isUnscoped(Map<String, String> values, Q body) {
    boolean named =
        values.containsKey(SCOPE.name())
            || where()
                .filter(
                    where ->
                        where instanceof ScopeSource.Named<Q>(var scope)
                            && scope.apply(body).isPresent())
                .isPresent();
    return takesScope() && !named;
  }

  /// Whether it takes `?scope=`.
  public boolean takesScope() {
    return where()
        .filter(
            where -> where instanceof ScopeSource.Query<Q> || where instanceof ScopeSource.Named<Q>)
        .isPresent();
  }
}
