package dev.veridex.index;

import dev.veridex.common.VersionTuple;
import dev.veridex.protocol.RawDocument;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// An immutable view of an index. It may be searched by several threads.
public interface IndexView extends AutoCloseable {
  /// Finds.
  IndexResult search(IndexSearch ask);

  /// The documents with the nearest embeddings alone, the nearest first: those that a search looks
  /// for with the same question.
  IndexResult.Nearest nearest(IndexSearch ask);

  /// Finds words that begin in some way, in documents that are there.
  IndexSuggest.SuggestResult suggest(IndexSuggest suggest);

  /// The entries of documents that are there at a time, in the order of their keys here; absent for
  /// those of which there is none.
  List<Optional<StoredEntry>> find(List<String> pks, Instant now);

  /// The tuples of the same.
  List<Optional<VersionTuple>> tuples(List<String> pks, Instant now);

  /// Every entry that is there at a time, in no order.
  void each(Instant now, Consumer<StoredEntry> consumer);

  @Override
  void close();

  /// An entry as the index holds it.
  ///
  /// @param document its stored fields
  /// @param resources whose rights decide who may find it
  /// @param ordinals of its resources
  record StoredEntry(
      String pk,
      VersionTuple tuple,
      RawDocument document,
      Optional<Instant> expiresAt,
      List<String> resources,
      List<Long> ordinals) {}
}
