package dev.veridex.identity.jwt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.veridex.common.Scope;
import dev.veridex.identity.Token;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

final class JwtTokensTest {
  private static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");
  private static final RSAKey RSA = rsaKey("one");
  private static final RSAKey STRANGER = rsaKey("one");
  private static final ECKey EC = ecKey();

  private final JwtTokens tokens = trusting(issuer(Set.of("RS256"), keySet(RSA, EC)));

  private static RSAKey rsaKey(String id) {
    try {
      return new RSAKeyGenerator(2048).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ECKey ecKey() {
    try {
      return new ECKeyGenerator(Curve.P_256).keyID("two").generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String keySet(RSAKey rsa, ECKey ec) {
    return new JWKSet(List.of(rsa.toPublicJWK(), ec.toPublicJWK())).toString();
  }

  /// The place of the keys is the keys themselves.
  private static JwtTokens trusting(JwtIssuer... issuers) {
    return new JwtTokens(List.of(issuers), keys -> () -> keys);
  }

  private static JwtIssuer issuer(Set<String> algorithms, String keySet) {
    return new JwtIssuer(
        "https://login.example",
        "veridex",
        algorithms,
        keySet,
        Scope.parse("tenant:acme"),
        "sub",
        Optional.of("groups"),
        Optional.of("scope"));
  }

  private static JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder()
        .issuer("https://login.example")
        .audience(List.of("other", "veridex"))
        .subject("alice")
        .claim("groups", List.of("user", "admin", "*"))
        .issueTime(Date.from(NOW.minusSeconds(10)))
        .expirationTime(Date.from(NOW.plusSeconds(60)));
  }

  private static String signed(JWSAlgorithm algorithm, JWSSigner signer, JWTClaimsSet claims)
      throws JOSEException {
    SignedJWT jwt = new SignedJWT(new JWSHeader.Builder(algorithm).build(), claims);
    jwt.sign(signer);
    return jwt.serialize();
  }

  private static String signed(UnaryOperator<JWTClaimsSet.Builder> change) throws JOSEException {
    return signed(JWSAlgorithm.RS256, new RSASSASigner(RSA), change.apply(claims()).build());
  }

  private Optional<Token> authenticate(String text) {
    return tokens.authenticate(text, NOW);
  }

  @Test
  void aTokenOfATrustedIssuerIsItsSubject() throws JOSEException {
    Token token = authenticate(signed(claims -> claims)).orElseThrow();
    assertThat(token.subject()).contains("alice");
    assertThat(token.groups()).as("no issuer makes minters").containsExactly("admin", "user");
    assertThat(token.scope()).isEqualTo(Scope.parse("tenant:acme"));
    assertThat(token.flags()).isEmpty();
    assertThat(token.expiresAt()).contains(NOW.plusSeconds(60));
  }

  @Test
  void aTokenMayAskForANarrowerScopeOnly() throws JOSEException {
    String prod = signed(claims -> claims.claim("scope", "tenant:acme:env:prod"));
    assertThat(authenticate(prod).orElseThrow().scope())
        .isEqualTo(Scope.parse("tenant:acme:env:prod"));
    for (String wider : List.of("global", "tenant:other", "env:prod", "nonsense", "")) {
      assertThat(authenticate(signed(claims -> claims.claim("scope", wider)))).isEmpty();
    }
    assertThat(authenticate(signed(claims -> claims.claim("scope", 7)))).isEmpty();
  }

  @Test
  void anotherIssuerOrAudienceIsNobody() throws JOSEException {
    assertThat(authenticate(signed(claims -> claims.issuer("https://evil.example")))).isEmpty();
    assertThat(authenticate(signed(claims -> claims.issuer("https://login.example/")))).isEmpty();
    assertThat(authenticate(signed(claims -> claims.issuer(null)))).isEmpty();
    assertThat(authenticate(signed(claims -> claims.audience("other")))).isEmpty();
    assertThat(authenticate(signed(claims -> claims.audience(List.of())))).isEmpty();
  }

  @Test
  void timeCounts() throws JOSEException {
    String text = signed(claims -> claims);
    assertThat(tokens.authenticate(text, NOW.plusSeconds(59))).isPresent();
    assertThat(tokens.authenticate(text, NOW.plusSeconds(60))).isEmpty();
    assertThat(authenticate(signed(claims -> claims.expirationTime(null))))
        .as("one that never expires")
        .isEmpty();
    assertThat(authenticate(signed(c -> c.notBeforeTime(Date.from(NOW.plusSeconds(60))))))
        .isPresent();
    assertThat(authenticate(signed(c -> c.notBeforeTime(Date.from(NOW.plusSeconds(61))))))
        .isEmpty();
  }

  @Test
  void onlyTheIssuersKeysAndAlgorithmsCount() throws JOSEException {
    JWTClaimsSet claims = claims().build();
    assertThat(authenticate(signed(JWSAlgorithm.RS256, new RSASSASigner(STRANGER), claims)))
        .isEmpty();
    assertThat(authenticate(signed(JWSAlgorithm.RS512, new RSASSASigner(RSA), claims))).isEmpty();
    assertThat(authenticate(signed(JWSAlgorithm.PS256, new RSASSASigner(RSA), claims))).isEmpty();
    assertThat(authenticate(signed(JWSAlgorithm.ES256, new ECDSASigner(EC), claims)))
        .as("a key of the set, with an algorithm that does not count")
        .isEmpty();
    assertThat(authenticate(new PlainJWT(claims).serialize())).as("alg none").isEmpty();
    JwtTokens elliptic = trusting(issuer(Set.of("ES256"), keySet(RSA, EC)));
    String byEc = signed(JWSAlgorithm.ES256, new ECDSASigner(EC), claims);
    assertThat(elliptic.authenticate(byEc, NOW)).isPresent();
  }

  @Test
  void aPublicKeyIsNoSharedSecret() throws JOSEException {
    JWTClaimsSet claims = claims().build();
    for (String secret : List.of(RSA.toPublicJWK().toJSONString(), RSA.getModulus().toString())) {
      String forged = signed(JWSAlgorithm.HS256, new MACSigner(secret.getBytes(UTF_8)), claims);
      assertThat(authenticate(forged)).isEmpty();
    }
  }

  @Test
  void anAlteredTokenIsNobody() throws JOSEException {
    String text = signed(claims -> claims);
    for (int i = 0; i < text.length() - 1; i += 7) {
      char other = text.charAt(i) == 'A' ? 'B' : 'A';
      assertThat(authenticate(text.substring(0, i) + other + text.substring(i + 1)))
          .as("character %s", i)
          .isEmpty();
    }
    List.of("", ".", "..", "a.b.c", text + ".", text.substring(5), "x".repeat(100_000))
        .forEach(bad -> assertThat(authenticate(bad)).isEmpty());
  }

  @Test
  void aTokenWithoutASubjectIsNobody() throws JOSEException {
    assertThat(authenticate(signed(claims -> claims.subject(null)))).isEmpty();
    assertThat(authenticate(signed(claims -> claims.subject("")))).isEmpty();
    assertThat(authenticate(signed(claims -> claims.claim("groups", "user")))).isEmpty();
  }

  @Test
  void anIssuerThatCannotBeTrustedIsRefusedAtOnce() {
    String keys = keySet(RSA, EC);
    for (String algorithm : List.of("none", "HS256", "RS1", "")) {
      assertThatIllegalArgumentException().isThrownBy(() -> issuer(Set.of(algorithm), keys));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> issuer(Set.of(), keys));
    String symmetric =
        new JWKSet(new OctetSequenceKey.Builder(new byte[32]).build()).toString(false);
    for (String keySet : List.of("", "{}", "{\"keys\":[]}", "not json", symmetric)) {
      JwtIssuer issuer = issuer(Set.of("RS256"), keySet);
      assertThatIllegalArgumentException().isThrownBy(() -> trusting(issuer));
    }
    JwtIssuer twice = issuer(Set.of("RS256"), keys);
    assertThatIllegalArgumentException().isThrownBy(() -> trusting(twice, twice));
  }
}
