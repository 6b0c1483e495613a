package dev.veridex;

import dev.veridex.index.SearchIndexes;
import dev.veridex.index.lucene.LuceneIndexes;
import dev.veridex.search.Feed;
import dev.veridex.search.Search;
import dev.veridex.store.Store;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/// All that there is to search, put together.
record Searching(SearchIndexes indexes, Feed feed, Search search) {

  /// Puts it together.
  ///
  /// @param folder where the indexes are
  static Searching on(Store store, Domain domain, Path folder, RandomGenerator random) {
    // A store that was put in the place of another must not find that one's indexes.
    String own = HexFormat.of().toHexDigits(store.revision().storeId());
    SearchIndexes all = new LuceneIndexes(folder);
    all.names().stream().filter(name -> !name.equals(own)).forEach(all::drop);
    SearchIndexes indexes = new LuceneIndexes(folder.resolve(own));
    Feed feed =
        new Feed(
            store,
            domain.documents().generations(),
            domain.topics(),
            indexes,
            domain.arrivals(),
            Domain.TOPIC_RETENTION);
    Search search =
        new Search(
            store, domain.directory(), domain.documents().generations(), feed, random.nextLong());
    return new Searching(indexes, feed, search);
  }

  /// Makes indexes durable and closes them. Nothing may run any more.
  void close() {
    search.close();
    feed.stop();
    indexes.close();
  }
}
