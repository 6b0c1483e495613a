package dev.veridex.index;

import java.util.List;

/// The indexes of one engine, by name.
public interface SearchIndexes extends AutoCloseable {
  /// Opens an index; one that is not there is made, empty.
  ///
  /// @throws DamagedIndexException if it cannot be read
  SearchIndex open(String name);

  /// Removes an index that is not open, if it is there.
  void drop(String name);

  /// The names of all indexes, damaged ones as well.
  List<String> names();

  /// How often anything was given to any of them to be written since they are there: a document, or
  /// that expired ones are to go.
  long written();

  @Override
  void close();
}
