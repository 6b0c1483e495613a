package dev.veridex.common;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/// The rules that a scope or a bucket sets for how long its records live.
///
/// @param defaultTtl the life of a record that asks for none; absent: for ever
/// @param min the shortest life that may be asked for
/// @param max the longest life that may be asked for
/// @param enforce whether the bounds refuse (true) or only warn; expiry itself always counts
/// @param refreshOnAccess whether reading an item prolongs its life; of items alone
public record TtlPolicy(
    Optional<Duration> defaultTtl,
    Duration min,
    Duration max,
    boolean enforce,
    boolean refreshOnAccess) {

  /// Both a TTL and an expiry may be given if they agree this closely: a caller counts from its own
  /// now, which is not ours.
  private static final Duration AGREEMENT = Duration.ofSeconds(1);

  /// No default, one minute to one year.
  public static final TtlPolicy STANDARD =
      new TtlPolicy(Optional.empty(), Duration.ofSeconds(60), Duration.ofDays(365), true);

  /// An hour, at most a day.
  public static final TtlPolicy TEMPORARY =
      new TtlPolicy(
          Optional.of(Duration.ofHours(1)), Duration.ofSeconds(60), Duration.ofDays(1), true);

  /// A day, at most a week.
  public static final TtlPolicy SHORT_LIVED =
      new TtlPolicy(Optional.of(Duration.ofDays(1)), Duration.ofHours(1), Duration.ofDays(7), true);

  /// A month, at most a year.
  public static final TtlPolicy LONG_LIVED =
      new TtlPolicy(
          Optional.of(Duration.ofDays(30)), Duration.ofDays(1), Duration.ofDays(365), true);

  /// A policy under which reading prolongs nothing.
  public TtlPolicy(Optional<Duration> defaultTtl, Duration min, Duration max, boolean enforce) {
    this(defaultTtl, min, max, enforce, false);
  }

  public TtlPolicy {
    if (!isPositive(min)) {
      throw invalid("the smallest TTL is positive");
    }
    if (min.compareTo(max) > 0) {
      throw invalid("the smallest TTL is at most the largest");
    }
    Duration lower = min;
    Duration upper = max;
    if (defaultTtl
        .filter(ttl -> ttl.compareTo(lower) < 0 || ttl.compareTo(upper) > 0)
        .isPresent()) {
      throw invalid("the default TTL lies within the bounds");
    }
  }

  /// The policy with a well-known name: `default`, `temporary`, `short-lived` or `long-lived`.
  public static Optional<TtlPolicy> preset(String name) {
    return switch (name) {
      case "default" -> Optional.of(STANDARD);
      case "temporary" -> Optional.of(TEMPORARY);
      case "short-lived" -> Optional.of(SHORT_LIVED);
      case "long-lived" -> Optional.of(LONG_LIVED);
      default -> Optional.empty();
    };
  }

  /// The life of a record under this policy.
  public sealed interface Life {
    /// The record never expires.
    record Forever() implements Life {}

    /// The record is expired from `expiresAt` on.
    ///
    /// @param outOfBounds the policy only advises, and its bounds were not kept: a warning is due
    public record Until(Instant expiresAt, boolean outOfBounds) implements Life {}

    /// The record must be refused.
    record Refused(Problem problem) implements Life {}
  }

  /// The new end of a record that is read, if it is due: a read prolongs its life by its TTL, at
  /// most once in a tenth of that, and up to the largest TTL after it was written.
  ///
  /// @param end its end by now
  public Optional<Instant> refreshed(Instant now, Instant written, Duration ttl, Instant end) {
    Instant last = end.minus(ttl);
    Instant latest = written.plus(max);
    Instant wanted = now.plus(ttl);
    Instant next = Instants.earlier(wanted, latest).truncatedTo(ChronoUnit.MICROS);
    boolean due = !now.isBefore(last.plus(ttl.dividedBy(10)));
    return Optional.of(next).filter(each -> refreshOnAccess && due && each.isAfter(end));
  }

  /// Settles the life of a record written at `now` from what its writer asked for.
  ///
  /// Nothing is ever clamped: a life outside the bounds is refused, or kept as it is with a
  /// warning.
  public Life settle(Instant now, Optional<Duration> ttl, Optional<Instant> expiresAt) {
    Optional<Duration> given =
        expiresAt.map(instant -> Duration.between(now, instant)).or(() -> ttl).or(() -> defaultTtl);
    if (given.isEmpty()) {
      return new Life.Forever();
    }
    Duration life = given.get();
    if (!isPositive(life) || ttl.filter(asked -> !isPositive(asked)).isPresent()) {
      return refused("a TTL is positive", life);
    }
    if (ttl.isPresent() && expiresAt.isPresent() && !agree(ttl.get(), life)) {
      return refused("ttl and expiresAt contradict each other", life);
    }
    boolean outOfBounds = life.compareTo(min) < 0 || life.compareTo(max) > 0;
    if (outOfBounds && enforce) {
      return refused("the TTL lies outside the bounds", life);
    }
    if (life.compareTo(Duration.between(now, Expiry.LATEST)) > 0) {
      return refused("the TTL reaches beyond the last time that can be stored", life);
    }
    Instant end = expiresAt.orElseGet(() -> now.plus(life)).truncatedTo(ChronoUnit.MICROS);
    return new Life.Until(end, outOfBounds);
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isNegative() && !duration.isZero();
  }

  private static boolean agree(Duration ttl, Duration life) {
    return ttl.minus(life).abs().compareTo(AGREEMENT) < 0;
  }

  private Life.Refused refused(String detail, Duration given) {
    return new Life.Refused(
        Problem.of(ErrorCode.INVALID_TTL, detail)
            .with("given", given)
            .with("min", min)
            .with("max", max));
  }

  private static VeridexException invalid(String detail) {
    return new VeridexException(Problem.of(ErrorCode.INVALID_TTL_POLICY, detail));
  }
}
