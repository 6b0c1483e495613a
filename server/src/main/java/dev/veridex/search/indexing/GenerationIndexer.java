package dev.veridex.search.indexing;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.IndexProgress;
import dev.veridex.index.SearchIndex;
import dev.veridex.store.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;

/// The index of one generation, and how it is fed: from the registry when there is nothing to go on
/// from, from the topic ever after.
///
/// One thread feeds it; any number look at it.
public final class GenerationIndexer {
  private static final System.Logger LOG = System.getLogger(GenerationIndexer.class.getName());

  private static final int ROWS = 1000;

  /// How long an index may take to catch up before what it needs is gone.
  private static final Duration MARGIN = Duration.ofHours(1);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final IndexerTools tools;
  private final IndexGeneration generation;
  private final String name;
  private final IndexFreshness freshness;
  private final TopicBatches batches;
  private final ChangeApplier applier;
  private final IndexUpkeep upkeep;
  private final TopicHorizon horizon;
  private volatile IndexState state;

  // The feeding thread's own from here on.
  private IndexProgress applied = new IndexProgress(new TreeMap<>(), Instant.EPOCH);

  private volatile double caughtUp;
  private volatile boolean tried;

  /// Whether the start of the process is not over before it has caught up.
  private volatile boolean awaited = true;

  private Instant triedAt = Instant.MIN;

  private final DamageReports damage;

  GenerationIndexer(IndexerTools tools, IndexGeneration generation) {
    this.tools = tools;
    this.generation = generation;
    this.name = generation.storageName();
    this.freshness = new IndexFreshness(tools, generation);
    this.batches = new TopicBatches(tools.topics(), generation);
    this.applier = new ChangeApplier(tools, generation);
    this.damage = new DamageReports(tools.nanos());
    this.horizon = new TopicHorizon(tools, generation);
    this.upkeep = new IndexUpkeep(tools, generation, freshness);
    this.state =
        new IndexState.Closed(
            Problem.of(ErrorCode.INDEX_BUILDING, "the search index is not open yet")
                .with("percent", 0));
  }

  /// Does a piece of work.
  ///
  /// @return whether there is more to do at once
  boolean runOnce(IndexGenerations.OpenGeneration open) {
    try {
      if (damage.isReported()) {
        throw new DamagedIndexException(name, new IllegalStateException("a search found damage"));
      }
      return switch (state) {
        case IndexState.Closed _ -> open(open);
        case IndexState.Building building -> build(open, building);
        case IndexState.CatchingUp catching -> catchUp(open, catching);
        case IndexState.Ready(SearchIndex index) -> feed(open, index);
      };
    } catch (DamagedIndexException e) {
      LOG.log(WARNING, "a search index is damaged, it is made anew: " + name, e);
      makeAnew(e.problem());
      return true;
    } catch (RuntimeException | Error e) {
      // What is read as a length where it is none can take all memory: errors are looked at, too.
      if (!(e instanceof VeridexException) && state.open().filter(damage::isFoundIn).isPresent()) {
        LOG.log(WARNING, "a search index is damaged, it is made anew: " + name, e);
        makeAnew(new DamagedIndexException(name, e).problem());
        return true;
      }
      LOG.log(WARNING, "a search index cannot be fed, it is tried again: " + name, e);
      shut(
          e instanceof VeridexException known
              ? known.problem()
              : Problem.of(ErrorCode.UNAVAILABLE, "the search index failed"));
      return false;
    }
  }

  /// Forgets the index: it is made from the registry.
  private void makeAnew(Problem problem) {
    shut(problem);
    damage.forget();
    try {
      tools.indexes().drop(name);
      triedAt = Instant.MIN;
    } catch (RuntimeException e) {
      LOG.log(WARNING, "a damaged search index cannot be removed, it is tried again: " + name, e);
    }
  }

  private Instant now() {
    try (Snapshot snapshot = tools.store().snapshot()) {
      return snapshot.now();
    }
  }

  private boolean open(IndexGenerations.OpenGeneration open) {
    Instant now = now();
    if (triedAt.isAfter(now.minus(PAUSE))) {
      return false;
    }
    triedAt = now;
    try {
      begin(open, now);
    } finally {
      // Not before: until its state says how far it is, the start is not over.
      tried = true;
    }
    return true;
  }

  private void begin(IndexGenerations.OpenGeneration open, Instant now) {
    freshness.reset();
    // Before the index is open: what fails here must not leave it so.
    IndexFreshness.Target all = freshness.everything(open);
    SearchIndex index = tools.indexes().open(name);
    Optional<IndexProgress> progress = committed(index, now);
    if (progress.isPresent()) {
      applied = progress.get();
      upkeep.committed(now);
      turn(catchingUp(all, index));
    } else {
      index.close();
      tools.indexes().drop(name);
      // That takes long: nobody waits for it.
      awaited = false;
      turn(
          new IndexState.Building(
              tools.indexes().open(name),
              new byte[0],
              new IndexProgress(new TreeMap<>(all.ends()), now),
              all,
              0));
    }
  }

  /// The durable progress, if it is possible to go on from it.
  private Optional<IndexProgress> committed(SearchIndex index, Instant now) {
    try {
      return index
          .committed()
          .filter(last -> !horizon.isTooOld(last, now, MARGIN) && !horizon.isPassed(last));
    } catch (RuntimeException e) {
      closeQuietly(index);
      throw e;
    }
  }

  private IndexState.CatchingUp catchingUp(IndexFreshness.Target all, SearchIndex index) {
    caughtUp = 0;
    return new IndexState.CatchingUp(
        index, all.asOf().sequence(), freshness.sent(), applied.offsets(), all.ends());
  }

  private boolean catchUp(IndexGenerations.OpenGeneration open, IndexState.CatchingUp catching) {
    boolean more = feed(open, catching.index());
    if (!isCatchingUp()) {
      return more;
    }
    caughtUp = catching.done(applied, freshness.sent());
    if (!freshness.hasReached(catching.goal())) {
      // What is still to be sent is not announced here.
      return more;
    }
    upkeep.show(catching.index(), applied);
    awaited = false;
    turn(new IndexState.Ready(catching.index()));
    return more;
  }

  private boolean build(IndexGenerations.OpenGeneration opened, IndexState.Building building) {
    IndexGenerations.WalkPage walked;
    try (Snapshot snapshot = tools.store().snapshot()) {
      // The schema of the same moment: it must know every name that a document has.
      Optional<IndexGenerations.OpenGeneration> open =
          tools.generations().find(snapshot, generation);
      if (open.isEmpty()) {
        return false;
      }
      walked = tools.generations().walk(snapshot, generation, building.after(), ROWS);
      applier.apply(
          building.index(),
          open.get().schema(),
          walked.messages().stream()
              .map(message -> IndexMessageDecoder.DecodedChange.of(message, open.get()))
              .toList());
    }
    if (walked.skipped() > 0) {
      LOG.log(
          WARNING,
          "%d documents do not fit the schema of a search index: %s"
              .formatted(walked.skipped(), name));
    }
    if (walked.next().isPresent()) {
      turn(
          new IndexState.Building(
              building.index(),
              walked.next().get(),
              building.begin(),
              building.mark(),
              walked.done()));
      return true;
    }
    applied = building.begin();
    freshness.rebuilt(building.mark().asOf());
    building.index().commit(applied);
    upkeep.committed(applied.at());
    LOG.log(INFO, "a search index was made from the registry: " + name);
    turn(catchingUp(freshness.everything(opened), building.index()));
    return true;
  }

  private boolean feed(IndexGenerations.OpenGeneration open, SearchIndex index) {
    Instant now = now();
    if (horizon.isTooOld(applied, now, Duration.ZERO)) {
      LOG.log(WARNING, "a search index is too far behind, it is made anew: " + name);
      makeAnew(Problem.of(ErrorCode.INDEX_BUILDING, "the search index is too far behind"));
      return true;
    }
    freshness.aim(open);
    TopicBatches.Batch batch = batches.read(open.partitions(), applied);
    int changes = batch.isEmpty() ? 0 : applier.apply(index, batch);
    if (changes > 0) {
      applied = batch.after(applied);
      upkeep.applied(changes);
    }
    if (batch.isWhole()) {
      applied = new IndexProgress(applied.offsets(), now);
    }
    freshness.applied(applied.offsets());
    upkeep.tend(index, applied, now, batch, isCatchingUp());
    return !batch.isEmpty();
  }

  /// Whether something was applied that nobody can see yet.
  boolean isHiding() {
    return upkeep.isHiding() && state instanceof IndexState.Ready;
  }

  /// Whether something is still to be sent and applied before anybody may look.
  boolean isCatchingUp() {
    return state instanceof IndexState.CatchingUp;
  }

  /// Somebody could not read it, and nobody knows why: reads all of it, unless that was done a
  /// short while ago.
  ///
  /// @return whether it is damaged
  boolean isDamaged(OpenedIndex source) {
    boolean damaged =
        state instanceof IndexState.Ready(SearchIndex index)
            && damage.isOpen(source)
            && damage.isFoundIn(index);
    return damaged && damage.report(source);
  }

  /// Somebody who looked at it found it damaged.
  ///
  /// @return whether it is still open
  boolean reportDamage(OpenedIndex source) {
    return damage.report(source);
  }

  /// Since when it may lack something; absent if it is not ready.
  Optional<Instant> behindSince() {
    return state instanceof IndexState.Ready
        ? freshness.shown().map(VisibleState::at)
        : Optional.empty();
  }

  /// How much of it is made; absent if it is ready or cannot be told.
  Optional<Double> building() {
    return state instanceof IndexState.Building building
        ? Optional.of(building.done())
        : Optional.empty();
  }

  /// How much is done of what was accepted before the process began; absent if that is over, or
  /// does not come to an end by waiting.
  Optional<Double> startProgress() {
    if (!tried) {
      return Optional.of(0.0);
    }
    return awaited && state instanceof IndexState.CatchingUp
        ? Optional.of(caughtUp)
        : Optional.empty();
  }

  private synchronized void turn(IndexState next) {
    state = next;
    notifyAll();
  }

  private void shut(Problem problem) {
    IndexState before = state;
    damage.close();
    turn(new IndexState.Closed(problem));
    freshness.hide();
    before.open().ifPresent(this::closeQuietly);
  }

  private void closeQuietly(SearchIndex index) {
    try {
      index.close();
    } catch (RuntimeException e) {
      LOG.log(WARNING, "a search index cannot be closed: " + name, e);
    }
  }

  /// Makes everything durable and closes it.
  void close() {
    // What is being built is not committed: it begins anew.
    Optional<SearchIndex> open =
        state instanceof IndexState.Building ? Optional.empty() : state.open();
    if (open.isPresent()) {
      try {
        upkeep.commit(open.get(), applied, applied.at());
      } catch (RuntimeException e) {
        LOG.log(
            WARNING, "a search index cannot be committed, some of it is read again: " + name, e);
      }
    }
    shut(Problem.of(ErrorCode.CLOSED, "the search index is closed"));
  }

  /// The present view of the index.
  ///
  /// @param patience how long to wait for an index that is just being opened or made
  /// @throws VeridexException `INDEX_BUILDING` and how much of it is made, `INDEX_DAMAGED`,
  ///   `UNAVAILABLE`
  FreshView view(Duration patience) {
    awaitReady(patience);
    // Before the view is taken: it holds at least this.
    IndexGenerations.Watermark asOf = freshness.watermark();
    OpenedIndex source = damage.opened(generation);
    if (state instanceof IndexState.Ready(SearchIndex index)) {
      return new FreshView(index.view(), asOf, source);
    }
    throw new VeridexException(problem());
  }

  private void awaitReady(Duration patience) {
    Monitors.await(
        this, () -> state instanceof IndexState.Ready, System.nanoTime() + patience.toNanos());
  }

  private Problem problem() {
    return state.problem(caughtUp);
  }

  /// Why nobody can look at it now; absent if they can.
  Optional<Problem> notReady() {
    return state instanceof IndexState.Ready ? Optional.empty() : Optional.of(problem());
  }

  /// How fresh it is, for whoever needs it fresher.
  IndexFreshness freshness() {
    return freshness;
  }

  /// The present searchable state.
  ///
  /// @param patience how long to wait for an index that is just being opened or made
  /// @throws VeridexException as [#view]
  VisibleState shown(Duration patience) {
    awaitReady(patience);
    return freshness
        .shown()
        .filter(_ -> state instanceof IndexState.Ready)
        .orElseThrow(() -> new VeridexException(problem()));
  }
}
