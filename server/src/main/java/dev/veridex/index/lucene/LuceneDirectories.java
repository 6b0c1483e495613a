package dev.veridex.index.lucene;

import java.io.IOException;
import java.util.List;
import org.apache.lucene.store.Directory;

/// The Lucene directories of indexes, by name.
interface LuceneDirectories {
  /// The files of an index; none if it is not there yet.
  Directory open(String name) throws IOException;

  /// Removes the files of an index that is not open.
  void drop(String name) throws IOException;

  List<String> names() throws IOException;
}
