package dev.veridex.http;

import dev.veridex.acl.RefusedException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.RefusalLog;
import dev.veridex.identity.Token;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/// Authentication and authorization of callers.
///
/// Refusals are written into the audit log: each of them, until somebody is refused again and
/// again; from then on each that doubles their number, so that nobody can fill the disk by trying.
public final class CallerAuthorization {
  private static final int MAX_WAITING = 1000;

  /// The header of tokens that prove services.
  static final String SERVICE_TOKEN = "Veridex-Service-Token";

  private static final int MAX_SERVICES = 16;

  private final Function<String, Optional<Token>> recognise;
  private final RefusalLog refusals;
  private final TokenGuesses guesses;
  private final InstantSource clock;
  private final Pause pause;
  private final TokenGuesses known = new TokenGuesses();
  private final Semaphore waiting = new Semaphore(MAX_WAITING);

  /// The delay before an invalid token is answered; tests replace it.
  @FunctionalInterface
  public interface Pause {
    void pause(Duration duration);
  }

  /// @param recognise finds the token that a text proves
  public CallerAuthorization(
      Function<String, Optional<Token>> recognise,
      RefusalLog refusals,
      TokenGuesses guesses,
      InstantSource clock,
      Pause pause) {
    this.recognise = recognise;
    this.refusals = refusals;
    this.guesses = guesses;
    this.clock = clock;
    this.pause = pause;
  }

  /// The caller.
  ///
  /// @throws VeridexException `UNAUTHENTICATED`
  Token caller(Exchange exchange, String operation) {
    return proven(
        exchange.header("Authorization").flatMap(CallerAuthorization::bearer), exchange, operation);
  }

  /// The caller of a route that needs no token; a wrong one is refused all the same.
  ///
  /// @throws VeridexException `UNAUTHENTICATED`
  Optional<Token> callerIfAny(Exchange exchange, String operation) {
    return exchange.header("Authorization").isEmpty()
        ? Optional.empty()
        : Optional.of(caller(exchange, operation));
  }

  /// The tokens of services that a request brings besides its own.
  ///
  /// @throws VeridexException `UNAUTHENTICATED`
  List<Token> services(Exchange exchange, String operation) {
    List<String> secrets = exchange.headers(SERVICE_TOKEN);
    if (secrets.size() > MAX_SERVICES) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "a request proves at most 16 services"));
    }
    List<Token> tokens = new ArrayList<>();
    for (String secret : secrets) {
      Token token = proven(Optional.of(secret.strip()), exchange, operation);
      if (token.serviceId().isEmpty()) {
        throw new VeridexException(
            Problem.of(ErrorCode.BAD_REQUEST, "this header takes tokens of services")
                .with("header", SERVICE_TOKEN));
      }
      tokens.add(token);
    }
    return tokens;
  }

  private Token proven(Optional<String> secret, Exchange exchange, String operation) {
    Optional<Token> token = secret.flatMap(recognise);
    if (token.isEmpty()) {
      noteUnknown(exchange.remoteAddress(), operation);
      throw new VeridexException(tokenNeeded());
    }
    return token.get();
  }

  private static Problem tokenNeeded() {
    return Problem.of(
        ErrorCode.UNAUTHENTICATED,
        "a token is needed: send it with Authorization: Bearer, unexpired and unrevoked");
  }

  /// Somebody was refused by what an ACL says. Whoever brought no token hears that one is needed,
  /// whatever there is.
  VeridexException refused(
      RefusedException refusal,
      Optional<Token> caller,
      Scope scope,
      String operation,
      List<String> key,
      String address) {
    if (caller.isEmpty()) {
      noteUnknown(address, operation);
      return new VeridexException(tokenNeeded());
    }
    note(caller.get(), scope, operation, key, ErrorCode.FORBIDDEN);
    return refusal;
  }

  /// Somebody was refused parts of what they asked for. Whoever brought no token has tried once,
  /// whatever the parts.
  void refused(
      Optional<Token> caller,
      Scope scope,
      String operation,
      List<String> key,
      List<String> parts,
      String address) {
    if (parts.isEmpty()) {
      return;
    }
    caller.ifPresentOrElse(
        token ->
            parts.forEach(
                part -> {
                  List<String> what = new ArrayList<>(key);
                  what.add(part);
                  note(token, scope, operation, what, ErrorCode.FORBIDDEN);
                }),
        () -> noteUnknown(address, operation));
  }

  private static Optional<String> bearer(String header) {
    boolean bearer = header.toLowerCase(Locale.ROOT).startsWith("bearer ");
    return bearer ? Optional.of(header.substring("bearer ".length()).strip()) : Optional.empty();
  }

  private void noteUnknown(String address, String operation) {
    TokenGuesses.GuessResult verdict = guesses.failed(address, clock.instant());
    if (verdict.noteworthy()) {
      refusals.unknown(address, operation, verdict.failures());
    }
    if (verdict.delay().isPositive()) {
      if (!waiting.tryAcquire()) {
        throw new VeridexException(
            Problem.of(ErrorCode.TOO_MANY_ATTEMPTS, "too many wrong tokens came of late"));
      }
      try {
        pause.pause(verdict.delay());
      } finally {
        waiting.release();
      }
    }
  }

  /// Lets a caller pass whose scope reaches another.
  ///
  /// @throws VeridexException `SCOPE_DENIED`
  void reaches(Token caller, Scope scope, String operation, List<String> key) {
    if (!caller.reaches(scope)) {
      refuse(caller, scope, operation, key);
    }
  }

  /// Lets a caller pass who administers a scope.
  ///
  /// @throws VeridexException `SCOPE_DENIED`, `FORBIDDEN`
  void administers(Token caller, Scope scope, String operation, List<String> key) {
    if (!caller.administers(scope)) {
      refuse(caller, scope, operation, key);
    }
  }

  private void refuse(Token caller, Scope scope, String operation, List<String> key) {
    Problem problem =
        caller.reaches(scope)
            ? Problem.of(ErrorCode.FORBIDDEN, "this takes a token with the flag admin")
            : Problem.of(ErrorCode.SCOPE_DENIED, "the token does not reach this scope");
    note(caller, scope, operation, key, problem.code());
    throw new VeridexException(problem);
  }

  private void note(
      Token caller, Scope scope, String operation, List<String> key, ErrorCode reason) {
    TokenGuesses.GuessResult verdict = known.failed(caller.id(), clock.instant());
    if (verdict.noteworthy()) {
      List<String> what = new ArrayList<>(key);
      if (verdict.failures() > TokenGuesses.FREE) {
        what.add("attempt " + verdict.failures());
      }
      refusals.refused(caller, operation, scope, what, reason);
    }
  }
}
