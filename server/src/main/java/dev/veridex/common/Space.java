package dev.veridex.common;

/// The kind of a stored record: the first byte of its key.
///
/// Codes are stored, so they are never renumbered and never used again. The embedded store looks at
/// this byte to know where a kind of record can be; see `RocksDatabase.mayHold`.
public enum Space {
  /// Tokens of a scope, by id: the hash of each.
  TOKEN(0x10),
  /// Tokens by the hash of their secret: the token itself.
  TOKEN_BY_HASH(0x11),
  /// Tokens by id, for whoever knows no scope: the hash.
  TOKEN_BY_ID(0x12),
  /// Says that there was a root token once.
  TOKEN_ROOT(0x13),
  /// Accounts, by name.
  ACCOUNT(0x20),
  /// How often an account's name was given up.
  ACCOUNT_INCARNATION(0x21),
  /// How often the name of an account's environment was given up.
  ENVIRONMENT_INCARNATION(0x22),
  /// Environments of an account, by name.
  ENVIRONMENT(0x23),
  /// What was deleted and is still to be removed.
  CLEANUP(0x24),
  /// What was done and refused in a scope, in commit order.
  AUDIT(0x18);

  private final int code;

  Space(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }
}
