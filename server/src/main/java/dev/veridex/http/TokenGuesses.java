package dev.veridex.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Remembers which addresses bring wrong tokens, and how often of late.
///
/// The count of an address falls by one each second. Beyond a handful, each further attempt is
/// answered later, whatever it brings next: whoever guesses waits. A right token is never delayed,
/// so nobody can lock out the others behind the same address.
public final class TokenGuesses {
  /// How many wrong tokens an address may bring before it has to wait.
  static final int FREE = 20;

  /// After so long without a failure, an address is as good as new.
  private static final Duration QUIET = Duration.ofHours(1);

  private static final long ONE = 1000;
  private static final int MAX_ADDRESSES = 10_000;
  private static final Duration SLOWEST = Duration.ofSeconds(5);

  /// The addresses that failed last come last, so that the table forgets the oldest.
  private final Map<String, Count> counts = new LinkedHashMap<>(16, 0.75f, true);

  /// @param level the failures that still count, in thousandths, since it falls with time
  private record Count(long level, long total, Instant since) {}

  /// The consequence of an invalid token.
  ///
  /// @param failures how many there were since it was last quiet
  /// @param noteworthy whether to tell of this one: a handful, then each that doubles their number
  /// @param delay how long the answer has to wait
  public record GuessResult(long failures, boolean noteworthy, Duration delay) {}

  /// Notes a failure of an address, or of whoever else can be named.
  public synchronized GuessResult failed(String address, Instant now) {
    String key = key(address);
    Count before = counts.getOrDefault(key, new Count(0, 0, now));
    long remembered = Math.max(0, before.level - Duration.between(before.since, now).toMillis());
    long level = remembered + ONE;
    boolean quiet = Duration.between(before.since, now).compareTo(QUIET) > 0;
    long total = quiet ? 1 : before.total + 1;
    counts.put(key, new Count(level, total, now));
    forgetOldest();
    return new GuessResult(total, level <= FREE * ONE || Long.bitCount(total) == 1, delay(level));
  }

  private static Duration delay(long level) {
    Duration delay = Duration.ofMillis(Math.max(0, level - FREE * ONE) / 10);
    return delay.compareTo(SLOWEST) < 0 ? delay : SLOWEST;
  }

  private void forgetOldest() {
    while (counts.size() > MAX_ADDRESSES) {
      counts.remove(counts.keySet().iterator().next());
    }
  }

  /// An IPv4 address, or the network of an IPv6 address: whoever has one has all of it.
  private static String key(String address) {
    byte @Nullable [] bytes = bytes(address);
    if (bytes == null || bytes.length != 16) {
      return address;
    }
    StringBuilder network = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      network.append("%02x".formatted(bytes[i]));
    }
    return network + "/64";
  }

  private static byte @Nullable [] bytes(String address) {
    try {
      // Numeric addresses only: a name would be looked up.
      return address.indexOf(':') < 0 ? null : InetAddress.getByName(address).getAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }
}
