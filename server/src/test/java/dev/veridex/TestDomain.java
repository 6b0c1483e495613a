package dev.veridex;

import dev.veridex.access.AccessSettings;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.tenancy.Account;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;

/// A domain that has the account acme, and its root.
public record TestDomain(Store store, Domain domain, Token root) implements AutoCloseable {
  public static final Namespace ACME = new Namespace("acme", Optional.empty());

  public static TestDomain inMemory() {
    return on(
        new MemoryStore(
            new MemoryDisk(new Random(1)),
            MutableClock.daysAgo(0),
            Duration.ofHours(1),
            Duration.ofDays(7)),
        TestAccess.SETTINGS);
  }

  public static TestDomain on(Store store, AccessSettings access) {
    Random random = new Random(2);
    Domain domain =
        Domain.on(
            store, new Domain.Parts(random, random, Domain.itemVersions(), _ -> false, access));
    Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    return new TestDomain(store, domain, root);
  }

  /// Rebuilds an access index, after whatever else there is to do.
  public static void rebuild(Domain domain, Token caller, Namespace namespace) {
    domain.jobs().runAll();
    domain.access().rebuild().start(caller, namespace);
    domain.jobs().runAll();
  }

  /// Has everything in a bucket sent anew, after whatever else there is to do.
  public static void rebuild(Domain domain, Caller caller, Namespace namespace, String bucket) {
    domain.jobs().runAll();
    domain.documents().rebuild().start(caller, namespace, bucket);
    domain.jobs().runAll();
  }

  @Override
  public void close() {
    store.close();
  }
}
