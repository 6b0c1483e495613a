package dev.veridex.index.lucene;

import dev.veridex.index.SearchIndex;
import dev.veridex.index.SearchIndexContract;
import dev.veridex.index.SearchIndexes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class LuceneIndexTest implements SearchIndexContract {
  @TempDir private Path parent;

  @Override
  public SearchIndexes indexes() {
    try {
      return new LuceneIndexes(Files.createTempDirectory(parent, "indexes"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void crash(SearchIndex index) {
    // The files stay as they are; what a torn disk leaves is tried with Lucene's own wrapper.
    index.close();
  }
}
