package dev.veridex.accounts.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.veridex.accounts.Token;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Turns JSON Web Tokens of configured issuers into tokens, or into nothing.
///
/// Whatever is wrong with one, the answer is the same: nobody. Keys and algorithms come from the
/// configuration alone; a token's header only chooses among them, and whatever else it says (`jku`,
/// `x5u`, an embedded key) is not looked at.
public final class JwtTokens {
  /// How far an issuer's clock may be ahead of ours.
  private static final Duration SKEW = Duration.ofSeconds(60);

  private static final int MAX_CHARACTERS = 16 * 1024;

  private final Map<String, Trusted> issuers = new HashMap<>();

  private record Trusted(JwtIssuer issuer, JWKSet keys) {}

  /// @throws IllegalArgumentException if an issuer's key set cannot be read or has no usable key,
  ///   or two issuers have the same name
  public JwtTokens(List<JwtIssuer> issuers) {
    for (JwtIssuer issuer : issuers) {
      if (this.issuers.put(issuer.issuer(), new Trusted(issuer, publicKeys(issuer))) != null) {
        throw new IllegalArgumentException("two issuers are called " + issuer.issuer());
      }
    }
  }

  private static JWKSet publicKeys(JwtIssuer issuer) {
    try {
      // Symmetric keys have no public part, so they fall out here.
      JWKSet keys = JWKSet.parse(issuer.keySet()).toPublicJWKSet();
      if (keys.isEmpty()) {
        throw new IllegalArgumentException("no public key of " + issuer.issuer());
      }
      return keys;
    } catch (ParseException e) {
      throw new IllegalArgumentException("the key set of " + issuer.issuer(), e);
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
      Trusted trusted = claims.getIssuer() == null ? null : issuers.get(claims.getIssuer());
      return trusted != null && isSigned(jwt, trusted) && isFor(claims, trusted.issuer, now)
          ? token(claims, trusted.issuer)
          : Optional.empty();
    } catch (ParseException | JOSEException | VeridexException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static boolean isSigned(SignedJWT jwt, Trusted trusted) throws JOSEException {
    String algorithm = jwt.getHeader().getAlgorithm().getName();
    if (!trusted.issuer.algorithms().contains(algorithm)) {
      return false;
    }
    String keyId = jwt.getHeader().getKeyID();
    for (JWK key : trusted.keys.getKeys()) {
      JWSVerifier verifier = verifier(key, algorithm);
      boolean chosen = keyId == null || keyId.equals(key.getKeyID());
      if (chosen && verifier != null && jwt.verify(verifier)) {
        return true;
      }
    }
    return false;
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

  private static Optional<Token> token(JWTClaimsSet claims, JwtIssuer issuer)
      throws ParseException {
    String subject = claims.getStringClaim(issuer.subjectClaim());
    Scope scope = issuer.widestScope();
    if (issuer.scopeClaim().isPresent()) {
      String asked = claims.getStringClaim(issuer.scopeClaim().get());
      scope = asked == null ? scope : Scope.parse(asked);
    }
    if (subject == null || subject.isEmpty() || !issuer.widestScope().reaches(scope, false)) {
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
            issuedAt(claims),
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
    return groups.stream().filter(group -> !group.equals(Token.ANY_GROUP)).toList();
  }

  private static Instant issuedAt(JWTClaimsSet claims) {
    return claims.getIssueTime() == null ? Instant.EPOCH : claims.getIssueTime().toInstant();
  }
}
