package dev.veridex.search.query;

import dev.veridex.access.AccessSnapshot;
import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.identity.Token;
import dev.veridex.index.VisibleResources;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The targets of a search, looked up at one moment: the buckets that the caller may read, and the
/// subject that each is trimmed for.
///
/// @param arrangement of the account: another one if an ACL or a setting was changed
/// @param callerSince when the caller's token was minted; absent if nobody in particular asks
record SearchTargets(
    Namespace namespace,
    List<Target> all,
    Instant now,
    Revision revision,
    long arrangement,
    Optional<Instant> callerSince) {
  private static final int MAX_BUCKETS = 30;

  /// A bucket of a search, with its serving generation and the subject whose rights trim it.
  ///
  /// @param reader whose rights decide what is shown; absent: all of it is
  /// @param always whether the asker could read all of it at any time
  record Target(
      BucketLookup.LocatedBucket found,
      IndexGenerations.OpenGeneration open,
      Optional<String> reader,
      boolean always) {
    String bucket() {
      return found.bucket().name();
    }

    /// The resources that are visible in it; absent: all.
    ///
    /// @param accessSnapshot the state of rights; there is one if anything is trimmed
    Optional<VisibleResources> visible(Optional<AccessSnapshot> accessSnapshot) {
      if (reader.isEmpty()) {
        return Optional.empty();
      }
      VisibleResources permitted = accessSnapshot.orElseThrow().permitted(reader.get(), bucket());
      // What has no resource is nobody's, also where everything else may be seen.
      boolean all = permitted.isEverything() && open.settings().resourceField().isEmpty();
      return all ? Optional.empty() : Optional.of(permitted);
    }

    /// Whether the reader may read what has these resources.
    boolean mayRead(List<String> resources, Optional<AccessSnapshot> accessSnapshot) {
      if (reader.isEmpty()) {
        return true;
      }
      VisibleResources permitted = accessSnapshot.orElseThrow().permitted(reader.get(), bucket());
      return !resources.isEmpty() && resources.stream().allMatch(permitted::sees);
    }
  }

  /// The searched generations, in order.
  List<IndexGeneration> generations() {
    return all.stream().map(target -> target.open.generation()).toList();
  }

  /// Whether the same is searched as in others.
  boolean areSame(SearchTargets others) {
    return generations().equals(others.generations());
  }

  /// What is searched came and went too often while the search began.
  static VeridexException changed() {
    return new VeridexException(
        Problem.of(ErrorCode.UNAVAILABLE, "what is searched is another one by now"));
  }

  /// How fresh an answer from here is: every write up to it is in it.
  ///
  /// @param shown everything accepted up to this commit is in the indexes
  Revision revision(Optional<AccessSnapshot> accessSnapshot, long shown) {
    long rights =
        accessSnapshot.map(AccessSnapshot::revision).map(Revision::sequence).orElse(Long.MAX_VALUE);
    return new Revision(revision.storeId(), Math.min(revision.sequence(), Math.min(rights, shown)));
  }

  /// The state of rights in which the targets are searched, if any of them is trimmed.
  Optional<AccessSnapshot> accessSnapshot(
      AccessSnapshots accessSnapshots, Optional<Revision> atLeast, boolean explained) {
    return all.stream().allMatch(target -> target.reader.isEmpty())
        ? Optional.empty()
        : Optional.of(accessSnapshots.open(namespace, atLeast, explained));
  }

  /// Lookup of the targets of a search.
  static final class Finder {
    private final Store store;
    private final BucketLookup lookup;
    private final ResourceAccess access;
    private final IndexGenerations generations;

    /// @param access to documents
    Finder(Store store, BucketLookup lookup, ResourceAccess access, IndexGenerations generations) {
      this.store = store;
      this.lookup = lookup;
      this.access = access;
      this.generations = generations;
    }

    /// @param named the buckets; absent: all of the namespace that the asker may read
    /// @throws VeridexException if one is not there, or the asker may not search it
    SearchTargets find(ActingCaller actor, Namespace namespace, Optional<List<String>> named) {
      limit(named.map(List::size).orElse(0));
      try (Snapshot snapshot = store.snapshot()) {
        List<BucketLookup.LocatedBucket> buckets =
            named.isPresent()
                ? named.get().stream()
                    .map(each -> bucket(snapshot, actor, namespace, each))
                    .toList()
                : all(snapshot, actor, namespace);
        limit(buckets.size());
        return new SearchTargets(
            namespace,
            buckets.stream()
                .map(
                    each ->
                        new Target(
                            each,
                            generations.serving(snapshot, each),
                            access.reader(each, actor),
                            actor.as().isEmpty() && actor.caller().administers(namespace.scope())))
                .toList(),
            snapshot.now(),
            snapshot.revision(),
            lookup.arrangement(snapshot, namespace.account()),
            actor.caller().token().map(Token::createdAt));
      }
    }

    /// Lets an asker pass who may read a bucket.
    void mayRead(ActingCaller actor, Namespace namespace, String bucket) {
      try (Snapshot snapshot = store.snapshot()) {
        access.bucket(
            snapshot, access.find(snapshot, actor, namespace, bucket), actor, Action.READ);
      }
    }

    private static void limit(int buckets) {
      if (buckets > MAX_BUCKETS) {
        throw QueryProblem.at(
            "/buckets", "at most %d buckets are searched at once".formatted(MAX_BUCKETS));
      }
    }

    private BucketLookup.LocatedBucket bucket(
        Snapshot snapshot, ActingCaller actor, Namespace namespace, String name) {
      try {
        BucketLookup.LocatedBucket found = access.find(snapshot, actor, namespace, name);
        access.bucket(snapshot, found, actor, Action.READ);
        return found;
      } catch (VeridexException e) {
        // To others, one that is not there looks like one that they may not read.
        throw actor.caller().administers(namespace.scope())
            ? new VeridexException(e.problem().with("bucket", name), e)
            : e;
      }
    }

    private List<BucketLookup.LocatedBucket> all(
        Snapshot snapshot, ActingCaller actor, Namespace namespace) {
      VeridexException.throwIf(lookup.missingNamespace(snapshot, namespace));
      List<BucketLookup.LocatedBucket> readable =
          lookup.all(snapshot, namespace).stream()
              .filter(found -> IndexedSettings.isIndexed(found.bucket()))
              .filter(found -> access.readsBucket(snapshot, found, actor))
              .toList();
      if (readable.isEmpty() && !actor.caller().administers(namespace.scope())) {
        throw new RefusedException(lookup.nothing(snapshot, actor.caller(), namespace).problem());
      }
      // Whoever may not act for another hears so.
      readable.forEach(found -> access.bucket(snapshot, found, actor, Action.READ));
      return readable;
    }
  }
}
