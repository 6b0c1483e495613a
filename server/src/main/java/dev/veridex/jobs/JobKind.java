package dev.veridex.jobs;

import dev.veridex.store.Transaction;

/// A kind of long work.
///
/// Work is done in transactions of [HeldJob]: each also writes how far the job is, and commits only
/// if the worker still holds the job. So a step counts wholly or not at all, however often it is
/// tried and whoever tries it. A process may be killed between any two steps.
public interface JobKind {
  /// Its name, as `scope.delete`.
  String name();

  /// Works on a job: until it is over, or for a while. It is called again as long as the job is not
  /// over.
  void work(HeldJob held);

  /// The end of a step.
  record Step(Job.Work work, Then then) {
    /// A step, after which the job is over or goes on.
    public static Step of(Job.Work work, boolean isLast) {
      return new Step(work, isLast ? Then.DONE : Then.GO_ON);
    }
  }

  /// The fate of a job after a step.
  enum Then {
    GO_ON,
    /// It is over, and can be looked at for some days.
    DONE,
    /// It is over and leaves no record: what it was about must not be named any more.
    FORGET
  }

  /// A kind whose work is a function from one step to the next. Steps of several jobs take turns.
  interface Stepwise extends JobKind {
    /// Does the next piece: as much as fits well into one transaction, and nowhere else.
    ///
    /// @param attempt how often others were faster than this very step
    Step step(Transaction transaction, Job job, int attempt);

    @Override
    default void work(HeldJob held) {
      held.commit(this::step);
    }
  }
}
