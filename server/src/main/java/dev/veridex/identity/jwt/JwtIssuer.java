package dev.veridex.identity.jwt;

import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.settings.Settings;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// An issuer of JSON Web Tokens that the server's configuration trusts, and how far.
///
/// @param issuer the `iss` of its tokens, byte for byte
/// @param audience what their `aud` must contain: us
/// @param algorithms the signature algorithms that count, asymmetric ones only
/// @param keys where its public keys are, as a JSON Web Key Set: a file or an address
/// @param widestScope the scope of its tokens, and the widest that one may ask for
/// @param subjectClaim the claim that names the subject
/// @param groupsClaim the claim that lists the groups
/// @param scopeClaim the claim that asks for a scope within the widest
public record JwtIssuer(
    String issuer,
    String audience,
    Set<String> algorithms,
    String keys,
    Scope widestScope,
    String subjectClaim,
    Optional<String> groupsClaim,
    Optional<String> scopeClaim) {

  /// Signatures that only the issuer can make. An HMAC is not among them: its key would be ours,
  /// too, and a verifier that takes a public key for one lets everybody sign.
  public static final Set<String> KNOWN_ALGORITHMS =
      Set.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

  public JwtIssuer {
    algorithms = Set.copyOf(algorithms);
    if (algorithms.isEmpty() || !KNOWN_ALGORITHMS.containsAll(algorithms)) {
      throw new IllegalArgumentException(
          "an issuer has one or more of the algorithms " + KNOWN_ALGORITHMS);
    }
    if (issuer.isEmpty() || audience.isEmpty()) {
      throw new IllegalArgumentException("an issuer and an audience have a name");
    }
  }

  public static JwtIssuer read(Settings issuer) {
    try {
      return new JwtIssuer(
          required(issuer, "issuer"),
          required(issuer, "audience"),
          Set.copyOf(issuer.texts("algorithms", List.of("RS256"))),
          required(issuer, "keys"),
          scope(issuer),
          issuer.text("subjectClaim", "sub"),
          issuer.text("groupsClaim"),
          issuer.text("scopeClaim"));
    } catch (IllegalArgumentException e) {
      throw issuer.wrong("algorithms", "one or more of " + new TreeSet<>(KNOWN_ALGORITHMS));
    }
  }

  private static Scope scope(Settings issuer) {
    String text = required(issuer, "scope");
    try {
      return Scope.parse(text);
    } catch (VeridexException e) {
      throw issuer.wrong("scope", "a scope, e.g. tenant:acme");
    }
  }

  private static String required(Settings issuer, String key) {
    return issuer.text(key).orElseThrow(() -> issuer.wrong(key, "a text"));
  }
}
