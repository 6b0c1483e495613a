package dev.veridex.grants;

import dev.veridex.access.GrantedRights;
import dev.veridex.access.ledger.GrantChange;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.common.Scope;
import dev.veridex.jobs.HeldJob;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.JobKind;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Commits of grants of one scope: what is written or deleted also counts in decisions, or does not
/// any more, with the very same commit.
final class GrantCommits {
  private final Store store;
  private final GrantRecords records;
  private final GrantedRights rights;

  GrantCommits(Store store, GrantRecords records, GrantedRights rights) {
    this.store = store;
    this.records = records;
    this.rights = rights;
  }

  /// The grants that one run of a transaction writes and deletes.
  final class Changes {
    private final Transaction transaction;
    private final Scope counting;
    private final List<GrantChange> counted = new ArrayList<>();

    /// @param counting the scope whose index hears of them
    private Changes(Transaction transaction, Scope counting) {
      this.transaction = transaction;
      this.counting = counting;
    }

    Transaction transaction() {
      return transaction;
    }

    /// Writes a grant.
    ///
    /// @param before what it takes the place of
    /// @param extended whether it is that, with a later end
    void put(Optional<Grant> before, Grant grant, boolean extended) {
      records.put(transaction, grant);
      Optional<GrantedRight> was = before.flatMap(Grant::granted);
      grant
          .granted()
          .ifPresentOrElse(
              now ->
                  count(
                      grant.scope(),
                      extended && was.isPresent()
                          ? GrantChange.Kind.EXTENDED
                          : GrantChange.Kind.GRANTED,
                      now),
              () -> was.ifPresent(gone -> count(grant.scope(), GrantChange.Kind.REVOKED, gone)));
    }

    /// Deletes a grant. One that has ended counts no more anyway.
    void delete(Grant grant) {
      records.delete(transaction, grant.scope(), grant.key());
      grant
          .granted()
          .filter(gone -> gone.isLive(transaction.now()))
          .ifPresent(gone -> count(grant.scope(), GrantChange.Kind.REVOKED, gone));
    }

    private void count(Scope scope, GrantChange.Kind kind, GrantedRight right) {
      if (GrantedRights.hasIndex(scope)) {
        if (!scope.equals(counting)) {
          throw new IllegalStateException("the index of another scope would hear of this");
        }
        counted.add(new GrantChange(kind, right));
      }
    }
  }

  /// A transaction turned out to change decisions, which it was not expected to.
  private static final class CountsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private CountsException() {
      super(null, null, false, false);
    }
  }

  /// Runs a transaction.
  ///
  /// @param counts whether it is likely to change decisions: those that do wait for each other, and
  ///   those that do it unexpectedly run again
  <T> CommitResult<T> transact(Scope scope, boolean counts, Function<Changes, T> work) {
    if (!counts || !GrantedRights.hasIndex(scope)) {
      try {
        return store.transact(
            transaction -> {
              Changes changes = new Changes(transaction, scope);
              T result = work.apply(changes);
              if (!changes.counted.isEmpty()) {
                throw new CountsException();
              }
              return result;
            });
      } catch (CountsException e) {
        return transact(scope, true, work);
      }
    }
    return rights.commit(
        scope,
        update ->
            store.transact(
                transaction -> {
                  Changes changes = new Changes(transaction, scope);
                  T result = work.apply(changes);
                  update.write(transaction, changes.counted);
                  return result;
                }));
  }

  /// A step of a job that changes grants.
  @FunctionalInterface
  interface Step {
    /// Does the step.
    JobKind.Step apply(Changes changes, Job job);
  }

  /// Does a step of a job.
  ///
  /// @param scope in which it changes grants
  void step(HeldJob held, Scope scope, Step step) {
    if (!GrantedRights.hasIndex(scope)) {
      held.commit((transaction, job, _) -> step.apply(new Changes(transaction, scope), job));
      return;
    }
    Job _ =
        rights.commit(
            scope,
            update ->
                held.commit(
                    (transaction, job, _) -> {
                      Changes changes = new Changes(transaction, scope);
                      JobKind.Step done = step.apply(changes, job);
                      update.write(transaction, changes.counted);
                      return done;
                    }));
  }
}
