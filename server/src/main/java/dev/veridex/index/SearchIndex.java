package dev.veridex.index;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A search index: what it is told, newest state of each document, and what can be asked about it.
///
/// An implementation must keep these promises; `SearchIndexContract` is their executable form.
///
/// - **Newer wins.** A change whose tuple is smaller than what the index holds of its document does
///   nothing, whatever the order in which changes come and however often. Of a deleted or expired
///   document the tuple is kept for as long as its change says.
/// - **All or nothing.** A view shows a change as a whole, or not at all.
/// - **Durable when committed.** After a crash the index is as it was at its last [#commit], and
///   says how far it had come then; what was applied after that has to be applied again.
/// - **Views stand still.** What a view shows does not change, but for what the clock hides: each
///   question brings its own time.
/// - **Ordinals stay.** Each resource has a number that does not change while something of it is in
///   the index, and that no other resource has.
///
/// Changes are applied by one thread at a time. Not promised: when a change can be seen before
/// [#refresh], and what is left of what was not committed.
public interface SearchIndex extends AutoCloseable {
  /// How far it had come at the last commit; nothing for an index that was never committed.
  Optional<IndexProgress> committed();

  /// Takes up changes, each if it is not older than what is there.
  ///
  /// @param schema of its fields; it only ever grows
  void apply(Schema schema, List<IndexChange> changes);

  /// Removes what is past its time, so that it takes no more room.
  ///
  /// @return whether there was anything that could be seen
  boolean expire(Instant now);

  /// Shows everything that was applied to new views.
  void refresh();

  /// Makes everything durable that was applied.
  void commit(IndexProgress progress);

  /// Reads everything that is there as of the last refresh, by any thread.
  ///
  /// @throws DamagedIndexException if some of it is not what was written
  void scan();

  /// A view as of the last refresh, held until it is closed.
  IndexView view();

  /// Closes it without a commit.
  @Override
  void close();
}
