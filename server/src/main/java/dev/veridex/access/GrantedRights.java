package dev.veridex.access;

import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.GrantChange;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.GrantedRightWriter;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.store.Reader;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/// The rights that grants give in access indexes. Whoever writes grants has these written in the
/// same transaction; from the commit on, every answer about rights counts them.
public final class GrantedRights {
  private final Store store;
  private final AccessIndexLocator indexes;
  private final ScopeLocks locks;
  private final CompiledIndexes compiled;
  private final ChangeSignals signals;

  public GrantedRights(
      Store store,
      AccessIndexLocator indexes,
      ScopeLocks locks,
      CompiledIndexes compiled,
      ChangeSignals signals) {
    this.store = store;
    this.indexes = indexes;
    this.locks = locks;
    this.compiled = compiled;
    this.signals = signals;
  }

  /// Whether there is an access index for a scope: grants elsewhere count in no decision.
  public static boolean hasIndex(Scope scope) {
    return scope instanceof Scope.Tenant || scope instanceof Scope.TenantEnvironment;
  }

  /// The changes of one commit.
  public final class Update {
    private final Scope scope;
    private Optional<RecordChanges> changes = Optional.empty();

    private Update(Scope scope) {
      this.scope = scope;
    }

    /// Writes changes in the transaction that makes them: all of it, once each time it is run.
    public void write(Transaction transaction, List<GrantChange> made) {
      changes = Optional.empty();
      if (made.isEmpty()) {
        return;
      }
      GrantedRightWriter writer = indexes.writeGrants(transaction, scope);
      made.forEach(writer::apply);
      changes = writer.finish(indexes.version(transaction, scope));
    }
  }

  /// Makes a commit that may change what grants give in a scope.
  ///
  /// @param commit runs a transaction in which it calls [Update#write]
  public <T> T commit(Scope scope, Function<Update, T> commit) {
    return locks.alone(
        scope,
        () -> {
          Update update = new Update(scope);
          try (CompiledIndexes.IndexUpdate pending = compiled.begin(scope)) {
            T result = run(commit, update, pending);
            update.changes.ifPresentOrElse(
                changes -> {
                  // Nobody else changes this index meanwhile.
                  pending.committed(changes, store.revision());
                  signals.changed(scope);
                },
                pending::unchanged);
            return result;
          }
        });
  }

  private static <T> T run(
      Function<Update, T> commit, Update update, CompiledIndexes.IndexUpdate pending) {
    try {
      return commit.apply(update);
    } catch (RuntimeException e) {
      boolean unknown =
          e instanceof VeridexException failure && failure.code() == ErrorCode.UNAVAILABLE;
      if (!unknown) {
        pending.unchanged();
      }
      // Otherwise it may have been committed all the same.
      throw e;
    }
  }

  /// Visits what an index has of the grants that are alive, in both directions.
  public void eachLive(Reader reader, Scope scope, Consumer<GrantedRight> visitor) {
    Predicate<GrantedRight> each =
        grant -> {
          if (grant.isLive(reader.now())) {
            visitor.accept(grant);
          }
          return true;
        };
    AccessIndexReader index = indexes.read(reader, scope);
    index.eachGrant(each);
    index.eachGrantOnlyBySubject(each);
  }

  /// Whether an index has exactly this of a grant, in both directions.
  public boolean has(Reader reader, Scope scope, GrantedRight right) {
    return indexes.read(reader, scope).hasGrant(right);
  }
}
