package dev.veridex.index.lucene;

import dev.veridex.index.SearchIndex;
import dev.veridex.index.SearchIndexContract;
import dev.veridex.index.SearchIndexes;
import java.util.Random;

/// The contract on a disk that loses what was not synced.
final class CrashingIndexTest implements SearchIndexContract {
  private CrashingIndexes indexes = new CrashingIndexes(new Random(1));

  @Override
  public SearchIndexes indexes() {
    indexes = new CrashingIndexes(new Random(1));
    return indexes;
  }

  @Override
  public void crash(SearchIndex index) {
    indexes.crash();
  }
}
