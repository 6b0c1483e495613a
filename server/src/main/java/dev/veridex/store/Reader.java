package dev.veridex.store;

import dev.veridex.common.Revision;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Reads one unchanging state of a store, at one instant.
///
/// Every method must answer from the same set of commits. A record whose expiry is not after [#now]
/// must not be seen, except through [#entry] and [#scanWithExpired]. Values handed out are the
/// caller's own.
public interface Reader {
  /// The time at which this reader looks: what has expired by then is gone for it.
  Instant now();

  /// The last commit this reader sees.
  Revision revision();

  /// The value of a live record.
  Optional<byte[]> get(byte[] key);

  /// The values of many keys, in their order; one call is cheaper than many.
  List<Optional<byte[]>> getAll(List<byte[]> keys);

  /// A record with its expiry, also when expired, until its grace is over.
  Optional<Entry> entry(byte[] key);

  /// The live records of a range in key order.
  Cursor scan(KeyRange range, Direction direction);

  /// As [#scan], with records that are expired and within their grace.
  Cursor scanWithExpired(KeyRange range, Direction direction);

  /// The sum of all that was added to a counter; 0 if nothing was.
  ///
  /// Counters are a space of their own: a counter and a record may have the same key.
  long counter(byte[] key);

  /// The counters of a range, in key order, those at 0 left out or not.
  List<Counter> counters(KeyRange range);

  /// A counter and its sum.
  record Counter(byte[] key, long sum) {}
}
