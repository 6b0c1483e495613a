package dev.veridex.quota;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Reader.Counter;
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

/// Usage counters of accounts and buckets, and the check against their quotas.
///
/// It is counted where it is written, in the same transaction: in a total, and, if it expires, in
/// the hour in which it does. When an hour is over, what it counted is taken off the total, by
/// whoever needs the room or by [#sweep]; so nobody has to look for what has expired, and a limit
/// is one look at one counter. It is only looked at when the transaction commits: writers do not
/// wait for each other, and the last place is given away once.
public final class UsageCounters {
  private static final int SECONDS_PER_HOUR = 3600;

  /// Stands where the counters of hours have their hour.
  private static final long TOTAL = 0;

  private UsageCounters() {}

  /// The holder of a quota: an account, and a bucket in it or in one of its environments.
  ///
  /// @param account the counters of the account
  /// @param bucket the counters of the bucket
  public record Holder(byte[] account, byte[] bucket) {
    /// The counters of a bucket and of the account that it is in.
    ///
    /// @param namespaceIncarnation of the namespace's scope
    /// @param incarnation of the bucket
    public static Holder of(
        Namespace namespace,
        long accountIncarnation,
        long namespaceIncarnation,
        String bucket,
        long incarnation) {
      return new Holder(
          accountPrefix(namespace.accountScope(), accountIncarnation),
          new KeyWriter()
              .scope(RecordKind.BUCKET_USAGE.code(), namespace.scope(), namespaceIncarnation)
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
          for (byte[] prefix : List.of(holder.account, holder.bucket)) {
            transaction.add(counter(prefix, part.quota, TOTAL), amount);
            if (part.hour != TOTAL) {
              transaction.add(counter(prefix, part.quota, part.hour), amount);
            }
          }
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
    byte[] total = counter(prefix, more.getKey(), TOTAL);
    if (transaction.isAtMost(total, room)) {
      return Optional.empty();
    }
    // Hours that are over may still be in it.
    sweep(transaction, prefix, more.getKey());
    long used = transaction.counter(total);
    return used <= room
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.QUOTA_EXCEEDED, "a quota does not allow this")
                .with("quota", more.getKey().text())
                .with("of", whose)
                .with("limit", limit)
                .with("used", used)
                .with("wanted", more.getValue()));
  }

  /// The usage of an account, its environments included.
  public static Map<Quota, Long> ofAccount(Reader reader, String account, long incarnation) {
    return sums(reader, accountPrefix(new Scope.Tenant(account), incarnation));
  }

  /// The usage of a bucket.
  public static Map<Quota, Long> ofBucket(Reader reader, Holder holder) {
    return sums(reader, holder.bucket);
  }

  private static Map<Quota, Long> sums(Reader reader, byte[] prefix) {
    Map<Quota, Long> sums = new EnumMap<>(Quota.class);
    for (Quota quota : Quota.values()) {
      long over = sum(reader.counters(over(prefix, quota, reader.now())));
      sums.put(quota, reader.counter(counter(prefix, quota, TOTAL)) - over);
    }
    return sums;
  }

  private static long sum(List<Counter> counters) {
    return counters.stream().mapToLong(Counter::sum).sum();
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
      long expiring = 0;
      byte[] ofQuota = KeyWriter.after(prefix).octet(quota.code()).toKey();
      for (Counter counter : reader.counters(KeyRange.prefix(ofQuota))) {
        long hour = new KeyReader(counter.key(), ofQuota.length).unsigned();
        if (hour >= now) {
          counted.put(new Delta.Part(quota, hour), counter.sum());
        }
        expiring += hour == TOTAL ? 0 : counter.sum();
      }
      long total = reader.counter(counter(prefix, quota, TOTAL));
      counted.put(new Delta.Part(quota, TOTAL), total - expiring);
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
  public static void release(
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

  /// Takes what has expired in hours that are over off the totals of a holder.
  ///
  /// @param prefix what the counters' keys begin with
  /// @return whether there was any
  public static boolean sweep(Transaction transaction, byte[] prefix) {
    boolean any = false;
    for (Quota quota : Quota.values()) {
      any |= sweep(transaction, prefix, quota);
    }
    return any;
  }

  private static boolean sweep(Transaction transaction, byte[] prefix, Quota quota) {
    KeyRange hours = over(prefix, quota, transaction.now());
    List<Counter> counters = transaction.counters(hours);
    if (!counters.isEmpty()) {
      transaction.deleteRange(hours);
      transaction.add(counter(prefix, quota, TOTAL), -sum(counters));
    }
    return !counters.isEmpty();
  }

  /// Whether a sweep would find anything.
  public static boolean needsSweep(Reader reader, byte[] prefix) {
    for (Quota quota : Quota.values()) {
      if (!reader.counters(over(prefix, quota, reader.now())).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private static byte[] accountPrefix(Scope.Tenant account, long incarnation) {
    return new KeyWriter().scope(RecordKind.USAGE.code(), account, incarnation).toKey();
  }

  /// The counters of hours that are over.
  private static KeyRange over(byte[] prefix, Quota quota, Instant now) {
    return KeyRange.between(counter(prefix, quota, TOTAL + 1), counter(prefix, quota, hour(now)));
  }

  private static byte[] counter(byte[] prefix, Quota quota, long hour) {
    return KeyWriter.after(prefix).octet(quota.code()).unsigned(hour).toKey();
  }

  /// The last hour in which something is alive: what expires with the full hour is not alive in the
  /// next.
  private static long hour(Optional<Instant> expiresAt) {
    return expiresAt.map(end -> hour(end.minusNanos(1))).orElse(TOTAL);
  }

  private static long hour(Instant instant) {
    return Math.floorDiv(instant.getEpochSecond(), SECONDS_PER_HOUR);
  }
}
