package dev.veridex.access;

import dev.veridex.common.Scope;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// One lock per scope that makes writers of an access index wait for each other instead of running
/// again; correctness does not need it.
///
/// There are two sets of them, taken in this order: one for what is stated, which a rebuild holds
/// all the time, and one for commits, which it holds for moments. So grants do not wait for it.
public final class ScopeLocks {
  /// A lock, and how many hold it or wait for it.
  private static final class CountedLock {
    private final ReentrantLock lock = new ReentrantLock(true);
    private int users;
  }

  private final ConcurrentHashMap<Scope, CountedLock> locks = new ConcurrentHashMap<>();

  /// Does something while nobody else does it in the same scope.
  <T> T alone(Scope scope, Supplier<T> work) {
    CountedLock shared = enter(scope);
    shared.lock.lock();
    try {
      return work.get();
    } finally {
      shared.lock.unlock();
      leave(scope);
    }
  }

  private CountedLock enter(Scope scope) {
    return locks.compute(
        scope,
        (_, known) -> {
          CountedLock shared = known == null ? new CountedLock() : known;
          shared.users++;
          return shared;
        });
  }

  private void leave(Scope scope) {
    locks.computeIfPresent(
        scope,
        (_, shared) -> {
          shared.users--;
          return shared.users == 0 ? null : shared;
        });
  }
}
