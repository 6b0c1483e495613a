package dev.veridex.http;

import dev.veridex.common.Scope;
import dev.veridex.http.shape.Parameter;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// A request that may be served: who asks, in which scope, for what.
///
/// More than eight components: everything that a handler may ask of its request is in one place.
///
/// @param token of the caller; absent on routes that are open, and of callers who need none
/// @param services the tokens of services that the request brings besides
/// @param scope the requested scope; on routes that name none, the caller's own
/// @param values the parameters, decoded once
/// @param accepts the `Accept` header
/// @param headOnly whether the answer is sent without its body
/// @param room sets memory aside for an answer until it is sent, or refuses
/// @param again refuses if the caller may not any more: for work that goes on while time passes
/// @param goesOn counts the request among those that may go on for ever, or refuses
/// @param refused writes into the audit log that parts of the request were refused for the caller's
///   sake, while others were not
public record Call<Q>(
    Optional<Token> token,
    List<Token> services,
    Scope scope,
    Map<String, String> values,
    Q body,
    String accepts,
    boolean headOnly,
    String remoteAddress,
    LongConsumer room,
    Runnable again,
    Runnable goesOn,
    Consumer<List<String>> refused) {

  /// Stands before the names of families in the values.
  static final String FAMILY = "?";

  /// The caller of a route that is not open.
  public Token caller() {
    return token.orElseThrow(() -> new IllegalStateException("this route asks for no token"));
  }

  /// Whoever calls, with a token or without, with all services that the request proves.
  public Caller who() {
    List<String> ids = new ArrayList<>();
    token.flatMap(Token::serviceId).ifPresent(ids::add);
    services.forEach(service -> service.serviceId().ifPresent(ids::add));
    return new Caller(token, ids);
  }

  /// The values of all families by their names, with the brackets.
  public SortedMap<String, String> families() {
    SortedMap<String, String> families = new TreeMap<>();
    values.forEach(
        (name, value) -> {
          if (name.startsWith(FAMILY)) {
            families.put(name.substring(FAMILY.length()), value);
          }
        });
    return families;
  }

  /// The value of a parameter that is always there.
  public <T> T get(Parameter<T> parameter) {
    return find(parameter).orElseThrow();
  }

  /// The value of a parameter, if it came.
  public <T> Optional<T> find(Parameter<T> parameter) {
    return Optional.ofNullable(values.get(parameter.name()))
        .map(text -> parameter.type().parse(text, parameter.name()));
  }
}
