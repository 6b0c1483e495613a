package dev.veridex.search.indexing;

import dev.veridex.common.IndexGeneration;
import dev.veridex.index.IndexProgress;
import dev.veridex.index.SearchIndex;
import java.time.Duration;
import java.time.Instant;

/// The regular work on an open index: refreshes, commits, removal of expired documents, and
/// trimming of its topic. The feeding thread's own.
final class IndexUpkeep {
  /// While more and more comes, it is refreshed so often: each refresh writes a segment, and small
  /// ones cost twice as much as large ones until they are merged.
  private static final long REFRESH_NANOS = Duration.ofMillis(500).toNanos();

  /// While there is more than can be read at once, again and again, everything is late, and getting
  /// on is worth more.
  private static final long BEHIND_NANOS = Duration.ofSeconds(5).toNanos();

  private static final int BEHIND_PASSES = 10;

  /// So many times as long as the last refresh took, there is no other, even if nothing else comes.
  private static final int REST = 2;

  private static final Duration COMMIT_EVERY = Duration.ofSeconds(30);

  /// What is not committed is applied again after a crash, before the first answer.
  private static final int COMMIT_AFTER = 5_000;

  /// The same while everything is late: then most of that time goes by with what was not applied.
  private static final int COMMIT_AFTER_BEHIND = 8_000;

  /// The reader group of search indexes: how far each topic is durable in its index.
  static final String GROUP = "search";

  private static final Duration TRIM_EVERY = Duration.ofHours(1);
  private static final Duration EXPIRE_EVERY = Duration.ofMinutes(1);

  private final IndexerTools tools;
  private final IndexGeneration generation;
  private final IndexFreshness freshness;
  private int appliedSinceCommit;

  /// How many times there was more to read than at once.
  private int behind;

  /// Whether something was applied that no search can see yet.
  private boolean hiding;

  private boolean uncommitted;
  private long refreshedAt;
  private long refreshTook;
  private Instant committedAt = Instant.EPOCH;
  private Instant expiredAt = Instant.EPOCH;
  private Instant trimmedAt = Instant.EPOCH;

  IndexUpkeep(IndexerTools tools, IndexGeneration generation, IndexFreshness freshness) {
    this.tools = tools;
    this.generation = generation;
    this.freshness = freshness;
  }

  boolean isHiding() {
    return hiding;
  }

  /// Changes were applied.
  void applied(int changes) {
    appliedSinceCommit += changes;
    hiding = true;
    uncommitted = true;
  }

  /// The index is as durable as at this time.
  void committed(Instant now) {
    committedAt = now;
  }

  /// Does what is due.
  ///
  /// @param batch that was read last
  /// @param catchingUp whether nobody looks before everything is there
  void tend(
      SearchIndex index,
      IndexProgress applied,
      Instant now,
      TopicBatches.Batch batch,
      boolean catchingUp) {
    behind = batch.isWhole() ? 0 : behind + 1;
    if (!expiredAt.plus(EXPIRE_EVERY).isAfter(now)) {
      expiredAt = now;
      if (index.expire(now)) {
        hiding = true;
        uncommitted = true;
      }
    }
    if (hiding && tools.nanos().getAsLong() - refreshedAt >= rest(batch, catchingUp)) {
      show(index, applied);
    }
    // Also if nothing came: how far it has come must not be older than what the topic keeps.
    boolean old = !committedAt.plus(tools.kept().dividedBy(16)).isAfter(now);
    int most = behind > BEHIND_PASSES ? COMMIT_AFTER_BEHIND : COMMIT_AFTER;
    boolean due = !committedAt.plus(COMMIT_EVERY).isAfter(now) || appliedSinceCommit > most;
    if (old || (uncommitted && due)) {
      commit(index, applied, now);
    }
    if (!hiding) {
      // Where nothing comes, too, what is shown gets newer.
      freshness.show(applied);
    }
  }

  /// How long after the last refresh there is another.
  private long rest(TopicBatches.Batch batch, boolean catchingUp) {
    if (behind > BEHIND_PASSES || catchingUp) {
      return BEHIND_NANOS;
    }
    return batch.isEmpty() ? Math.min(REFRESH_NANOS, REST * refreshTook) : REFRESH_NANOS;
  }

  /// Makes everything that is applied searchable.
  void show(SearchIndex index, IndexProgress applied) {
    long begin = tools.nanos().getAsLong();
    index.refresh();
    hiding = false;
    refreshedAt = tools.nanos().getAsLong();
    refreshTook = refreshedAt - begin;
    freshness.show(applied);
  }

  void commit(SearchIndex index, IndexProgress applied, Instant now) {
    index.commit(applied);
    committedAt = now;
    uncommitted = false;
    appliedSinceCommit = 0;
    if (!trimmedAt.plus(TRIM_EVERY).isAfter(now)) {
      trimmedAt = now;
      trim(applied, now);
    }
  }

  /// What is durable here is not read from the topic again, but by those who are told of changes.
  private void trim(IndexProgress applied, Instant now) {
    applied
        .offsets()
        .forEach(
            (partition, offset) -> {
              long from = tools.topics().position(generation, partition, GROUP);
              tools.topics().move(generation, partition, GROUP, from, offset);
              tools.topics().trim(generation, partition, now.minus(tools.told()));
            });
  }
}
