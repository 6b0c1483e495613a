package dev.veridex.search.query;

import dev.veridex.access.AccessSnapshot;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.common.Agent;
import dev.veridex.common.Digests;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.index.IndexResult;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.IndexView;
import dev.veridex.search.indexing.FreshView;
import dev.veridex.search.indexing.IndexerPool;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/// Answers searches from the indexes of buckets.
public final class Searcher implements Agent {
  /// Buckets may come, go and change to another epoch while a search begins: then it does anew.
  private static final int ATTEMPTS = 3;

  private final Store store;
  private final SearchTargets.Finder finder;
  private final AccessSnapshots accessSnapshots;
  private final IndexerPool indexers;
  private final PinnedCursors cursors;
  private final SearchThreads threads;
  private final VisibilityReasons reasons;
  private final Suggestions suggestions;
  private final SupersededStates superseded;
  private final FailedDocuments failed;

  /// @param accessSnapshots says what subjects may see
  /// @param threads on which to search: it takes long, and requests have none of their own
  /// @param first a number that no earlier process began at: cursors are numbered from it on
  public Searcher(
      Store store,
      BucketLookup lookup,
      ResourceAccess access,
      IndexGenerations generations,
      AccessSnapshots accessSnapshots,
      IndexerPool indexers,
      ExecutorService threads,
      long first) {
    this.store = store;
    this.accessSnapshots = accessSnapshots;
    this.finder = new SearchTargets.Finder(store, lookup, access, generations);
    this.indexers = indexers;
    this.cursors = new PinnedCursors(store.seal().cursors(), first);
    this.threads = new SearchThreads(threads, indexers);
    this.failed = new FailedDocuments(store, generations);
    RightsHistory history = new RightsHistory(store, accessSnapshots);
    this.superseded = new SupersededStates(store, generations, history);
    this.reasons =
        new VisibilityReasons(
            store, finder, generations, accessSnapshots, superseded, indexers, this.threads);
    this.suggestions = new Suggestions(finder, accessSnapshots, history, indexers, this.threads);
  }

  /// The generation that serves a bucket's searches, at one moment.
  record ServingGeneration(IndexGenerations.OpenGeneration open, Instant now) {}

  /// For those who are told of everything in a bucket.
  ///
  /// @throws VeridexException if the bucket is not there, or the asker does not administer it
  ServingGeneration serving(ActingCaller actor, Namespace namespace, String bucket) {
    SearchTargets targets = targets(actor, namespace, Optional.of(List.of(bucket)));
    if (!actor.caller().administers(namespace.scope())) {
      throw new RefusedException(
          Problem.of(ErrorCode.FORBIDDEN, "this takes an administrator of the scope"));
    }
    return new ServingGeneration(targets.all().getFirst().open(), targets.now());
  }

  /// Why documents are shown to somebody, or are not.
  public VisibilityReasons reasons() {
    return reasons;
  }

  /// How words may go on.
  public Suggestions suggestions() {
    return suggestions;
  }

  /// Lets a caller pass who may read a bucket of documents, before the question is there.
  public void mayRead(Caller caller, Namespace namespace, String bucket) {
    finder.mayRead(new ActingCaller(caller, Optional.empty()), namespace, bucket);
  }

  private SearchTargets targets(
      ActingCaller actor, Namespace namespace, Optional<List<String>> named) {
    return finder.find(actor, namespace, named);
  }

  /// Searches a bucket.
  public SearchAnswer search(
      ActingCaller actor, Namespace namespace, String bucket, SearchRequest request) {
    return search(actor, namespace, Optional.of(List.of(bucket)), request);
  }

  /// Searches those buckets of a namespace that the request names, or all.
  public SearchAnswer search(ActingCaller actor, Namespace namespace, SearchRequest request) {
    if (request.buckets().map(List::isEmpty).orElse(false)) {
      throw QueryProblem.at("/buckets", "at least one bucket is expected");
    }
    return search(
        actor,
        namespace,
        request.buckets().map(each -> each.stream().distinct().toList()),
        request);
  }

  private SearchAnswer search(
      ActingCaller actor,
      Namespace namespace,
      Optional<List<String>> named,
      SearchRequest request) {
    byte[] list = list(actor, namespace, named, request);
    if (request.cursor().isPresent()) {
      return goOn(actor, namespace, list, request);
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<SearchAnswer> answered = begin(actor, namespace, named, list, request);
      if (answered.isPresent()) {
        return answered.get();
      }
    }
    throw SearchTargets.changed();
  }

  /// @return nothing if it was no longer the same that is searched, once it was there to be
  ///   searched
  private Optional<SearchAnswer> begin(
      ActingCaller actor,
      Namespace namespace,
      Optional<List<String>> named,
      byte[] list,
      SearchRequest request) {
    SearchTargets found = fresh(actor, namespace, named, request);
    long wanted = request.atLeast().map(store.seal()::open).map(Revision::sequence).orElse(0L);
    List<PinnedCursors.PinnedView> shown = new ArrayList<>();
    boolean pinned = false;
    try {
      for (SearchTargets.Target target : found.all()) {
        FreshView seen = indexers.freshView(target.open());
        if (seen.asOf().sequence() < wanted) {
          // Another generation than the one that was waited for.
          seen.view().close();
          return Optional.empty();
        }
        shown.add(
            new PinnedCursors.PinnedView(
                target.bucket(), seen.source(), target.open().schema(), seen.view(), seen.asOf()));
      }
      // What may be seen is looked up after what is seen: what was written when somebody might
      // still read it not.
      SearchTargets targets = targets(actor, namespace, named);
      if (!targets.areSame(found)) {
        return Optional.empty();
      }
      Page page = page(actor, targets, shown, request, Optional.empty());
      Optional<String> cursor = Optional.empty();
      if (page.last().isPresent()) {
        cursor =
            Optional.of(
                cursors.pin(namespace.scope(), shown, list, page.last().get(), targets.now()));
        pinned = true;
      }
      return Optional.of(answered(page, cursor));
    } finally {
      if (!pinned) {
        PinnedCursors.PinnedView.close(shown);
      }
    }
  }

  private SearchAnswer goOn(
      ActingCaller actor, Namespace namespace, byte[] list, SearchRequest request) {
    Instant now;
    try (Snapshot snapshot = store.snapshot()) {
      now = snapshot.now();
    }
    try (PinnedCursors.OpenedCursor given =
        cursors.open(namespace.scope(), list, request.cursor().orElseThrow(), now)) {
      List<PinnedCursors.PinnedView> shown = given.pinned().shown();
      SearchTargets targets =
          fresh(
              actor,
              namespace,
              Optional.of(shown.stream().map(PinnedCursors.PinnedView::bucket).toList()),
              request);
      if (!targets
          .generations()
          .equals(shown.stream().map(PinnedCursors.PinnedView::generation).toList())) {
        throw PinnedCursors.expired("what the cursor is about is not there any more");
      }
      Page page = page(actor, targets, shown, request, Optional.of(given.last()));
      return answered(page, page.last().map(last -> cursors.text(given.id(), list, last)));
    }
  }

  /// A page, and the state of what it was taken from.
  private record Page(
      MultiBucketSearch.Page found,
      List<SearchAnswer.Hit> hits,
      SearchAnswer.FailedPart failed,
      Revision revision) {
    private Optional<MultiBucketSearch.Last> last() {
      return found.last();
    }
  }

  /// Every page is trimmed by the rights that there are when it is asked for.
  private Page page(
      ActingCaller actor,
      SearchTargets targets,
      List<PinnedCursors.PinnedView> shown,
      SearchRequest request,
      Optional<MultiBucketSearch.Last> after) {
    VisibilityReasons.mayBeTold(actor, targets, request);
    Optional<AccessSnapshot> accessSnapshot =
        targets.accessSnapshot(
            accessSnapshots, request.atLeast().map(store.seal()::open), request.explain());
    try {
      long deadline = System.nanoTime() + request.timeout().toNanos();
      MultiBucketSearch.BucketSearches answering =
          new MultiBucketSearch.BucketSearches() {
            @Override
            public Supplier<IndexResult> search(int source, IndexSearch ask) {
              return asked(source, ask, IndexView::search);
            }

            @Override
            public Supplier<IndexResult.Nearest> nearest(int source, IndexSearch ask) {
              return asked(source, ask, IndexView::nearest);
            }

            private <T> Supplier<T> asked(
                int source, IndexSearch ask, BiFunction<IndexView, IndexSearch, T> question) {
              PinnedCursors.PinnedView each = shown.get(source);
              return threads.ask(
                  each.source(),
                  () -> {
                    IndexSearch trimmed =
                        ask.seenBy(targets.all().get(source).visible(accessSnapshot));
                    return question.apply(each.view(), trimmed.within(until(deadline)));
                  });
            }
          };
      MultiBucketSearch.Page found =
          MultiBucketSearch.ask(
              shown.stream()
                  .map(each -> new MultiBucketSearch.Source(each.bucket(), each.schema()))
                  .toList(),
              request,
              targets.now(),
              after,
              answering);
      Revision revision =
          targets.revision(
              accessSnapshot,
              shown.stream()
                  .mapToLong(each -> each.asOf().sequence())
                  .min()
                  .orElse(Long.MAX_VALUE));
      List<SearchAnswer.Hit> hits = superseded.shown(targets, shown, accessSnapshot, found.hits());
      return new Page(
          found,
          request.explain() ? VisibilityReasons.explained(targets, accessSnapshot, hits) : hits,
          request.atLeast().isPresent()
              ? failed.of(targets, shown, accessSnapshot, revision)
              : SearchAnswer.FailedPart.NONE,
          revision);
    } finally {
      accessSnapshot.ifPresent(AccessSnapshot::close);
    }
  }

  private static Duration until(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  private static SearchAnswer answered(Page page, Optional<String> cursor) {
    MultiBucketSearch.Page found = page.found;
    return new SearchAnswer(
        page.hits,
        found.total(),
        found.facets(),
        found.complete(),
        found.exact(),
        page.failed,
        cursor,
        page.revision);
  }

  /// Looks for what a search takes when it is as fresh as it was asked to be.
  private SearchTargets fresh(
      ActingCaller actor,
      Namespace namespace,
      Optional<List<String>> named,
      SearchRequest request) {
    SearchTargets targets = targets(actor, namespace, named);
    if (request.atLeast().isEmpty()) {
      return targets;
    }
    long sequence = known(request.atLeast().get()).sequence();
    long deadline = System.nanoTime() + request.patience().toNanos();
    targets.all().forEach(target -> indexers.await(target.open(), sequence, deadline));
    return targets(actor, namespace, named);
  }

  /// A revision that this store has reached: others are refused.
  private Revision known(String atLeast) {
    try {
      Revision revision = store.seal().open(atLeast);
      store.snapshot(revision).close();
      return revision;
    } catch (VeridexException e) {
      throw new VeridexException(e.problem().at("/atLeast"), e);
    }
  }

  /// Whose list it is: of this namespace, these buckets, this asker and question.
  private static byte[] list(
      ActingCaller actor,
      Namespace namespace,
      Optional<List<String>> named,
      SearchRequest request) {
    KeyWriter list = new KeyWriter().string("search");
    list.string(namespace.scope().toString()).unsigned(named.map(List::size).orElse(0));
    named.orElse(List.of()).forEach(list::string);
    return list.string(actor.as().or(actor.caller()::subject).orElse(""))
        .string(who(actor))
        .bytes(Digests.sha256(request.identity()))
        .toKey();
  }

  /// Of those who are nobody in particular, each token has lists of its own.
  private static String who(ActingCaller actor) {
    return actor.as().or(actor.caller()::subject).isPresent()
        ? ""
        : actor.caller().token().map(Token::id).orElse("");
  }

  /// Lets go of what was pinned for too long.
  @Override
  public boolean runOnce() {
    try (Snapshot snapshot = store.snapshot()) {
      cursors.sweep(snapshot.now());
    }
    return false;
  }

  /// Lets go of everything that is pinned.
  public void close() {
    cursors.close();
  }
}
