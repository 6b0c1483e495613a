package dev.veridex.accounts;

import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.Space;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Reader.Counter;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What accounts and buckets hold, and whether that is within their quotas.
///
/// It is counted where it is written, in the same transaction. What expires is counted in the hour
/// in which it does, and drops out with that hour, so that nobody has to look for it. Counters only
/// add up, and a limit is only looked at when the transaction commits: writers do not wait for each
/// other, and the last place is given away once.
public final class Usage {
  private static final int SECONDS_PER_HOUR = 3600;

  /// The hour of what lives for ever, after all others.
  private static final long FOR_EVER = -1L;

  private static final int SWEPT_AT_A_TIME = 1000;

  private final Store store;

  public Usage(Store store) {
    this.store = store;
  }

  /// Who holds it: an account, and a bucket in it or in one of its environments.
  ///
  /// @param account the counters of the account
  /// @param bucket the counters of the bucket
  public record Holder(byte[] account, byte[] bucket) {
    /// The counters of a bucket and of the account that it is in.
    ///
    /// @param placeIncarnation of the place's scope
    /// @param incarnation of the bucket
    public static Holder of(
        Place place,
        long accountIncarnation,
        long placeIncarnation,
        String bucket,
        long incarnation) {
      return new Holder(
          accountPrefix(place.accountScope(), accountIncarnation),
          new KeyWriter()
              .scope(Space.BUCKET_USAGE.code(), place.scope(), placeIncarnation)
              .string(bucket)
              .unsigned(incarnation)
              .toKey());
    }
  }

  /// The quotas of a holder.
  public record Limits(Map<Quota, Long> account, Map<Quota, Long> bucket) {}

  /// By how much a write changes what is held.
  public static final class Delta {
    private record Part(Quota quota, long hour) {}

    private final Map<Part, Long> parts = new HashMap<>();

    /// More of something, or less.
    ///
    /// @param expiresAt when it goes by itself
    public Delta add(Quota quota, Optional<Instant> expiresAt, long amount) {
      if (amount != 0) {
        parts.merge(new Part(quota, hour(expiresAt)), amount, Long::sum);
      }
      return this;
    }

    /// All that another one adds.
    public void addAll(Delta other) {
      other.parts.forEach((part, amount) -> parts.merge(part, amount, Long::sum));
    }

    private Map<Quota, Long> sums() {
      Map<Quota, Long> sums = new EnumMap<>(Quota.class);
      parts.forEach((part, amount) -> sums.merge(part.quota, amount, Long::sum));
      return sums;
    }
  }

  /// Counts a write.
  ///
  /// @return why it must not be made; nothing was counted then
  public static Optional<Problem> count(
      Transaction transaction, Holder holder, Limits limits, Delta delta) {
    for (Map.Entry<Quota, Long> more : delta.sums().entrySet()) {
      Optional<Problem> exceeded =
          exceeded(transaction, "account", holder.account, limits.account, more)
              .or(() -> exceeded(transaction, "bucket", holder.bucket, limits.bucket, more));
      if (exceeded.isPresent()) {
        return exceeded;
      }
    }
    delta.parts.forEach(
        (part, amount) -> {
          transaction.add(counter(holder.account, part.quota, part.hour), amount);
          transaction.add(counter(holder.bucket, part.quota, part.hour), amount);
        });
    return Optional.empty();
  }

  private static Optional<Problem> exceeded(
      Transaction transaction,
      String whose,
      byte[] prefix,
      Map<Quota, Long> limits,
      Map.Entry<Quota, Long> more) {
    Long limit = limits.get(more.getKey());
    if (limit == null || more.getValue() <= 0) {
      return Optional.empty();
    }
    long room = limit - more.getValue();
    KeyRange counters = live(prefix, more.getKey(), transaction.now());
    return transaction.isAtMost(counters, room)
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.QUOTA_EXCEEDED, "a quota does not allow this")
                .with("quota", more.getKey().text())
                .with("of", whose)
                .with("limit", limit)
                .with("used", transaction.counters(counters).stream().mapToLong(Counter::sum).sum())
                .with("wanted", more.getValue()));
  }

  /// What an account holds, its environments included.
  public static Map<Quota, Long> ofAccount(Reader reader, String account, long incarnation) {
    return sums(reader, accountPrefix(new Scope.Tenant(account), incarnation));
  }

  /// What a bucket holds.
  public static Map<Quota, Long> ofBucket(Reader reader, Holder holder) {
    return sums(reader, holder.bucket);
  }

  private static Map<Quota, Long> sums(Reader reader, byte[] prefix) {
    Map<Quota, Long> sums = new EnumMap<>(Quota.class);
    for (Quota quota : Quota.values()) {
      long sum =
          reader.counters(live(prefix, quota, reader.now())).stream().mapToLong(Counter::sum).sum();
      sums.put(quota, sum);
    }
    return sums;
  }

  /// Where counters are not what they should be. Those of this hour may be more: they count what
  /// has just expired, too.
  ///
  /// @param prefix what the counters' keys begin with
  /// @param held what is there
  /// @param exact whether the others may not be more, either
  public static List<String> differences(Reader reader, byte[] prefix, Delta held, boolean exact) {
    long now = hour(reader.now());
    Map<Delta.Part, Long> counted = new HashMap<>();
    for (Quota quota : Quota.values()) {
      for (Counter counter : reader.counters(live(prefix, quota, reader.now()))) {
        long hour = new KeyReader(counter.key(), counter.key().length - Long.BYTES).unsigned();
        counted.put(new Delta.Part(quota, hour), counter.sum());
      }
    }
    Set<Delta.Part> all = new HashSet<>(counted.keySet());
    all.addAll(held.parts.keySet());
    List<String> differences = new ArrayList<>();
    for (Delta.Part part : all) {
      long there = held.parts.getOrDefault(part, 0L);
      long sum = counted.getOrDefault(part, 0L);
      boolean more = sum > there && (!exact || part.hour == now);
      if (sum != there && !more) {
        differences.add("%d %s are counted, %d are there".formatted(sum, part.quota.text(), there));
      }
    }
    return differences;
  }

  /// Buckets are gone: their account no longer holds what they held.
  ///
  /// @param buckets what the keys of their counters begin with
  static void release(
      Transaction transaction, Scope.Tenant account, long incarnation, byte[] buckets) {
    byte[] prefix = accountPrefix(account, incarnation);
    for (Counter counter : transaction.counters(KeyRange.prefix(buckets))) {
      // The last parts of a key are its quota and its hour.
      int part = counter.key().length - Long.BYTES - 1;
      KeyReader key = new KeyReader(counter.key(), part);
      transaction.add(
          KeyWriter.after(prefix).octet(key.octet()).unsigned(key.unsigned()).toKey(),
          -counter.sum());
    }
    transaction.deleteRange(KeyRange.prefix(buckets));
  }

  /// Removes counters of hours that are over.
  public Agent sweeper() {
    return () -> {
      boolean any = false;
      for (Space space : List.of(Space.USAGE, Space.BUCKET_USAGE)) {
        any |= sweep(new KeyWriter().octet(space.code()).toKey());
      }
      return any;
    };
  }

  private boolean sweep(byte[] space) {
    List<byte[]> over;
    try (Snapshot snapshot = store.snapshot()) {
      long now = hour(snapshot.now());
      over =
          snapshot.counters(KeyRange.prefix(space)).stream()
              .map(Counter::key)
              .filter(key -> isOver(key, now))
              .toList();
    }
    for (int from = 0; from < over.size(); from += SWEPT_AT_A_TIME) {
      List<byte[]> some = over.subList(from, Math.min(over.size(), from + SWEPT_AT_A_TIME));
      store.transact(
          transaction -> {
            some.forEach(
                key -> transaction.deleteRange(KeyRange.between(key, KeyRange.successor(key))));
            return true;
          });
    }
    return !over.isEmpty();
  }

  private static boolean isOver(byte[] key, long now) {
    return Long.compareUnsigned(new KeyReader(key, key.length - Long.BYTES).unsigned(), now) < 0;
  }

  private static byte[] accountPrefix(Scope.Tenant account, long incarnation) {
    return new KeyWriter().scope(Space.USAGE.code(), account, incarnation).toKey();
  }

  /// The counters of what is alive, or was within this hour.
  private static KeyRange live(byte[] prefix, Quota quota, Instant now) {
    byte[] ofQuota = KeyWriter.after(prefix).octet(quota.code()).toKey();
    return new KeyRange(
        KeyWriter.after(ofQuota).unsigned(hour(now)).toKey(), KeyRange.prefix(ofQuota).to());
  }

  private static byte[] counter(byte[] prefix, Quota quota, long hour) {
    return KeyWriter.after(prefix).octet(quota.code()).unsigned(hour).toKey();
  }

  /// The last hour in which something is alive: what expires with the full hour is not alive in the
  /// next.
  private static long hour(Optional<Instant> expiresAt) {
    return expiresAt.map(end -> hour(end.minusNanos(1))).orElse(FOR_EVER);
  }

  private static long hour(Instant instant) {
    return Math.floorDiv(instant.getEpochSecond(), SECONDS_PER_HOUR);
  }
}
