package dev.veridex.index.lucene;

import dev.veridex.common.Expiry;
import dev.veridex.common.VersionTuple;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexProgress;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.index.CodecReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.SearcherFactory;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.IOUtils;
import org.jspecify.annotations.Nullable;

/// A search index in one Lucene directory.
///
/// What was applied since the last refresh is remembered by key, since Lucene does not find it yet:
/// the newest tuple decides, also among changes that nobody can see.
final class LuceneIndex implements SearchIndex {
  private static final double BUFFER_MEGABYTES = 64;

  /// So many changes are remembered at most; then they are made visible.
  private static final int MAX_RECENT = 50_000;

  /// How documents are written; an index that was written otherwise is one that was never
  /// committed.
  private static final String FORMAT = "3";

  private static final String WRITTEN_AS = "format";
  private static final String AT = "at";
  private static final String NEXT_ORDINAL = "nextOrdinal";
  private static final String OFFSET = "offset.";

  private final String name;
  private final Directory directory;
  private final LuceneContext shared;
  private final IndexWriter writer;
  private final SearcherManager searchers;
  private final Map<String, VersionTuple> recent = new HashMap<>();
  private final Map<String, Long> recentOrdinals = new HashMap<>();
  private final OrdinalTable resources = new OrdinalTable();
  private final Optional<IndexProgress> committed;
  private long nextOrdinal;

  LuceneIndex(String name, Directory directory, LuceneContext shared) throws IOException {
    this.name = name;
    this.shared = shared;
    this.directory = directory;
    IndexWriterConfig config =
        new IndexWriterConfig(shared.analyzers())
            .setRAMBufferSizeMB(BUFFER_MEGABYTES)
            .setCodec(new LongVectorCodec())
            // Whoever wants to see something new does not wait for merges.
            .setMaxFullFlushMergeWaitMillis(0)
            .setCommitOnClose(false);
    this.writer = new IndexWriter(directory, config);
    SearcherManager opened = null;
    try {
      Map<String, String> data = new HashMap<>();
      Iterable<Map.Entry<String, String>> live = writer.getLiveCommitData();
      if (live != null) {
        live.forEach(entry -> data.put(entry.getKey(), entry.getValue()));
      }
      this.committed = progress(data);
      this.nextOrdinal = Long.parseLong(data.getOrDefault(NEXT_ORDINAL, "0"));
      opened =
          new SearcherManager(
              writer,
              new SearcherFactory() {
                @Override
                public IndexSearcher newSearcher(
                    org.apache.lucene.index.IndexReader reader,
                    org.apache.lucene.index.@Nullable IndexReader previous) {
                  IndexSearcher searcher = new IndexSearcher(reader);
                  searcher.setQueryCache(shared.cache());
                  return searcher;
                }
              });
      this.searchers = opened;
    } catch (IOException | RuntimeException | Error e) {
      IOUtils.closeWhileHandlingException(opened, writer);
      throw e;
    }
  }

  private static Optional<IndexProgress> progress(Map<String, String> data) {
    String at = data.get(AT);
    if (at == null || !FORMAT.equals(data.get(WRITTEN_AS))) {
      return Optional.empty();
    }
    SortedMap<Integer, Long> offsets = new TreeMap<>();
    data.forEach(
        (key, value) -> {
          if (key.startsWith(OFFSET)) {
            offsets.put(Integer.parseInt(key.substring(OFFSET.length())), Long.parseLong(value));
          }
        });
    return Optional.of(new IndexProgress(offsets, Instant.parse(at)));
  }

  @Override
  public Optional<IndexProgress> committed() {
    return committed;
  }

  @Override
  public void apply(Schema schema, List<IndexChange> changes) {
    // Of each document only the newest change counts; so no two of them are about the same one, and
    // the order in which they are written does not matter.
    Map<String, IndexChange> newest = new LinkedHashMap<>();
    changes.forEach(change -> newest.merge(change.pk(), change, LuceneIndex::newer));
    run(
        () -> {
          List<Due> due;
          try {
            due = due(newest.values());
          } catch (IllegalArgumentException e) {
            // It is what is there that cannot be read, not what comes.
            throw new IllegalStateException("a search index cannot be read: " + name, e);
          }
          shared.crew().each(due, work -> write(schema, work));
          if (recent.size() > MAX_RECENT) {
            refresh();
          }
        });
  }

  private static IndexChange newer(IndexChange one, IndexChange next) {
    return next.tuple().compareTo(one.tuple()) < 0 ? one : next;
  }

  /// A change that has to be written.
  ///
  /// @param ordinals of the entry's resources
  /// @param isKnown whether something of the document may be there
  private record Due(IndexChange change, List<Long> ordinals, boolean isKnown) {}

  private List<Due> due(Collection<IndexChange> changes) throws IOException {
    List<Due> due = new ArrayList<>(changes.size());
    IndexSearcher searcher = searchers.acquire();
    try {
      DocumentLookup lookup = new DocumentLookup(searcher.getIndexReader());
      for (IndexChange change : changes) {
        VersionTuple known = recent.get(change.pk());
        if (known == null) {
          known = lookup.find(change.pk()).orElse(null);
        }
        if (known == null || change.tuple().compareTo(known) >= 0) {
          List<Long> ordinals = new ArrayList<>();
          for (String resource :
              change.entry().map(IndexChange.Entry::resources).orElse(List.of())) {
            ordinals.add(ordinal(resource, lookup));
          }
          due.add(new Due(change, ordinals, known != null));
          // Before it is written: should that fail, whoever tries again finds that it may be there.
          recent.put(change.pk(), change.tuple());
        }
      }
    } finally {
      searchers.release(searcher);
    }
    return due;
  }

  private void write(Schema schema, Due due) throws IOException {
    List<Document> documents = DocumentMapper.of(schema, due.change, due.ordinals);
    shared.written().increment();
    if (due.isKnown) {
      writer.updateDocuments(new Term(FieldNames.ID, new BytesRef(due.change.pk())), documents);
    } else {
      writer.addDocuments(documents);
    }
  }

  /// The number of a resource: that which it has, or the next one.
  private long ordinal(String resource, DocumentLookup lookup) throws IOException {
    Long given = recentOrdinals.get(resource);
    if (given == null) {
      given = lookup.ordinal(resource).orElse(null);
    }
    if (given == null) {
      given = nextOrdinal++;
    }
    recentOrdinals.put(resource, given);
    return given;
  }

  @Override
  public boolean expire(Instant now) {
    long micros = Expiry.micros(now);
    Query past =
        new BooleanQuery.Builder()
            .add(LongPoint.newRangeQuery(FieldNames.EXPIRES, Long.MIN_VALUE, micros), Occur.SHOULD)
            .add(
                LongPoint.newRangeQuery(FieldNames.FORGOTTEN, Long.MIN_VALUE, micros), Occur.SHOULD)
            .build();
    boolean[] any = {false};
    run(
        () -> {
          IndexSearcher searcher = searchers.acquire();
          try {
            any[0] = searcher.count(past) > 0;
          } finally {
            searchers.release(searcher);
          }
          if (any[0] || !recent.isEmpty()) {
            shared.written().increment();
            writer.deleteDocuments(past);
          }
        });
    return any[0];
  }

  @Override
  public void refresh() {
    run(
        () -> {
          searchers.maybeRefreshBlocking();
          recent.clear();
          recentOrdinals.clear();
          prepare();
        });
  }

  private void prepare() throws IOException {
    IndexSearcher searcher = searchers.acquire();
    try {
      resources.prepare(searcher.getIndexReader().leaves());
    } finally {
      searchers.release(searcher);
    }
  }

  @Override
  public void commit(IndexProgress progress) {
    run(
        () -> {
          Map<String, String> data = new TreeMap<>();
          data.put(WRITTEN_AS, FORMAT);
          data.put(AT, progress.at().toString());
          data.put(NEXT_ORDINAL, Long.toString(nextOrdinal));
          progress
              .offsets()
              .forEach((partition, offset) -> data.put(OFFSET + partition, Long.toString(offset)));
          writer.setLiveCommitData(data.entrySet());
          writer.commit();
        });
  }

  @Override
  public IndexView view() {
    try {
      IndexSearcher searcher = searchers.acquire();
      return new LuceneView(
          name, searcher, shared, resources, () -> run(() -> searchers.release(searcher)));
    } catch (IOException | AlreadyClosedException e) {
      throw LuceneIndexes.translate(name, e);
    }
  }

  @Override
  public void scan() {
    try {
      IndexSearcher searcher = searchers.acquire();
      try {
        for (LeafReaderContext leaf : searcher.getIndexReader().leaves()) {
          if (leaf.reader() instanceof CodecReader reader) {
            reader.checkIntegrity();
          }
        }
      } finally {
        searchers.release(searcher);
      }
    } catch (AlreadyClosedException e) {
      throw LuceneIndexes.translate(name, e);
    } catch (IOException | RuntimeException e) {
      // Whatever a reader stumbles over while it compares checksums.
      throw new DamagedIndexException(name, e);
    }
  }

  @Override
  public void close() {
    run(
        () -> {
          try (directory) {
            IOUtils.close(searchers, writer::rollback);
          }
        });
  }

  @FunctionalInterface
  private interface Work {
    void run() throws IOException;
  }

  private void run(Work work) {
    try {
      work.run();
    } catch (IOException | AlreadyClosedException e) {
      throw LuceneIndexes.translate(name, e);
    }
  }
}
