package dev.veridex.identity.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.veridex.common.Agent;
import dev.veridex.common.Scope;
import dev.veridex.identity.Token;
import dev.veridex.identity.TokenRequest;
import java.io.IOException;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Turns JSON Web Tokens of configured issuers into tokens, or into nothing.
///
/// Whatever is wrong with one, the answer is the same: nobody. Keys and algorithms come from the
/// configuration alone; a token's header only chooses among them, and whatever else it says (`jku`,
/// `x5u`, an embedded key) is not looked at.
public final class JwtTokens implements Agent {
  /// How far an issuer's clock may be ahead of ours.
  private static final Duration SKEW = Duration.ofSeconds(60);

  private static final int MAX_CHARACTERS = 16 * 1024;

  private static final System.Logger LOG = System.getLogger(JwtTokens.class.getName());

  private final Map<String, TrustedIssuer> issuers = new HashMap<>();

  /// An issuer and the keys that it has now; none until they could be read for the first time.
  private record TrustedIssuer(JwtIssuer issuer, KeySource source, AtomicReference<JWKSet> keys) {}

  /// Reads the keys of all issuers. Those that come from afar may come later, see [#runOnce].
  ///
  /// @param sources what reads the keys at a location
  /// @throws IllegalArgumentException if an issuer's key set cannot be read or has no usable key,
  ///   or two issuers have the same name
  public JwtTokens(List<JwtIssuer> issuers, Function<String, KeySource> sources) {
    for (JwtIssuer issuer : issuers) {
      KeySource source = sources.apply(issuer.keys());
      TrustedIssuer trusted =
          new TrustedIssuer(issuer, source, new AtomicReference<>(new JWKSet()));
      if (this.issuers.put(issuer.issuer(), trusted) != null) {
        throw new IllegalArgumentException("two issuers are called " + issuer.issuer());
      }
      if (!source.isRemote()) {
        load(trusted);
      }
    }
  }

  /// Whether there is any issuer. Whether some issuer may vouch for somebody in a scope.
  public boolean reach(Scope scope) {
    return issuers.values().stream()
        .anyMatch(trusted -> trusted.issuer.widestScope().reaches(scope, false));
  }

  public boolean isEmpty() {
    return issuers.isEmpty();
  }

  /// Reads all keys anew, so that an issuer can change them; an issuer whose keys cannot be read
  /// keeps those it had. To be run every few minutes.
  @Override
  public boolean runOnce() {
    for (TrustedIssuer trusted : issuers.values()) {
      try {
        load(trusted);
      } catch (IllegalArgumentException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "the keys of %s could not be read: %s"
                .formatted(trusted.issuer.issuer(), e.getCause()));
      }
    }
    return !issuers.isEmpty();
  }

  private static void load(TrustedIssuer trusted) {
    String name = trusted.issuer.issuer();
    try {
      // Symmetric keys have no public part, so they fall out here.
      JWKSet keys = JWKSet.parse(trusted.source.read()).toPublicJWKSet();
      if (keys.isEmpty()) {
        throw new IllegalArgumentException("no public key of " + name);
      }
      trusted.keys.set(keys);
    } catch (ParseException | IOException | NullPointerException e) {
      throw new IllegalArgumentException("the key set of " + name, e);
    }
  }

  /// The token that a text stands for at a time, if an issuer that is trusted says so.
  public Optional<Token> authenticate(String text, Instant now) {
    if (text.length() > MAX_CHARACTERS) {
      return Optional.empty();
    }
    try {
      SignedJWT jwt = SignedJWT.parse(text);
      JWTClaimsSet claims = jwt.getJWTClaimsSet();
      TrustedIssuer trusted = claims.getIssuer() == null ? null : issuers.get(claims.getIssuer());
      return trusted != null && isSigned(jwt, trusted) && isFor(claims, trusted.issuer, now)
          ? token(claims, trusted.issuer, now)
          : Optional.empty();
    } catch (ParseException | RuntimeException e) {
      // The library has more ways to fail on nonsense than it names.
      return Optional.empty();
    }
  }

  private static boolean isSigned(SignedJWT jwt, TrustedIssuer trusted) {
    String algorithm = jwt.getHeader().getAlgorithm().getName();
    if (!trusted.issuer.algorithms().contains(algorithm)) {
      return false;
    }
    String keyId = jwt.getHeader().getKeyID();
    for (JWK key : trusted.keys.get().getKeys()) {
      boolean chosen = keyId == null || keyId.equals(key.getKeyID());
      boolean signs = key.getKeyUse() == null || key.getKeyUse().equals(KeyUse.SIGNATURE);
      if (chosen && signs && isSigned(jwt, key, algorithm)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSigned(SignedJWT jwt, JWK key, String algorithm) {
    try {
      JWSVerifier verifier = verifier(key, algorithm);
      return verifier != null && jwt.verify(verifier);
    } catch (JOSEException e) {
      // A key of another curve or length; the next one may fit.
      return false;
    }
  }

  /// What checks signatures by this key, if the algorithm is one for keys of its kind.
  private static @Nullable JWSVerifier verifier(JWK key, String algorithm) throws JOSEException {
    boolean elliptic = algorithm.startsWith("ES");
    return switch (key) {
      case RSAKey rsa when !elliptic -> new RSASSAVerifier(rsa);
      case ECKey ec when elliptic -> new ECDSAVerifier(ec);
      default -> null;
    };
  }

  private static boolean isFor(JWTClaimsSet claims, JwtIssuer issuer, Instant now) {
    return claims.getAudience().contains(issuer.audience())
        && claims.getExpirationTime() != null
        && now.isBefore(claims.getExpirationTime().toInstant())
        && (claims.getNotBeforeTime() == null
            || !claims.getNotBeforeTime().toInstant().isAfter(now.plus(SKEW)));
  }

  private static Optional<Token> token(JWTClaimsSet claims, JwtIssuer issuer, Instant now)
      throws ParseException {
    String subject = claims.getStringClaim(issuer.subjectClaim());
    Scope scope = issuer.widestScope();
    if (issuer.scopeClaim().isPresent()) {
      String asked = claims.getStringClaim(issuer.scopeClaim().get());
      scope = asked == null ? scope : Scope.parse(asked);
    }
    if (subject == null || !isId(subject) || !issuer.widestScope().reaches(scope, false)) {
      return Optional.empty();
    }
    return Optional.of(
        new Token(
            "jwt:" + issuer.issuer() + ":" + subject,
            scope,
            0,
            false,
            Optional.of(subject),
            new TreeSet<>(groups(claims, issuer)),
            Optional.empty(),
            Set.of(),
            issuedAt(claims, now),
            Optional.of(claims.getExpirationTime().toInstant())));
  }

  private static List<String> groups(JWTClaimsSet claims, JwtIssuer issuer) throws ParseException {
    if (issuer.groupsClaim().isEmpty()) {
      return List.of();
    }
    List<String> groups = claims.getStringListClaim(issuer.groupsClaim().get());
    if (groups == null) {
      return List.of();
    }
    // An issuer names groups; it does not make minters.
    return groups.stream()
        .filter(group -> !group.equals(Token.ANY_GROUP) && isId(group))
        .limit(Token.MAX_GROUPS)
        .toList();
  }

  private static boolean isId(String text) {
    return TokenRequest.isId(text);
  }

  /// The latest time at which a token may have been issued, by our clock: the issuer's may be
  /// behind, and it counts in seconds. What it brings must not pass for older than it is.
  private static Instant issuedAt(JWTClaimsSet claims, Instant now) {
    return Optional.ofNullable(claims.getIssueTime())
        .map(time -> time.toInstant().plus(SKEW))
        .filter(time -> time.isBefore(now))
        .orElse(now);
  }
}
