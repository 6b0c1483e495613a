package dev.veridex.identity;

import dev.veridex.acl.Acl;
import dev.veridex.common.Scope;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The caller of a request: the bearer of a token, or anonymous.
///
/// @param token absent for an anonymous caller
/// @param serviceIds the services that the request proved, by its own token and by others; whether
///   they are registered where it matters is for [Services] to say
public record Caller(Optional<Token> token, List<String> serviceIds) {

  /// The subject of those who bring no token.
  public static final String ANONYMOUS = "anonymous";

  public Caller {
    serviceIds = List.copyOf(serviceIds);
  }

  /// The bearer of a token, and of no other.
  public static Caller of(Token token) {
    return new Caller(Optional.of(token), token.serviceId().stream().toList());
  }

  public boolean administers(Scope scope) {
    return token.filter(bearer -> bearer.administers(scope)).isPresent();
  }

  /// The person behind it.
  public Optional<String> subject() {
    return token.isEmpty() ? Optional.of(ANONYMOUS) : token.get().subject();
  }

  /// Whether the caller stands for a subject by a token: an anonymous caller owns nothing, not even
  /// what somebody called `anonymous` owns. Nor does a token of Global: its subject need not be the
  /// tenant's, and it passes if it administers, not otherwise.
  public boolean is(Optional<String> owner) {
    return owner.isPresent()
        && token
            .filter(bearer -> !(bearer.scope() instanceof Scope.Global))
            .flatMap(Token::subject)
            .equals(owner);
  }

  /// The person of a tenant whom a token stands for; as in [#is], not one of Global, nor a service.
  public Optional<String> user() {
    return token
        .filter(bearer -> !(bearer.scope() instanceof Scope.Global))
        .filter(bearer -> !bearer.isService())
        .flatMap(Token::subject);
  }

  /// Whether the caller may ask and act for others: an administrator may, and a service that says
  /// so.
  public boolean mayActForOthers(Scope scope) {
    return administers(scope)
        || token
            .filter(Token::isService)
            .filter(bearer -> bearer.flags().contains(Token.Flag.IMPERSONATE))
            .isPresent();
  }

  /// Whether there is nobody to be refused: a token may help.
  public boolean isAnonymous() {
    return token.isEmpty();
  }

  /// The groups it brings, and the one that everybody is in.
  public Set<String> groups() {
    Set<String> groups = new HashSet<>();
    token.ifPresent(bearer -> groups.addAll(bearer.groups()));
    groups.add(Acl.EVERYBODY);
    return groups;
  }
}
