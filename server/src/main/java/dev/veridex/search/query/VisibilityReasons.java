package dev.veridex.search.query;

import dev.veridex.access.AccessSnapshot;
import dev.veridex.access.check.Trace;
import dev.veridex.access.statement.Rights;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.index.IndexView;
import dev.veridex.search.indexing.FreshView;
import dev.veridex.search.indexing.IndexerPool;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Explains why documents are visible to a subject or are not, for callers who may ask for that
/// subject.
public final class VisibilityReasons {
  private static final int MAX_EXPLAINED = 20;

  private final Store store;
  private final SearchTargets.Finder finder;
  private final IndexGenerations generations;
  private final AccessSnapshots accessSnapshots;
  private final SupersededStates superseded;
  private final IndexerPool indexers;
  private final SearchThreads threads;

  VisibilityReasons(
      Store store,
      SearchTargets.Finder finder,
      IndexGenerations generations,
      AccessSnapshots accessSnapshots,
      SupersededStates superseded,
      IndexerPool indexers,
      SearchThreads threads) {
    this.store = store;
    this.finder = finder;
    this.generations = generations;
    this.accessSnapshots = accessSnapshots;
    this.superseded = superseded;
    this.indexers = indexers;
    this.threads = threads;
  }

  /// The reason why a document is visible or is not.
  public enum Reason {
    /// It is shown to the subject.
    VISIBLE,
    /// There is no such document.
    NOT_THERE,
    /// It was accepted, and the index does not show it yet.
    NOT_YET_INDEXED,
    /// It names no resource on which anybody could have rights.
    NO_RESOURCE,
    /// The subject may not read one of its resources.
    NO_RIGHT
  }

  /// The explanation of a document's visibility.
  ///
  /// @param why for each resource of the document
  public record Explanation(Reason because, List<Trace> why, Revision revision) {}

  /// Explains whether and why a subject sees a document: to those only who may ask for others, for
  /// it tells that the document is there.
  public Explanation why(ActingCaller actor, Namespace namespace, String bucket, String pk) {
    if (!actor.caller().mayActForOthers(namespace.scope())) {
      throw notForOthers();
    }
    if (actor.as().isEmpty()) {
      throw new VeridexException(
          Problem.of(ErrorCode.SUBJECT_REQUIRED, "of whom it is asked has to be said").at("/as"));
    }
    SearchTargets targets = finder.find(actor, namespace, Optional.of(List.of(bucket)));
    SearchTargets.Target target = targets.all().getFirst();
    IndexGeneration generation = target.open().generation();
    Optional<IndexView.StoredEntry> held;
    FreshView seen = indexers.freshView(target.open());
    try (IndexView view = seen.view()) {
      held =
          threads.ask(seen.source(), () -> view.find(List.of(pk), targets.now())).get().getFirst();
    }
    if (held.isEmpty()) {
      try (Snapshot snapshot = store.snapshot()) {
        boolean alive = generations.isAlive(snapshot, generation, pk);
        return new Explanation(
            alive ? Reason.NOT_YET_INDEXED : Reason.NOT_THERE, List.of(), targets.revision());
      }
    }
    SupersededStates.State state =
        new SupersededStates.State(pk, held.get().tuple(), held.get().resources(), seen.asOf());
    if (target.reader().isEmpty()) {
      return superseded
          .instead(targets, target, Optional.empty(), state)
          .map(newest -> notShown(newest, targets.revision()))
          .orElseGet(() -> new Explanation(Reason.VISIBLE, List.of(), targets.revision()));
    }
    try (AccessSnapshot access = accessSnapshots.open(namespace, Optional.empty(), true)) {
      Optional<IndexGenerations.NewestState> instead =
          superseded.instead(targets, target, Optional.of(access), state);
      if (instead.isPresent()) {
        return notShown(instead.get(), access.revision());
      }
      List<Trace> why = access.why(target.reader().get(), held.get().resources(), bucket);
      boolean all = why.stream().allMatch(trace -> (trace.rights() & Rights.READ) != 0);
      Reason because = all ? Reason.VISIBLE : Reason.NO_RIGHT;
      return new Explanation(why.isEmpty() ? Reason.NO_RESOURCE : because, why, access.revision());
    }
  }

  private static Explanation notShown(IndexGenerations.NewestState newest, Revision revision) {
    return new Explanation(
        newest.alive() ? Reason.NOT_YET_INDEXED : Reason.NOT_THERE, List.of(), revision);
  }

  /// Why something is shown is told to those only who may ask for the subject, and of few hits.
  static void mayBeTold(ActingCaller actor, SearchTargets targets, SearchRequest request) {
    if (!request.explain()) {
      return;
    }
    if (request.limit() > MAX_EXPLAINED) {
      throw QueryProblem.at(
          "/limit", "at most %d hits are explained at once".formatted(MAX_EXPLAINED));
    }
    for (SearchTargets.Target target : targets.all()) {
      if (target.reader().isPresent()
          && !actor.caller().is(target.reader())
          && !actor.caller().mayActForOthers(targets.namespace().scope())) {
        throw notForOthers();
      }
    }
  }

  private static RefusedException notForOthers() {
    return new RefusedException(
        Problem.of(
            ErrorCode.FORBIDDEN,
            "to ask for others takes an administrator, or a service that may impersonate"));
  }

  /// Hits of what is not trimmed have no reason to be shown but that they were found.
  static List<SearchAnswer.Hit> explained(
      SearchTargets targets, Optional<AccessSnapshot> accessSnapshot, List<SearchAnswer.Hit> hits) {
    Map<String, SearchTargets.Target> byName = new HashMap<>();
    targets.all().forEach(target -> byName.put(target.bucket(), target));
    return hits.stream()
        .map(
            hit -> {
              Optional<String> reader =
                  Optional.ofNullable(byName.get(hit.bucket()))
                      .flatMap(SearchTargets.Target::reader);
              return reader.isEmpty()
                  ? hit
                  : new SearchAnswer.Hit(
                      hit.bucket(),
                      hit.found(),
                      accessSnapshot
                          .orElseThrow()
                          .why(reader.get(), hit.found().resources(), hit.bucket()));
            })
        .toList();
  }
}
