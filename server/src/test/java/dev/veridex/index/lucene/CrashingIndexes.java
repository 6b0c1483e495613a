package dev.veridex.index.lucene;

import dev.veridex.index.SearchIndex;
import dev.veridex.index.SearchIndexes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.tests.store.MockDirectoryWrapper;

/// Lucene's indexes on a disk in memory that can crash: what was not synced is cut, scrambled or
/// gone then.
public final class CrashingIndexes implements SearchIndexes {
  private static final int CRASH_ATTEMPTS = 1000;

  private final Map<String, MockDirectoryWrapper> disks = new TreeMap<>();
  private final List<SearchIndex> open = new ArrayList<>();
  private final Random random;
  private final LuceneIndexes indexes;

  public CrashingIndexes(Random random) {
    this.random = random;
    this.indexes = new LuceneIndexes(new Disks(), 1);
  }

  private final class Disks implements LuceneDirectories {
    @Override
    public Directory open(String name) {
      // Closed with the index, but the disk stays.
      return new FilterDirectory(disks.computeIfAbsent(name, _ -> disk())) {
        @Override
        public void close() {}
      };
    }

    private MockDirectoryWrapper disk() {
      MockDirectoryWrapper disk = new MockDirectoryWrapper(random, new ByteBuffersDirectory());
      disk.setCheckIndexOnClose(false);
      return disk;
    }

    @Override
    public void drop(String name) {
      disks.remove(name);
    }

    @Override
    public List<String> names() {
      return List.copyOf(disks.keySet());
    }
  }

  @Override
  public SearchIndex open(String name) {
    SearchIndex index = indexes.open(name);
    open.add(index);
    return index;
  }

  @Override
  public void drop(String name) {
    indexes.drop(name);
  }

  @Override
  public List<String> names() {
    return indexes.names();
  }

  /// The machine dies. Nobody may use what was open.
  public void crash() {
    try {
      for (MockDirectoryWrapper disk : disks.values()) {
        crash(disk);
      }
      for (SearchIndex index : open) {
        try {
          index.close();
        } catch (RuntimeException e) {
          // It cannot do anything any more.
        }
      }
      open.clear();
      for (MockDirectoryWrapper disk : disks.values()) {
        disk.clearCrash();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A merge may just be closing a file that is to be spoiled: then it is tried again.
  private static void crash(MockDirectoryWrapper disk) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        disk.crash();
        return;
      } catch (RuntimeException e) {
        if (attempt == CRASH_ATTEMPTS) {
          throw e;
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /// Spoils a file of an index that is not open.
  ///
  /// @return whether there was one
  public boolean damage() {
    try {
      for (MockDirectoryWrapper disk : disks.values()) {
        String[] files = disk.listAll();
        for (String file : files) {
          if (file.startsWith("segments")) {
            disk.deleteFile(files[random.nextInt(files.length)]);
            return true;
          }
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
