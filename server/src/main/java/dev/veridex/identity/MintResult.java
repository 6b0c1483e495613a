package dev.veridex.identity;

import dev.veridex.common.Problem;
import dev.veridex.common.Revision;

/// How an attempt to mint a token ended.
public sealed interface MintResult {
  /// There is a new token.
  ///
  /// @param secret shown this one time; nobody can find it out later
  record Minted(Token token, String secret, Revision revision) implements MintResult {
    /// Without the secret: a record's text ends up in logs.
    @Override
    public String toString() {
      return "Minted[token=" + token + "]";
    }
  }

  /// There is none.
  record Refused(Problem problem) implements MintResult {}
}
