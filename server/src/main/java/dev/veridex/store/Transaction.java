package dev.veridex.store;

import java.time.Instant;

/// A unit of work: it reads a snapshot and its own writes, and takes effect as a whole or not at
/// all.
///
/// It belongs to the thread that runs it and must not be used after it returned. Arrays handed in
/// must not be changed afterwards.
public interface Transaction extends Reader {
  /// The longest key in bytes.
  int MAX_KEY_BYTES = 8 * 1024;

  /// The largest value in bytes.
  int MAX_VALUE_BYTES = 64 * 1024 * 1024;

  /// The most bytes of keys and values that one transaction may write.
  int MAX_TRANSACTION_BYTES = 384 * 1024 * 1024;

  /// The most elements that one transaction may append.
  int MAX_APPENDS = 1 << 16;

  /// Writes a record that lives for ever, whatever was there before.
  void put(byte[] key, byte[] value);

  /// Writes a record that is expired from `expiresAt` on; times are kept in whole microseconds.
  ///
  /// @throws StoreException `INVALID_TTL` unless `expiresAt` is after [#now]
  void put(byte[] key, byte[] value, Instant expiresAt);

  /// Removes a record; if there is none, nothing happens.
  void delete(byte[] key);

  /// Removes all records and counters of a range, also those that this transaction did not see.
  ///
  /// What this transaction appends is not touched: appended elements take their place at commit,
  /// after everything else.
  ///
  /// It costs about the same for one record as for a million and slows later scans of the range
  /// until the engine has cleaned up: for whole spaces, not for single records.
  void deleteRange(KeyRange range);

  /// Writes a record under `prefix` followed by a number that is given at commit.
  ///
  /// Numbers are positive, rise in commit order, are never used twice, not even after their records
  /// were deleted, and leave gaps. Whoever sees number n sees everything below n under the same
  /// prefix that was not deleted. The record is not visible inside this transaction.
  AppendedRecord append(byte[] prefix, byte[] value);

  /// As above, for an element that is expired from `expiresAt` on.
  ///
  /// @throws StoreException `INVALID_TTL` unless `expiresAt` is after [#now]
  AppendedRecord append(byte[] prefix, byte[] value, Instant expiresAt);

  /// What this transaction decides holds before a time only, by which it must have committed:
  /// later, its work runs again. So it is with every record that it reads and that expires; this is
  /// for ends that the store does not know.
  void holdsUntil(Instant end);

  /// Adds to a counter. Additions commute: they never conflict with each other, only with
  /// transactions that read the counter.
  void add(byte[] key, long delta);

  /// Whether a counter, with what this transaction added to it so far, is at most `max`.
  ///
  /// If so, others may go on adding without making this transaction run again: it only has to be so
  /// still when this one commits, and an engine may leave it to that to find out: whoever throws
  /// instead of committing may have been told wrong. If not, the counter counts as read, like
  /// [#counter]. So whoever keeps a counter below a limit waits for nobody until it is reached:
  ///
  /// ```java
  /// if (!transaction.isAtMost(counter, limit - more)) {
  ///   return refused;
  /// }
  /// transaction.add(counter, more);
  /// ```
  boolean isAtMost(byte[] counter, long max);
}
