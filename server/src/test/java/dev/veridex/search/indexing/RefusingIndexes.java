package dev.veridex.search.indexing;

import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexProgress;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.SearchIndexes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Indexes that do not take documents with some field, as Lucene does not take everything.
public record RefusingIndexes(SearchIndexes indexes, String field) implements SearchIndexes {
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
        // Some may be written by then.
        index.apply(schema, changes.stream().filter(each -> !isRefused(each)).toList());
        if (changes.stream().anyMatch(RefusingIndexes.this::isRefused)) {
          throw new IllegalArgumentException("this cannot be indexed");
        }
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
        index.scan();
      }

      @Override
      public void close() {
        index.close();
      }
    };
  }

  private boolean isRefused(IndexChange change) {
    return change.entry().stream()
        .flatMap(entry -> entry.document().getFieldsList().stream())
        .anyMatch(each -> each.getName().equals(field));
  }

  @Override
  public void drop(String name) {
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
