package dev.veridex.search;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.buckets.Generation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.Generations;
import dev.veridex.index.Change;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.IndexView;
import dev.veridex.index.Progress;
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
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// The index of one generation, and how it is fed: from the registry when there is nothing to go on
/// from, from the topic ever after.
///
/// One thread feeds it; any number look at it.
final class FedIndex {
  private static final System.Logger LOG = System.getLogger(FedIndex.class.getName());

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
  private static final Duration EXPIRE_EVERY = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /// What it takes to feed indexes.
  ///
  /// @param kept how long topics keep messages
  /// @param nanos tells how long something takes
  /// @param refused counts documents that an index did not take
  record Tools(
      Store store,
      Generations generations,
      Topics topics,
      SearchIndexes indexes,
      Duration kept,
      LongSupplier nanos,
      LongAdder refused) {}

  /// What can be asked of it.
  private sealed interface State {
    /// It is not open.
    record Closed(Problem problem) implements State {}

    /// It is being made.
    ///
    /// @param after the place in the registry up to which it is done
    /// @param begin where the topic was when it began
    record Building(SearchIndex index, byte[] after, Progress begin, double done)
        implements State {}

    record Ready(SearchIndex index) implements State {}
  }

  private final Tools tools;
  private final Generation generation;
  private final String name;
  private volatile State state;
  private volatile Optional<Shown> shown = Optional.empty();

  // The feeding thread's own from here on.
  private Progress applied = new Progress(new TreeMap<>(), Instant.EPOCH);
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

  /// Whether somebody who looked at it found it damaged.
  private volatile boolean suspect;

  /// What can be found.
  ///
  /// @param offsets up to where the topic is there, by partition
  /// @param at everything that the topic had by then is there
  record Shown(Map<Integer, Long> offsets, Instant at) {}

  FedIndex(Tools tools, Generation generation) {
    this.tools = tools;
    this.generation = generation;
    this.name = generation.storageName();
    this.state =
        new State.Closed(Problem.of(ErrorCode.INDEX_BUILDING, "the search index is not open yet"));
  }

  /// Does a piece of work.
  ///
  /// @return whether there is more to do at once
  boolean runOnce(Generations.Open open) {
    try {
      if (suspect) {
        throw new DamagedIndexException(name, new IllegalStateException("a search found damage"));
      }
      return switch (state) {
        case State.Closed _ -> open(open);
        case State.Building building -> build(building);
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

  /// Whether what the topic had may be gone, or may be gone before it is read.
  private boolean isTooOld(Progress progress, Instant now, int quarters) {
    return !progress.at().plus(tools.kept.dividedBy(4).multipliedBy(quarters)).isAfter(now);
  }

  private Instant now() {
    try (Snapshot snapshot = tools.store.snapshot()) {
      return snapshot.now();
    }
  }

  private boolean open(Generations.Open open) {
    Instant now = now();
    if (triedAt.isAfter(now.minus(PAUSE))) {
      return false;
    }
    triedAt = now;
    SearchIndex index = tools.indexes.open(name);
    Optional<Progress> progress = index.committed().filter(last -> !isTooOld(last, now, 2));
    if (progress.isPresent()) {
      applied = progress.get();
      committedAt = now;
      // Before anything else can fail: what is open must be closed then.
      turn(new State.Ready(index));
      show(index);
    } else {
      index.close();
      tools.indexes.drop(name);
      Progress begin = ends(open, new Progress(new TreeMap<>(), now));
      turn(new State.Building(tools.indexes.open(name), new byte[0], begin, 0));
    }
    return true;
  }

  private Progress ends(Generations.Open open, Progress begin) {
    Progress ends = begin;
    for (int partition = 0; partition < open.partitions(); partition++) {
      ends = ends.with(partition, tools.topics.last(generation, partition), begin.at());
    }
    return ends;
  }

  private boolean build(State.Building building) {
    Generations.Walked walked;
    try (Snapshot snapshot = tools.store.snapshot()) {
      // The schema of the same moment: it must know every name that a document has.
      Optional<Generations.Open> open = tools.generations.find(snapshot, generation);
      if (open.isEmpty()) {
        return false;
      }
      walked = tools.generations.walk(snapshot, generation, building.after, ROWS);
      apply(
          building.index,
          open.get().schema(),
          walked.messages().stream()
              .map(message -> Changes.of(message, open.get(), snapshot.now()))
              .toList());
    }
    if (walked.skipped() > 0) {
      LOG.log(
          WARNING,
          "%d documents do not fit the schema of a search index: %s"
              .formatted(walked.skipped(), name));
    }
    if (walked.next().isPresent()) {
      turn(new State.Building(building.index, walked.next().get(), building.begin, walked.done()));
      return true;
    }
    applied = building.begin;
    building.index.commit(applied);
    committedAt = applied.at();
    show(building.index);
    turn(new State.Ready(building.index));
    LOG.log(INFO, "a search index was made from the registry: " + name);
    return true;
  }

  private boolean feed(Generations.Open open, SearchIndex index) {
    Instant now = now();
    if (isTooOld(applied, now, 3)) {
      LOG.log(WARNING, "a search index is too far behind, it is made anew: " + name);
      makeAnew(Problem.of(ErrorCode.INDEX_BUILDING, "the search index is too far behind"));
      return true;
    }
    Pass pass = read(open.partitions());
    if (!pass.messages.isEmpty()) {
      take(index, pass.messages, now);
    }
    if (pass.isWhole) {
      applied = new Progress(applied.offsets(), now);
    }
    tend(index, now, rest(pass));
    if (!hidden) {
      // Where nothing comes, too, what is shown gets newer.
      shown = Optional.of(new Shown(applied.offsets(), applied.at()));
    }
    return !pass.messages.isEmpty();
  }

  /// Some of what is to be applied.
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
  private void take(SearchIndex index, Map<Integer, List<Topics.Message>> read, Instant now) {
    Optional<Generations.Open> open;
    try (Snapshot snapshot = tools.store.snapshot()) {
      open = tools.generations.find(snapshot, generation);
    }
    if (open.isEmpty()) {
      return;
    }
    List<Change> changes = new ArrayList<>();
    read.values()
        .forEach(
            messages ->
                messages.forEach(
                    message ->
                        changes.add(Changes.of(Changes.decode(message.value()), open.get(), now))));
    apply(index, open.get().schema(), changes);
    read.forEach(
        (partition, messages) ->
            applied = applied.with(partition, messages.getLast().number(), applied.at()));
    hidden = true;
    uncommitted = true;
  }

  /// Applies changes; one that the index does not take leaves the others alone.
  private void apply(SearchIndex index, Schema schema, List<Change> changes) {
    try {
      index.apply(schema, changes);
    } catch (IllegalArgumentException e) {
      for (Change change : changes) {
        try {
          index.apply(schema, List.of(change));
        } catch (IllegalArgumentException alone) {
          LOG.log(WARNING, "a document cannot be indexed: " + alone.getMessage());
          tools.refused.increment();
          // What was there before must not be taken for it.
          index.apply(
              schema,
              List.of(
                  new Change(
                      change.pk(), change.tuple(), Optional.empty(), change.rememberedUntil())));
        }
      }
    }
  }

  /// How long what was shown last is good enough.
  private long rest(Pass pass) {
    behind = pass.isWhole ? 0 : behind + 1;
    if (behind > BEHIND_PASSES) {
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
    boolean old = !committedAt.plus(tools.kept.dividedBy(4)).isAfter(now);
    if (old || (uncommitted && !committedAt.plus(COMMIT_EVERY).isAfter(now))) {
      commit(index, now);
    }
  }

  private void show(SearchIndex index) {
    long begin = tools.nanos.getAsLong();
    index.refresh();
    hidden = false;
    shownAt = tools.nanos.getAsLong();
    showingTook = shownAt - begin;
    shown = Optional.of(new Shown(applied.offsets(), applied.at()));
    synchronized (this) {
      notifyAll();
    }
  }

  private void commit(SearchIndex index, Instant now) {
    index.commit(applied);
    committedAt = now;
    uncommitted = false;
  }

  /// Whether something was applied that nobody can see yet.
  boolean isHiding() {
    return hidden && state instanceof State.Ready;
  }

  /// Somebody who looked at it found it damaged.
  void suspect() {
    suspect = true;
  }

  /// Since when it may lack something; absent if it is not ready.
  Optional<Instant> behindSince() {
    return shown.map(Shown::at);
  }

  /// How much of it is made; absent if it is ready or cannot be told.
  Optional<Double> building() {
    return state instanceof State.Building building ? Optional.of(building.done) : Optional.empty();
  }

  private synchronized void turn(State next) {
    state = next;
    notifyAll();
  }

  private void shut(Problem problem) {
    State before = state;
    turn(new State.Closed(problem));
    shown = Optional.empty();
    switch (before) {
      case State.Closed _ -> {}
      case State.Building building -> closeQuietly(building.index);
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
    if (state instanceof State.Ready(SearchIndex index)) {
      try {
        commit(index, applied.at());
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
  IndexView view(Duration patience) {
    await(() -> state instanceof State.Ready, System.nanoTime() + patience.toNanos());
    if (state instanceof State.Ready(SearchIndex index)) {
      return index.view();
    }
    throw new VeridexException(problem());
  }

  private Problem problem() {
    return switch (state) {
      case State.Building building ->
          Problem.of(ErrorCode.INDEX_BUILDING, "the search index is being made")
              .with("percent", (int) (100 * building.done));
      case State.Closed(Problem problem) -> problem;
      case State.Ready _ ->
          Problem.of(ErrorCode.INDEX_BUILDING, "the search index has just been opened");
    };
  }

  /// Waits until what is shown has come so far.
  ///
  /// @return whether it has, in time
  boolean await(Map<Integer, Long> ends, long deadline) {
    return await(() -> shows(ends), deadline);
  }

  /// What can be found now.
  ///
  /// @param patience how long to wait for an index that is just being opened or made
  /// @throws VeridexException as [#view]
  Shown shown(Duration patience) {
    await(() -> shown.isPresent(), System.nanoTime() + patience.toNanos());
    return shown.orElseThrow(() -> new VeridexException(problem()));
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

  private boolean shows(Map<Integer, Long> ends) {
    Map<Integer, Long> now = shown.map(Shown::offsets).orElse(Map.of());
    return ends.entrySet().stream()
        .allMatch(each -> now.getOrDefault(each.getKey(), 0L) >= each.getValue());
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
