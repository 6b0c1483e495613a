package dev.veridex.store;

import dev.veridex.common.Revision;
import dev.veridex.common.RevisionSeal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An ordered map from byte strings to byte strings with serializable transactions.
///
/// An implementation must keep these promises; `StoreContract` is their executable form.
///
/// - **Order.** Keys are compared as unsigned bytes.
/// - **Serializable.** The effect of all committed transactions, and what each of them read, is
///   that of running them one after the other in the order of their revisions, phantoms included. A
///   record that a transaction saw alive is still alive at the time of its commit.
/// - **No lock while user code runs.** Transactions run on a snapshot and are checked at commit.
///   Whoever read what another has changed since runs again from the start.
/// - **Durable.** When [#transact] returns, the commit survives the death of the process and of the
///   machine. A crash leaves every commit whole or absent.
/// - **Expiry is exact, removal is later.** A record is unseen from the instant of its expiry on,
///   and removed by the engine after a grace during which [Reader#entry] still shows it.
/// - **One time.** The store's clock never runs back: not behind an earlier commit over a restart,
///   nor behind what it showed before it was closed.
/// - **Revisions.** Each commit has the next sequence; a restored backup is another store.
///
/// Not promised: that a transaction sees its own appends; that a read is repeatable over two
/// snapshots; that an unsuccessful `UNAVAILABLE` commit left no effect (it may be found whole
/// later).
///
/// ```java
/// Committed<Long> balance =
///     store.transact(
///         transaction -> {
///           long before = decode(transaction.get(account).orElseThrow());
///           transaction.put(account, encode(before + 1));
///           return before + 1;
///         });
/// ```
public interface Store extends AutoCloseable {
  /// Runs `work` on a snapshot and commits what it wrote when it returns; runs it again if another
  /// commit changed what it read. Work must therefore have no effect outside the transaction.
  ///
  /// If `work` throws, nothing is written and the exception goes on to the caller.
  ///
  /// @throws StoreException `CONFLICT` if it had to be run again too often, `UNAVAILABLE` if the
  ///   engine cannot write now, `TRANSACTION_TOO_LARGE`
  <T extends @Nullable Object> CommitResult<T> transact(Work<T> work);

  /// A reader of the newest state.
  Snapshot snapshot();

  /// A reader of a state that is at least as new as `atLeast`.
  ///
  /// @throws StoreException `UNKNOWN_REVISION` if this store has not come to that revision
  Snapshot snapshot(Revision atLeast);

  /// The commits after `since` in their order, at most `limit`; fewer only if there are no more.
  ///
  /// @throws StoreException `UNKNOWN_REVISION`; `REVISION_TOO_OLD` if some commit after `since` is
  ///   older than the store keeps changes
  List<Commit> changesSince(Revision since, int limit);

  /// The revision of the newest commit.
  Revision revision();

  /// When a revision was committed.
  ///
  /// @throws StoreException `UNKNOWN_REVISION`; `REVISION_TOO_OLD` if that is longer ago than the
  ///   store keeps changes
  Instant timeOf(Revision revision);

  /// Until when a revision was the newest, as a snapshot sees it: the commit after it took its
  /// place.
  ///
  /// @throws StoreException as [#timeOf]
  default Instant currentUntil(Snapshot snapshot, Revision revision) {
    return revision.sequence() >= snapshot.revision().sequence()
        ? snapshot.now()
        : timeOf(new Revision(revision.storeId(), revision.sequence() + 1));
  }

  /// The newest revision that was committed at `time` or before. Asked again, it is the same.
  ///
  /// @throws StoreException `BAD_REQUEST` if `time` is not past; `REVISION_TOO_OLD` if it is longer
  ///   ago than the store keeps changes
  Revision revisionAt(Instant time);

  /// The seal that turns this store's revisions into text and back.
  RevisionSeal seal();

  /// Writes a consistent copy of the newest state into a new folder while the store goes on
  /// working. Opened as a store, the copy has a new identity, so that old revisions are unknown to
  /// it.
  ///
  /// @throws StoreException `UNSUPPORTED` if the engine has its own way of making backups,
  ///   `BAD_REQUEST` if the folder exists
  void backup(Path folder);

  /// Lets nobody new in, waits for running readers and transactions, then lets go of everything.
  /// Idempotent. Must not be called by a thread that has a snapshot or a transaction open.
  ///
  /// @throws StoreException `UNAVAILABLE` if somebody still reads after a minute
  @Override
  void close();

  /// The work of a transaction.
  @FunctionalInterface
  interface Work<T extends @Nullable Object> {
    T run(Transaction transaction);
  }
}
