package dev.veridex.search.indexing;

import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexProgress;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.SearchIndexes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Indexes that can be damaged, in a way that only reading all of one tells: writing to it fails
/// with an error that says nothing. One that was dropped and made anew is whole.
final class DamagedIndexes implements SearchIndexes {
  private final SearchIndexes indexes;
  private boolean isDamaged;
  private int dropped;

  DamagedIndexes(SearchIndexes indexes) {
    this.indexes = indexes;
  }

  void damage() {
    isDamaged = true;
  }

  /// How often a damaged one was dropped.
  int dropped() {
    return dropped;
  }

  @Override
  public SearchIndex open(String name) {
    SearchIndex index = indexes.open(name);
    return new SearchIndex() {
      @Override
      public Optional<IndexProgress> committed() {
        return index.committed();
      }

      @Override
      public void apply(Schema schema, List<IndexChange> changes) {
        if (isDamaged) {
          throw new IllegalStateException("a position is beyond all bounds");
        }
        index.apply(schema, changes);
      }

      @Override
      public boolean expire(Instant now) {
        return index.expire(now);
      }

      @Override
      public void refresh() {
        index.refresh();
      }

      @Override
      public void commit(IndexProgress progress) {
        index.commit(progress);
      }

      @Override
      public IndexView view() {
        return index.view();
      }

      @Override
      public void scan() {
        if (isDamaged) {
          throw new DamagedIndexException(name, new IllegalStateException("a checksum is wrong"));
        }
        index.scan();
      }

      @Override
      public void close() {
        index.close();
      }
    };
  }

  @Override
  public void drop(String name) {
    dropped += isDamaged ? 1 : 0;
    isDamaged = false;
    indexes.drop(name);
  }

  @Override
  public List<String> names() {
    return indexes.names();
  }

  @Override
  public long written() {
    return indexes.written();
  }

  @Override
  public void close() {
    indexes.close();
  }
}
