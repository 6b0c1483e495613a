package dev.veridex.access;

import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.common.Scope;
import dev.veridex.store.Reader;
import java.util.function.Consumer;

/// The grants themselves, from which it can be derived anew what they give in an index.
public interface GrantSource {
  /// Visits what each live grant of a scope gives.
  void each(Reader reader, Scope scope, Consumer<GrantedRight> visitor);

  /// Whether a live grant of a scope gives this, be it with another end.
  boolean gives(Reader reader, Scope scope, GrantedRight right);
}
