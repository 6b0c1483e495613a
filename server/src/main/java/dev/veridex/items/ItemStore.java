package dev.veridex.items;

import dev.veridex.common.BucketLocation;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// The revisions of items, by location and key, newest first.
///
/// An item has at most one current revision and any number of past ones. An implementation must
/// keep these promises; `ItemStoreContract` is their executable form.
///
/// - **Nothing is mixed up.** What is in one bucket, or under one key, is never seen in another.
/// - **Expired is gone.** A revision is not seen from the instant of its expiry on, by the reader's
///   clock. When the current one expires, none of the past ones takes its place.
/// - **All or nothing.** What is written in a transaction is seen with its commit, and not at all
///   without. The transaction may run more than once.
/// - **Order.** Keys are listed in the order of their UTF-8 bytes, revisions by id, newest first.
///   Ids are compared as unsigned numbers.
///
/// Not promised: that the bytes of an expired revision are removed at once; that anything is
/// checked. What may be written, by whom and for how long is decided by [Items].
public interface ItemStore {
  /// An item's key and its current revision.
  record KeyedRevision(String key, ItemRevision current) {}

  /// The current revision, also if it says that the item is deleted.
  Optional<ItemRevision> current(Reader reader, BucketLocation location, String key);

  /// The revision with an id, current or past.
  Optional<ItemRevision> revision(Reader reader, BucketLocation location, String key, UUID id);

  /// The revision that was the current one at a time. None, if that one is no longer kept, also if
  /// an older one is.
  Optional<ItemRevision> at(Reader reader, BucketLocation location, String key, Instant time);

  /// The bytes of a revision that is kept; none for one that says that the item is deleted.
  Optional<byte[]> value(Reader reader, BucketLocation location, String key, UUID id);

  /// The revisions of an item, the current one among them.
  ///
  /// @param before only those older than this one
  List<ItemRevision> revisions(
      Reader reader, BucketLocation location, String key, Optional<UUID> before, int limit);

  /// The items whose keys begin with a prefix, deleted ones among them.
  ///
  /// @param after only those whose keys come after this one
  /// @param limit the most of them; fewer only if there are no more
  List<KeyedRevision> list(
      Reader reader, BucketLocation location, String prefix, Optional<String> after, int limit);

  /// The keys under which there is any revision, current or past, in order.
  ///
  /// @param after only those that come after this one
  /// @param limit the most of them; fewer only if there are no more
  List<String> keys(Reader reader, BucketLocation location, Optional<String> after, int limit);

  /// Makes a revision the current one. Whoever replaces one must also [#putPast] that one.
  ///
  /// @param value absent if it says that the item is deleted
  void putCurrent(
      Transaction transaction,
      BucketLocation location,
      String key,
      ItemRevision revision,
      Optional<byte[]> value);

  /// Writes a past revision, or changes what is known about it.
  ///
  /// @param value absent to leave the bytes that are there, with the end that they have
  void putPast(
      Transaction transaction,
      BucketLocation location,
      String key,
      ItemRevision revision,
      Optional<byte[]> value);

  /// Removes a past revision.
  void removePast(Transaction transaction, BucketLocation location, String key, UUID id);
}
