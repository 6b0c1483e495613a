package dev.veridex.index.lucene;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.SearchIndexes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.apache.lucene.search.QueryCache;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.Directory;
import org.jspecify.annotations.Nullable;

/// Indexes with Lucene, all with the same analyzers and one cache.
public final class LuceneIndexes implements SearchIndexes {
  private final LuceneDirectories directories;
  private final LuceneContext shared;

  /// @param folder in which each has a folder
  /// @param writers how many threads write documents at the same time
  public LuceneIndexes(Path folder, int writers) {
    this(new FolderDirectories(folder), writers);
  }

  LuceneIndexes(LuceneDirectories directories, int writers) {
    this(directories, writers, new VisibilityQueryCache(), System::nanoTime);
  }

  LuceneIndexes(LuceneDirectories directories, int writers, QueryCache cache, LongSupplier nanos) {
    this.directories = directories;
    this.shared =
        new LuceneContext(
            new Analyzers(), cache, new WriterThreads(writers), nanos, new LongAdder());
  }

  @Override
  public SearchIndex open(String name) {
    Directory directory = null;
    try {
      directory = directories.open(name);
      return new LuceneIndex(name, directory, shared);
    } catch (IOException | IllegalArgumentException | AlreadyClosedException e) {
      close(directory);
      throw translate(name, e);
    } catch (RuntimeException | Error e) {
      close(directory);
      throw e;
    }
  }

  private static void close(@Nullable Directory directory) {
    try {
      if (directory != null) {
        directory.close();
      }
    } catch (IOException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.UNAVAILABLE, "the files of an index cannot be closed"), e);
    }
  }

  /// Translates an exception of Lucene: the disk does not work now, or the index never will.
  static VeridexException translate(String name, Exception e) {
    return DamageDetector.isDamage(e)
        ? new DamagedIndexException(name, e)
        : new VeridexException(
            Problem.of(ErrorCode.UNAVAILABLE, "the search index cannot do this now")
                .with("index", name)
                .with("engine", String.valueOf(e.getMessage())),
            e);
  }

  @Override
  public void drop(String name) {
    try {
      directories.drop(name);
    } catch (IOException e) {
      throw translate(name, e);
    }
  }

  @Override
  public List<String> names() {
    try {
      return directories.names();
    } catch (IOException e) {
      throw translate("", e);
    }
  }

  @Override
  public long written() {
    return shared.written().sum();
  }

  @Override
  public void close() {
    shared.crew().close();
    shared.analyzers().close();
  }
}
