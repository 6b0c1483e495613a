package dev.veridex.index;

import dev.veridex.common.Utf8Order;
import dev.veridex.common.VersionTuple;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/// The answer of an index.
///
/// @param total how many documents there are in all
/// @param more whether there may be hits after these
/// @param complete whether everything was looked at
/// @param exact whether the nearest embeddings were found by comparing all of them; absent if none
///   were looked for
public record IndexResult(
    List<Hit> hits,
    boolean more,
    long total,
    SortedMap<String, List<Count>> facets,
    boolean complete,
    Optional<Boolean> exact) {
  public IndexResult {
    hits = List.copyOf(hits);
  }

  /// A document.
  ///
  /// @param tuple which state of it this is
  /// @param document its stored fields
  /// @param resources whose rights decide who may find it
  /// @param highlight parts of its fields in which something was found, as HTML
  /// @param position where to go on after it; in the byte order of positions are the hits of all
  ///   indexes that are asked the same
  public record Hit(
      String pk,
      VersionTuple tuple,
      float score,
      RawDocument document,
      List<String> resources,
      Map<String, List<String>> highlight,
      byte[] position) {}

  /// The documents with the nearest embeddings, the nearest first.
  ///
  /// @param complete whether everything was looked at
  /// @param exact whether all were compared
  public record Nearest(List<Near> nearest, boolean complete, boolean exact) {
    public Nearest {
      nearest = List.copyOf(nearest);
    }
  }

  /// A document with one of the nearest embeddings.
  public record Near(String pk, float score) {
    /// The nearest first; of equally near ones those whose keys come first.
    public static final Comparator<Near> NEAREST_FIRST =
        Comparator.comparingDouble(Near::score)
            .reversed()
            .thenComparing(Near::pk, Utf8Order.INSTANCE);
  }

  /// The number of documents with a value, or with one in a range.
  ///
  /// @param from the value, or where the range begins; absent: below all
  /// @param to where the range ends; absent for a value, and above all
  public record Count(Optional<Value> from, Optional<Value> to, long count) {}
}
