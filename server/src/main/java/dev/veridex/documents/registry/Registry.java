package dev.veridex.documents.registry;

import dev.veridex.protocol.RawDocument;
import dev.veridex.store.Reader;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;

/// The newest state of everything in a bucket that is searched. It is published from here, every
/// index is made of it, and it decides whether a hit is still the newest state.
///
/// A state that takes the place of another must have a greater tuple, and what is gone must stay
/// known for as long as [TombstoneRetention] says.
public interface Registry {
  /// A document and its rows, by epoch.
  record DocumentRows(String pk, NavigableMap<Long, RegistryRow> rows) {
    /// The newest of its rows.
    public Optional<RegistryRow> newest() {
      return rows.values().stream().max((one, other) -> one.tuple().compareTo(other.tuple()));
    }
  }

  /// The id of a row's body.
  record BodyId(String pk, long epoch) {}

  /// A body as it was read.
  @FunctionalInterface
  interface Body {
    /// The body as a document.
    RawDocument document();
  }

  /// Part of a walk.
  ///
  /// @param next go on after this position; absent at the end
  record WalkPage(List<DocumentRows> documents, Optional<byte[]> next) {}

  /// The rows of documents, in their order.
  List<DocumentRows> find(Reader reader, List<String> pks, Collection<Long> epochs);

  /// The bodies of rows.
  List<Optional<Body>> bodies(Reader reader, List<BodyId> wanted);

  /// Documents and all their rows, in the order of the registry.
  ///
  /// @param after the position to go on after; empty for the first ones
  WalkPage walk(Reader reader, byte[] after, int limit);

  /// About how much of the registry lies before a position, from 0 to 1.
  double fraction(Reader reader, byte[] position);
}
