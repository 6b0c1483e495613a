package dev.veridex.tenancy;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.identity.Token;
import dev.veridex.items.ReversedItemStore;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/// Fills an account, deletes it, removes some of what is left, says so, and waits to be killed.
final class DeletionChild {
  static final String HALFWAY = "halfway";

  private DeletionChild() {}

  static RocksStore open(Path folder) {
    return RocksStore.open(
        folder,
        RocksSettings.DEFAULT,
        InstantSource.system(),
        InstantSource.system(),
        new Random(1));
  }

  static Domain domain(RocksStore store) {
    Random random = new Random(2);
    return Domain.on(
        store,
        new Domain.Parts(
            random, random, ReversedItemStore.asSecondVersion(), _ -> false, TestAccess.SETTINGS));
  }

  static void main(String[] arguments) {
    RocksStore store = open(Path.of(arguments[0]));
    Domain domain = domain(store);
    Token root = domain.tenancy().tokens().adoptRoot(DeletionTest.SECRET);
    DeletionTest.fill(domain, root, "acme-corp");
    domain.jobs().runAll();
    DeletionTest.fill(domain, root, "acme");
    domain.tenancy().accounts().delete(root, "acme", Optional.empty());
    for (int step = 0; step < Integer.parseInt(arguments[1]); step++) {
      domain.jobs().steps().runOnce();
    }
    System.out.println(HALFWAY);
    while (true) {
      LockSupport.park();
    }
  }
}
