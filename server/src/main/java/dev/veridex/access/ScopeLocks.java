package dev.veridex.access;

import dev.veridex.common.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/// Locks for those who change an index. They all change how far its flow has come, so without them
/// all but one would have to run again, time after time. What is right does not depend on them.
public final class ScopeLocks {
  private static final int COUNT = 256;

  private final List<Lock> locks = new ArrayList<>();

  public ScopeLocks() {
    for (int i = 0; i < COUNT; i++) {
      locks.add(new ReentrantLock(true));
    }
  }

  /// The lock of a scope; some scopes share one.
  Lock of(Scope scope) {
    return locks.get(Math.floorMod(scope.hashCode(), COUNT));
  }
}
