package dev.veridex.access;

import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.tenancy.AdminChanges;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// Opens snapshots for namespaces that exist.
final class NamespaceReaders {
  private static final int MAX_PLACES = 10_000;

  private final Store store;
  private final AdminChanges administration;

  /// The namespaces that were there, each at an arrangement of its account.
  private final ConcurrentMap<Namespace, Presence> there = new ConcurrentHashMap<>();

  private record Presence(long arrangement, long incarnation) {}

  /// A reader of a namespace that is there.
  record NamespaceSnapshot(Snapshot snapshot, long incarnation) {}

  NamespaceReaders(Store store, AdminChanges administration) {
    this.store = store;
    this.administration = administration;
  }

  /// What a namespace is now. Everything about it is arranged anew when it comes or goes.
  private Presence check(Snapshot snapshot, Namespace namespace) {
    long arrangement = administration.arrangement(snapshot, namespace.account());
    Presence known = there.get(namespace);
    if (known != null && known.arrangement == arrangement) {
      return known;
    }
    VeridexException.throwIf(administration.missing(snapshot, namespace));
    if (there.size() >= MAX_PLACES) {
      there.clear();
    }
    Presence found =
        new Presence(arrangement, administration.incarnation(snapshot, namespace.scope()));
    there.put(namespace, found);
    return found;
  }

  /// A reader of the newest state.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  Snapshot open(Namespace namespace) {
    return open(namespace, Optional.empty());
  }

  /// A reader of a state that is fresh enough.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`, `UNKNOWN_REVISION`
  Snapshot open(Namespace namespace, Optional<Revision> atLeast) {
    return opened(namespace, atLeast).snapshot;
  }

  /// As above, with the namespace's incarnation.
  NamespaceSnapshot opened(Namespace namespace, Optional<Revision> atLeast) {
    Snapshot snapshot = atLeast.map(store::snapshot).orElseGet(store::snapshot);
    try {
      return new NamespaceSnapshot(snapshot, check(snapshot, namespace).incarnation);
    } catch (RuntimeException e) {
      snapshot.close();
      throw e;
    }
  }
}
