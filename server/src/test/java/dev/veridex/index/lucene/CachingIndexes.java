package dev.veridex.index.lucene;

import dev.veridex.index.SearchIndexes;
import java.nio.file.Path;

/// Lucene's indexes that remember what people may see of however few documents: so tests find what
/// is remembered for too long.
public final class CachingIndexes {
  private CachingIndexes() {}

  public static SearchIndexes on(Path folder) {
    return new LuceneIndexes(
        new FolderDirectories(folder), 1, new VisibilityQueryCache(_ -> true), System::nanoTime);
  }
}
