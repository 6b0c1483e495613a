package dev.veridex.identity;

import dev.veridex.common.Problem;
import dev.veridex.common.Revision;

/// The result of minting a token.
public sealed interface MintResult {
  /// A new token.
  ///
  /// @param secret shown this one time; nobody can find it out later
  record Minted(Token token, String secret, Revision revision) implements MintResult {
    /// Without the secret: a record's text ends up in logs.
    @Override
    public String toString() {
      return "Minted[token=" + token + "]";
    }
  }

  /// The reason why there is no token.
  record Refused(Problem problem) implements MintResult {}
}
