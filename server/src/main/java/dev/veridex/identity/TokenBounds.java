package dev.veridex.identity;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The rule that a minted token is never wider than its minter, and the limits of every token.
final class TokenBounds {
  private TokenBounds() {}

  /// Why a minter may not have a token minted.
  static Optional<Problem> refusal(Token minter, TokenRequest request, Instant now) {
    if (!minter.reaches(request.scope())) {
      return problem(ErrorCode.SCOPE_DENIED, "the token does not reach this scope", "/scope");
    }
    if (!minter.administers(request.scope())) {
      return problem(ErrorCode.FORBIDDEN, "only an administrator of the scope mints tokens", "");
    }
    return wider(minter, request).or(() -> life(minter, request, now)).or(() -> malformed(request));
  }

  private static Optional<Problem> wider(Token minter, TokenRequest request) {
    if (request.descendants() && !(request.scope() instanceof Scope.Custom)) {
      return problem(ErrorCode.BAD_REQUEST, "only a custom scope has descendants", "/descendants");
    }
    boolean reachesBelow = minter.scope() instanceof Scope.Global || minter.descendants();
    if (request.descendants() && !reachesBelow) {
      return problem(ErrorCode.FORBIDDEN, "a token is never wider than its minter", "/descendants");
    }
    if (!minter.flags().containsAll(request.flags())) {
      return problem(ErrorCode.FORBIDDEN, "a token is never wider than its minter", "/flags");
    }
    boolean anyGroup = minter.groups().contains(Token.ANY_GROUP);
    if (!anyGroup && !minter.groups().containsAll(request.groups())) {
      return problem(ErrorCode.FORBIDDEN, "a token is never wider than its minter", "/groups");
    }
    return Optional.empty();
  }

  private static Optional<Problem> life(Token minter, TokenRequest request, Instant now) {
    if (request.ttl().isEmpty()) {
      return Optional.empty();
    }
    Duration ttl = request.ttl().get();
    Duration longest = Duration.between(now, minter.expiresAt().orElse(Expiry.LATEST));
    if (ttl.isPositive() && ttl.compareTo(longest) <= 0) {
      return Optional.empty();
    }
    return Optional.of(
        Problem.of(ErrorCode.INVALID_TTL, "a token lives for a while, no longer than its minter")
            .at("/ttlSeconds")
            .with("min", "more than 0")
            .with("given", ttl)
            .with("max", longest));
  }

  private static Optional<Problem> malformed(TokenRequest request) {
    if (request.subject().filter(id -> !TokenRequest.isId(id)).isPresent()) {
      return problem(ErrorCode.BAD_REQUEST, "an id has 1 to 1100 bytes", "/subject");
    }
    if (request.serviceId().filter(id -> !TokenRequest.isId(id)).isPresent()) {
      return problem(ErrorCode.BAD_REQUEST, "an id has 1 to 1100 bytes", "/serviceId");
    }
    if (request.groups().size() > Token.MAX_GROUPS
        || !request.groups().stream().allMatch(TokenRequest::isId)) {
      return problem(
          ErrorCode.BAD_REQUEST, "a token has at most 1000 groups of 1 to 1100 bytes", "/groups");
    }
    return Optional.empty();
  }

  private static Optional<Problem> problem(ErrorCode code, String detail, String pointer) {
    Problem problem = Problem.of(code, detail);
    return Optional.of(pointer.isEmpty() ? problem : problem.at(pointer));
  }
}
