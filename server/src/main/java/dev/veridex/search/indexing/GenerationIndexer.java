package dev.veridex.search.indexing;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.documents.publish.IndexRefusals;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexProgress;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.SearchIndexes;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// The index of one generation, and how it is fed: from the registry when there is nothing to go on
/// from, from the topic ever after.
///
/// One thread feeds it; any number look at it.
public final class GenerationIndexer {
  private static final System.Logger LOG = System.getLogger(GenerationIndexer.class.getName());

  private static final int MESSAGES = 500;

  /// So much is read at once, of all partitions together.
  private static final long PASS_BYTES = 16L << 20;

  /// No message is larger.
  private static final long MAX_MESSAGE_BYTES = 6L << 20;

  private static final int ROWS = 1000;

  /// While more and more comes, what came is shown so often: each time writes a segment, and small
  /// ones cost twice as much as large ones until they are merged.
  private static final long REFRESH_NANOS = Duration.ofMillis(500).toNanos();

  /// While there is more than can be read at once, again and again, everything is late, and getting
  /// on is worth more.
  private static final long BEHIND_NANOS = Duration.ofSeconds(5).toNanos();

  private static final int BEHIND_PASSES = 10;

  /// So many times as long as showing took, it is not done again, even if nothing else comes.
  private static final int REST = 2;

  private static final Duration COMMIT_EVERY = Duration.ofSeconds(30);

  /// What is not committed is applied again after a crash, before the first answer.
  private static final int COMMIT_AFTER = 5_000;

  /// The same while everything is late: then most of that time goes by with what was not applied.
  private static final int COMMIT_AFTER_BEHIND = 20_000;

  /// How long an index may take to catch up before what it needs is gone.
  private static final Duration MARGIN = Duration.ofHours(1);

  /// Whoever waits for something looks so often whether it is there, besides being told.
  private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(2).toNanos();

  /// How old an index may say that it is where nothing comes.
  private static final long FRESHEN_NANOS = Duration.ofMillis(20).toNanos();

  /// Reading all of an index takes long: whoever can make searches fail must not have it done again
  /// and again.
  private static final long CHECK_NANOS = Duration.ofMinutes(10).toNanos();

  /// Under this name an index says to the topic how far it is durable.
  private static final String GROUP = "search";

  private static final Duration TRIM_EVERY = Duration.ofHours(1);
  private static final Duration EXPIRE_EVERY = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /// The collaborators of an indexer.
  ///
  /// @param kept how long topics keep messages that nobody has read
  /// @param told how long they keep those that indexes have read, for who is told of changes
  /// @param nanos tells how long something takes
  /// @param refusals takes documents that an index did not take
  /// @param refused counts documents that an index did not take
  record Tools(
      Store store,
      IndexGenerations generations,
      Topics topics,
      SearchIndexes indexes,
      Duration kept,
      Duration told,
      LongSupplier nanos,
      IndexRefusals refusals,
      LongAdder refused) {}

  /// The state of an index.
  private sealed interface State {
    /// The index is not open.
    record Closed(Problem problem) implements State {}

    /// The index is being rebuilt from the registry.
    ///
    /// @param after the place in the registry up to which it is done
    /// @param begin where the topic was when it began
    /// @param mark what was there when it began
    record Building(SearchIndex index, byte[] after, IndexProgress begin, Target mark, double done)
        implements State {}

    /// The index lacks documents that were accepted before it was opened: an answer from it would
    /// contradict what was acknowledged.
    ///
    /// @param goal everything accepted up to this sequence has to be there
    /// @param begin from where it reads on
    /// @param ends of the topic when it was opened
    record CatchingUp(
        SearchIndex index, long goal, Map<Integer, Long> begin, Map<Integer, Long> ends)
        implements State {
      /// How much of it is done, from 0 to 1: what is not yet in the topic is not counted.
      private double done(IndexProgress applied) {
        return ends.entrySet().stream()
            .mapToDouble(
                end -> {
                  long from = begin.getOrDefault(end.getKey(), 0L);
                  long all = end.getValue() - from;
                  return all <= 0
                      ? 1
                      : Math.min(1, (double) (applied.offset(end.getKey()) - from) / all);
                })
            .average()
            .orElse(1);
      }
    }

    record Ready(SearchIndex index) implements State {}
  }

  /// The offsets that have to be applied for everything accepted up to a point to be there.
  ///
  /// @param asOf that point
  /// @param ends up to where the topic has to be applied
  private record Target(IndexGenerations.Watermark asOf, Map<Integer, Long> ends) {
    private boolean isIn(Map<Integer, Long> offsets) {
      return ends.entrySet().stream()
          .allMatch(end -> offsets.getOrDefault(end.getKey(), 0L) >= end.getValue());
    }
  }

  private final Tools tools;
  private final IndexGeneration generation;
  private final String name;
  private volatile State state;
  private volatile Optional<VisibleState> shown = Optional.empty();

  // The feeding thread's own from here on.
  private IndexProgress applied = new IndexProgress(new TreeMap<>(), Instant.EPOCH);

  /// What is to be reached next.
  private Optional<Target> mark = Optional.empty();

  /// Everything accepted up to here is applied, or waits in a queue of failed elements.
  private IndexGenerations.Watermark reached = IndexGenerations.Watermark.NOTHING;

  private volatile double caughtUp;
  private volatile boolean tried;

  /// Whether the start of the process is not over before it has caught up.
  private volatile boolean awaited = true;

  private int appliedSinceCommit;
  private int nextPartition;

  /// How many times there was more to read than at once.
  private int behind;

  private boolean hidden;
  private boolean uncommitted;
  private long shownAt;
  private long showingTook;
  private Instant committedAt = Instant.EPOCH;
  private Instant expiredAt = Instant.EPOCH;
  private Instant triedAt = Instant.MIN;
  private Instant trimmedAt = Instant.EPOCH;

  /// When somebody last looked whether it is as fresh as now.
  private volatile long freshenedAt;

  private Optional<Long> checkedAt = Optional.empty();
  private final AtomicLong awaitedAt = new AtomicLong(System.nanoTime());

  /// Whether somebody who looked at it found it damaged.
  private volatile boolean suspect;

  /// The searchable state of the index.
  ///
  /// @param offsets up to where the topic is there, by partition
  /// @param at everything that the topic had by then is there
  /// @param asOf everything accepted up to it is there, or waits among the failed elements
  public record VisibleState(
      Map<Integer, Long> offsets, Instant at, IndexGenerations.Watermark asOf) {}

  /// A view of the index and its watermark.
  public record FreshView(IndexView view, IndexGenerations.Watermark asOf) {}

  GenerationIndexer(Tools tools, IndexGeneration generation) {
    this.tools = tools;
    this.generation = generation;
    this.name = generation.storageName();
    this.state =
        new State.Closed(Problem.of(ErrorCode.INDEX_BUILDING, "the search index is not open yet"));
  }

  /// Does a piece of work.
  ///
  /// @return whether there is more to do at once
  boolean runOnce(IndexGenerations.OpenGeneration open) {
    try {
      if (suspect) {
        throw new DamagedIndexException(name, new IllegalStateException("a search found damage"));
      }
      return switch (state) {
        case State.Closed _ -> open(open);
        case State.Building building -> build(open, building);
        case State.CatchingUp catching -> catchUp(open, catching);
        case State.Ready(SearchIndex index) -> feed(open, index);
      };
    } catch (DamagedIndexException e) {
      LOG.log(WARNING, "a search index is damaged, it is made anew: " + name, e);
      makeAnew(e.problem());
      return true;
    } catch (RuntimeException e) {
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
    suspect = false;
    try {
      tools.indexes.drop(name);
      triedAt = Instant.MIN;
    } catch (RuntimeException e) {
      LOG.log(WARNING, "a damaged search index cannot be removed, it is tried again: " + name, e);
    }
  }

  /// Whether some of what the topic had after it may be gone.
  ///
  /// @param margin in which it has to be read
  private boolean isTooOld(IndexProgress progress, Instant now, Duration margin) {
    return !progress.at().plus(tools.kept).isAfter(now.plus(margin));
  }

  private Instant now() {
    try (Snapshot snapshot = tools.store.snapshot()) {
      return snapshot.now();
    }
  }

  private boolean open(IndexGenerations.OpenGeneration open) {
    tried = true;
    Instant now = now();
    if (triedAt.isAfter(now.minus(PAUSE))) {
      return false;
    }
    triedAt = now;
    mark = Optional.empty();
    reached = IndexGenerations.Watermark.NOTHING;
    // Before the index is open: what fails here must not leave it so.
    Target all = everything(open);
    SearchIndex index = tools.indexes.open(name);
    Optional<IndexProgress> progress =
        index.committed().filter(last -> !isTooOld(last, now, MARGIN));
    if (progress.isPresent()) {
      applied = progress.get();
      committedAt = now;
      turn(catchingUp(all, index));
    } else {
      index.close();
      tools.indexes.drop(name);
      // That takes long: nobody waits for it.
      awaited = false;
      turn(
          new State.Building(
              tools.indexes.open(name),
              new byte[0],
              new IndexProgress(new TreeMap<>(all.ends), now),
              all,
              0));
    }
    return true;
  }

  private State.CatchingUp catchingUp(Target all, SearchIndex index) {
    caughtUp = 0;
    return new State.CatchingUp(index, all.asOf.sequence(), applied.offsets(), all.ends);
  }

  /// Everything that was accepted by now, and where the topic ends.
  private Target everything(IndexGenerations.OpenGeneration open) {
    try (Snapshot snapshot = tools.store.snapshot()) {
      return new Target(tools.generations.asOf(snapshot, generation), ends(open));
    }
  }

  /// What has been sent by now.
  private Target sent(IndexGenerations.OpenGeneration open) {
    IndexGenerations.Watermark sent;
    try (Snapshot snapshot = tools.store.snapshot()) {
      sent = tools.generations.sent(snapshot, generation);
    }
    // Looked at after it: whatever was sent by then lies before these ends.
    return new Target(sent, ends(open));
  }

  private Map<Integer, Long> ends(IndexGenerations.OpenGeneration open) {
    Map<Integer, Long> ends = new TreeMap<>();
    for (int partition = 0; partition < open.partitions(); partition++) {
      ends.put(partition, tools.topics.last(generation, partition));
    }
    return ends;
  }

  private boolean catchUp(IndexGenerations.OpenGeneration open, State.CatchingUp catching) {
    boolean more = feed(open, catching.index);
    if (!isCatchingUp()) {
      return more;
    }
    caughtUp = catching.done(applied);
    if (reached.sequence() < catching.goal) {
      // What is still to be sent is not announced here.
      return more;
    }
    show(catching.index);
    awaited = false;
    turn(new State.Ready(catching.index));
    return more;
  }

  private boolean build(IndexGenerations.OpenGeneration opened, State.Building building) {
    IndexGenerations.WalkPage walked;
    try (Snapshot snapshot = tools.store.snapshot()) {
      // The schema of the same moment: it must know every name that a document has.
      Optional<IndexGenerations.OpenGeneration> open = tools.generations.find(snapshot, generation);
      if (open.isEmpty()) {
        return false;
      }
      walked = tools.generations.walk(snapshot, generation, building.after, ROWS);
      apply(
          building.index,
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
          new State.Building(
              building.index, walked.next().get(), building.begin, building.mark, walked.done()));
      return true;
    }
    applied = building.begin;
    reached = building.mark.asOf;
    building.index.commit(applied);
    committedAt = applied.at();
    LOG.log(INFO, "a search index was made from the registry: " + name);
    turn(catchingUp(everything(opened), building.index));
    return true;
  }

  private boolean feed(IndexGenerations.OpenGeneration open, SearchIndex index) {
    Instant now = now();
    if (isTooOld(applied, now, Duration.ZERO)) {
      LOG.log(WARNING, "a search index is too far behind, it is made anew: " + name);
      makeAnew(Problem.of(ErrorCode.INDEX_BUILDING, "the search index is too far behind"));
      return true;
    }
    Target next = mark.orElseGet(() -> sent(open));
    Pass pass = read(open.partitions());
    if (!pass.messages.isEmpty()) {
      take(index, pass.messages);
    }
    if (pass.isWhole) {
      applied = new IndexProgress(applied.offsets(), now);
    }
    if (next.isIn(applied.offsets())) {
      reached = reached.orLater(next.asOf);
      mark = Optional.empty();
    } else {
      mark = Optional.of(next);
    }
    tend(index, now, rest(pass));
    if (!hidden) {
      // Where nothing comes, too, what is shown gets newer.
      shows();
    }
    return !pass.messages.isEmpty();
  }

  /// Messages read in one pass.
  ///
  /// @param isWhole whether it is all that was there
  private record Pass(Map<Integer, List<Topics.Message>> messages, boolean isWhole) {}

  /// Reads on in all partitions, as far as there is room; the next time those come first that there
  /// was none for.
  private Pass read(int partitions) {
    Map<Integer, List<Topics.Message>> read = new TreeMap<>();
    boolean whole = true;
    long left = PASS_BYTES;
    int first = nextPartition;
    for (int i = 0; i < partitions; i++) {
      int partition = (first + i) % partitions;
      if (left < MAX_MESSAGE_BYTES) {
        nextPartition = partition;
        return new Pass(read, false);
      }
      List<Topics.Message> messages =
          tools.topics.read(generation, partition, applied.offset(partition), MESSAGES, left);
      left -= messages.stream().mapToLong(message -> message.value().length).sum();
      whole &= messages.size() < MESSAGES && left >= MAX_MESSAGE_BYTES;
      if (!messages.isEmpty()) {
        read.put(partition, messages);
      }
    }
    return new Pass(read, whole);
  }

  /// Applies messages, in the terms of a schema that is read after them: it knows every name that
  /// they have.
  private void take(SearchIndex index, Map<Integer, List<Topics.Message>> read) {
    Optional<IndexGenerations.OpenGeneration> open;
    try (Snapshot snapshot = tools.store.snapshot()) {
      open = tools.generations.find(snapshot, generation);
    }
    if (open.isEmpty()) {
      return;
    }
    List<IndexMessageDecoder.DecodedChange> changes = new ArrayList<>();
    read.values()
        .forEach(
            messages ->
                messages.forEach(
                    message ->
                        changes.add(
                            IndexMessageDecoder.DecodedChange.of(
                                IndexMessageDecoder.decode(message.value()), open.get()))));
    apply(index, open.get().schema(), changes);
    appliedSinceCommit += changes.size();
    read.forEach(
        (partition, messages) ->
            applied = applied.with(partition, messages.getLast().number(), applied.at()));
    hidden = true;
    uncommitted = true;
  }

  /// Applies changes; one that the index does not take leaves the others alone.
  private void apply(
      SearchIndex index, Schema schema, List<IndexMessageDecoder.DecodedChange> incoming) {
    try {
      index.apply(
          schema, incoming.stream().map(IndexMessageDecoder.DecodedChange::change).toList());
    } catch (IllegalArgumentException e) {
      for (IndexMessageDecoder.DecodedChange each : incoming) {
        try {
          index.apply(schema, List.of(each.change()));
        } catch (IllegalArgumentException alone) {
          refuse(index, schema, each, alone);
        }
      }
    }
  }

  private void refuse(
      SearchIndex index,
      Schema schema,
      IndexMessageDecoder.DecodedChange incoming,
      IllegalArgumentException why) {
    IndexChange change = incoming.change();
    tools.refused.increment();
    tools.refusals.add(
        generation,
        new IndexRefusals.Refusal(change.pk(), change.tuple(), incoming.attempts()),
        Problem.of(ErrorCode.INDEX_REFUSED, String.valueOf(why.getMessage())));
    // What was there before must not be taken for it.
    index.apply(
        schema,
        List.of(
            new IndexChange(
                change.pk(), change.tuple(), Optional.empty(), change.rememberedUntil())));
  }

  /// How long what was shown last is good enough.
  private long rest(Pass pass) {
    behind = pass.isWhole ? 0 : behind + 1;
    // Nobody looks before it has caught up.
    if (behind > BEHIND_PASSES || state instanceof State.CatchingUp) {
      return BEHIND_NANOS;
    }
    return pass.messages.isEmpty() ? Math.min(REFRESH_NANOS, REST * showingTook) : REFRESH_NANOS;
  }

  /// What is due from time to time.
  ///
  /// @param rest how long after it was last shown it is shown again
  private void tend(SearchIndex index, Instant now, long rest) {
    if (!expiredAt.plus(EXPIRE_EVERY).isAfter(now)) {
      expiredAt = now;
      if (index.expire(now)) {
        hidden = true;
        uncommitted = true;
      }
    }
    if (hidden && tools.nanos.getAsLong() - shownAt >= rest) {
      show(index);
    }
    // Also if nothing came: how far it has come must not be older than what the topic keeps.
    boolean old = !committedAt.plus(tools.kept.dividedBy(16)).isAfter(now);
    int most = behind > BEHIND_PASSES ? COMMIT_AFTER_BEHIND : COMMIT_AFTER;
    boolean due = !committedAt.plus(COMMIT_EVERY).isAfter(now) || appliedSinceCommit > most;
    if (old || (uncommitted && due)) {
      commit(index, now);
    }
  }

  private void show(SearchIndex index) {
    long begin = tools.nanos.getAsLong();
    index.refresh();
    hidden = false;
    shownAt = tools.nanos.getAsLong();
    showingTook = shownAt - begin;
    shows();
  }

  /// What is applied can be found.
  private synchronized void shows() {
    IndexGenerations.Watermark before =
        shown.map(VisibleState::asOf).orElse(IndexGenerations.Watermark.NOTHING);
    shown = Optional.of(new VisibleState(applied.offsets(), applied.at(), before.orLater(reached)));
    notifyAll();
  }

  /// Looks whether what is shown is everything that was accepted by now: then it is as fresh as
  /// now, although nothing has come.
  private void lookAgain(IndexGenerations.OpenGeneration open) {
    Target now = sent(open);
    synchronized (this) {
      shown =
          shown.map(
              each ->
                  now.isIn(each.offsets)
                      ? new VisibleState(each.offsets, each.at, each.asOf.orLater(now.asOf))
                      : each);
    }
  }

  private void commit(SearchIndex index, Instant now) {
    index.commit(applied);
    committedAt = now;
    uncommitted = false;
    appliedSinceCommit = 0;
    if (!trimmedAt.plus(TRIM_EVERY).isAfter(now)) {
      trimmedAt = now;
      trim(now);
    }
  }

  /// What is durable here is not read from the topic again, but by those who are told of changes.
  private void trim(Instant now) {
    applied
        .offsets()
        .forEach(
            (partition, offset) -> {
              long from = tools.topics.position(generation, partition, GROUP);
              tools.topics.move(generation, partition, GROUP, from, offset);
              tools.topics.trim(generation, partition, now.minus(tools.told));
            });
  }

  /// Whether something was applied that nobody can see yet.
  boolean isHiding() {
    return hidden && state instanceof State.Ready;
  }

  /// Whether something is still to be sent and applied before anybody may look.
  boolean isCatchingUp() {
    return state instanceof State.CatchingUp;
  }

  /// Somebody could not read it, and nobody knows why: reads all of it, unless that was done a
  /// short while ago.
  ///
  /// @return whether it is damaged
  boolean check() {
    State before = state;
    if (!(before instanceof State.Ready(SearchIndex index)) || !mayCheck()) {
      return false;
    }
    try {
      index.check();
      return false;
    } catch (DamagedIndexException e) {
      // Another one may have taken its place meanwhile.
      suspect |= before.equals(state);
      return suspect;
    } catch (RuntimeException e) {
      // It was closed meanwhile.
      return false;
    }
  }

  private synchronized boolean mayCheck() {
    long now = tools.nanos.getAsLong();
    if (checkedAt.filter(last -> now - last < CHECK_NANOS).isPresent()) {
      return false;
    }
    checkedAt = Optional.of(now);
    return true;
  }

  /// Somebody who looked at it found it damaged.
  void suspect() {
    suspect = true;
  }

  /// Since when it may lack something; absent if it is not ready.
  Optional<Instant> behindSince() {
    return state instanceof State.Ready ? shown.map(VisibleState::at) : Optional.empty();
  }

  /// How much of it is made; absent if it is ready or cannot be told.
  Optional<Double> building() {
    return state instanceof State.Building building ? Optional.of(building.done) : Optional.empty();
  }

  /// How much is done of what was accepted before the process began; absent if that is over, or
  /// does not come to an end by waiting.
  Optional<Double> starting() {
    if (!tried) {
      return Optional.of(0.0);
    }
    return awaited && state instanceof State.CatchingUp ? Optional.of(caughtUp) : Optional.empty();
  }

  private synchronized void turn(State next) {
    state = next;
    notifyAll();
  }

  private void shut(Problem problem) {
    State before = state;
    synchronized (this) {
      turn(new State.Closed(problem));
      shown = Optional.empty();
    }
    switch (before) {
      case State.Closed _ -> {}
      case State.Building building -> closeQuietly(building.index);
      case State.CatchingUp catching -> closeQuietly(catching.index);
      case State.Ready(SearchIndex index) -> closeQuietly(index);
    }
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
    Optional<SearchIndex> open =
        switch (state) {
          case State.CatchingUp catching -> Optional.of(catching.index);
          case State.Ready(SearchIndex index) -> Optional.of(index);
          case State.Closed _, State.Building _ -> Optional.empty();
        };
    if (open.isPresent()) {
      try {
        commit(open.get(), applied.at());
      } catch (RuntimeException e) {
        LOG.log(
            WARNING, "a search index cannot be committed, some of it is read again: " + name, e);
      }
    }
    shut(Problem.of(ErrorCode.CLOSED, "the search index is closed"));
  }

  /// What is there now.
  ///
  /// @param patience how long to wait for an index that is just being opened or made
  /// @throws VeridexException `INDEX_BUILDING` and how much of it is made, `INDEX_DAMAGED`,
  ///   `UNAVAILABLE`
  FreshView view(Duration patience) {
    await(() -> state instanceof State.Ready, System.nanoTime() + patience.toNanos());
    // Before the view is taken: it holds at least this.
    IndexGenerations.Watermark asOf =
        shown.map(VisibleState::asOf).orElse(IndexGenerations.Watermark.NOTHING);
    if (state instanceof State.Ready(SearchIndex index)) {
      return new FreshView(index.view(), asOf);
    }
    throw new VeridexException(problem());
  }

  private Problem problem() {
    return switch (state) {
      case State.Building building ->
          Problem.of(ErrorCode.INDEX_BUILDING, "the search index is being made")
              .with("percent", (int) (100 * building.done));
      case State.CatchingUp _ ->
          Problem.of(
                  ErrorCode.INDEX_BUILDING,
                  "the search index catches up with what was accepted before it was opened")
              .with("percent", (int) (100 * caughtUp));
      case State.Closed(Problem problem) -> problem;
      case State.Ready _ ->
          Problem.of(ErrorCode.INDEX_BUILDING, "the search index has just been opened");
    };
  }

  /// Waits until everything accepted up to a commit can be found, or waits among the failed
  /// elements.
  ///
  /// @return whether it can, in time
  boolean await(IndexGenerations.OpenGeneration open, long sequence, long deadline) {
    boolean first = true;
    while (!isShown(sequence)) {
      long now = System.nanoTime();
      long last = awaitedAt.get();
      // Of many who wait, one looks for all.
      if (first || (now - last >= LOOK_AGAIN_NANOS && awaitedAt.compareAndSet(last, now))) {
        first = false;
        lookAgain(open);
        if (isShown(sequence)) {
          return true;
        }
      }
      if (deadline - now <= 0 || Thread.currentThread().isInterrupted()) {
        return false;
      }
      await(() -> isShown(sequence), Math.min(deadline, now + LOOK_AGAIN_NANOS));
    }
    return true;
  }

  /// Why nobody can look at it now; absent if they can.
  Optional<Problem> notReady() {
    return state instanceof State.Ready ? Optional.empty() : Optional.of(problem());
  }

  private boolean isShown(long sequence) {
    return shown.filter(each -> each.asOf.sequence() >= sequence).isPresent();
  }

  /// Makes what is shown tell how fresh it is, where it has not for a while.
  void freshen(IndexGenerations.OpenGeneration open) {
    long now = tools.nanos.getAsLong();
    if (now - freshenedAt > FRESHEN_NANOS) {
      freshenedAt = now;
      lookAgain(open);
    }
  }

  /// What can be found now.
  ///
  /// @param patience how long to wait for an index that is just being opened or made
  /// @throws VeridexException as [#view]
  VisibleState shown(Duration patience) {
    await(() -> state instanceof State.Ready, System.nanoTime() + patience.toNanos());
    return shown
        .filter(_ -> state instanceof State.Ready)
        .orElseThrow(() -> new VeridexException(problem()));
  }

  /// Waits until more than this can be found.
  boolean awaitMore(Map<Integer, Long> offsets, long deadline) {
    return await(
        () ->
            shown.stream()
                .flatMap(each -> each.offsets.entrySet().stream())
                .anyMatch(each -> each.getValue() > offsets.getOrDefault(each.getKey(), 0L)),
        deadline);
  }

  private synchronized boolean await(BooleanSupplier until, long deadline) {
    try {
      while (!until.getAsBoolean()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        wait(Math.max(1, left / 1_000_000));
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
