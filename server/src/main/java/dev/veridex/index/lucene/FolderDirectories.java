package dev.veridex.index.lucene;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.NRTCachingDirectory;

/// A folder for each index, in one folder.
///
/// @param folder is made when the first index is
record FolderDirectories(Path folder) implements LuceneDirectories {
  /// Small segments stay in memory until the next commit: most are merged before that, and showing
  /// one takes half as long.
  private static final double MAX_SEGMENT_MEGABYTES = 1;

  private static final double MAX_CACHED_MEGABYTES = 8;

  @Override
  public Directory open(String name) throws IOException {
    Files.createDirectories(folder);
    return new NRTCachingDirectory(
        FSDirectory.open(folder.resolve(name)), MAX_SEGMENT_MEGABYTES, MAX_CACHED_MEGABYTES);
  }

  @Override
  public void drop(String name) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(name))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException e) {
      // There is nothing to remove.
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }
}
