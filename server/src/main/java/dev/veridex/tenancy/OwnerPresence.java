package dev.veridex.tenancy;

import dev.veridex.common.Namespace;
import dev.veridex.common.Scope;
import dev.veridex.identity.Tokens;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// The presence of owners: an owner is gone when nobody can act for it any more.
///
/// An owner is present as long as some token of the account, or of the environment, stands for it.
/// Whom an issuer may vouch for nobody knows, so where one reaches, no owner is gone.
public final class OwnerPresence {
  private final Store store;
  private final Tokens tokens;
  private final Predicate<Scope> issuers;

  /// @param issuers whether an issuer may vouch for somebody in a scope
  public OwnerPresence(Store store, Tokens tokens, Predicate<Scope> issuers) {
    this.store = store;
    this.tokens = tokens;
    this.issuers = issuers;
  }

  /// Whether an owner of something in a scope is present.
  public Predicate<String> present(Scope scope) {
    if (issuers.test(scope)) {
      return _ -> true;
    }
    Set<String> subjects = new HashSet<>();
    try (Snapshot snapshot = store.snapshot()) {
      List<Scope> reaching = List.of(Namespace.of(scope).accountScope(), scope);
      for (Scope each : Set.copyOf(reaching)) {
        subjects.addAll(tokens.subjects(snapshot, each));
      }
    }
    return subjects::contains;
  }
}
