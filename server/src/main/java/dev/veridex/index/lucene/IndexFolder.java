package dev.veridex.index.lucene;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The folder of a server's search indexes: in it a folder for each store, named by its id, and in
/// that a folder for each index.
///
/// Indexes to which nothing belongs any more are removed, so everything in the folder has to be an
/// index: whoever points it at something else by mistake must not lose that.
public record IndexFolder(Path path) {
  private static final Pattern STORE = Pattern.compile("[0-9a-f]{16}");
  private static final Pattern INDEX = Pattern.compile("veridex-.+");
  private static final Pattern FILE =
      Pattern.compile("(pending_)?segments_[0-9a-z]+|_[0-9a-z]+(_.*)?\\..+|write\\.lock");

  /// Refuses a folder that is a link, or that holds anything that no index made.
  ///
  /// @throws VeridexException `BAD_CONFIGURATION`
  public void requireOwn() {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      requireFolder(path);
      for (Path store : entries(path)) {
        require(store, STORE, IndexFolder::isFolder);
        for (Path index : entries(store)) {
          require(index, INDEX, IndexFolder::isFolder);
          for (Path file : entries(index)) {
            require(file, FILE, each -> Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS));
          }
        }
      }
    } catch (IOException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.UNAVAILABLE, "the folder of search indexes cannot be read")
              .with("folder", path),
          e);
    }
  }

  private static boolean isFolder(Path each) {
    return Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS);
  }

  private static void requireFolder(Path folder) {
    if (!isFolder(folder)) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_CONFIGURATION,
                  "search indexes need a real folder here, not a link or a file")
              .with("folder", folder));
    }
  }

  private static void require(Path entry, Pattern name, Predicate<Path> kind) {
    if (!name.matcher(entry.getFileName().toString()).matches() || !kind.test(entry)) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_CONFIGURATION,
                  "the folder of search indexes holds something that is none: move it away, or use"
                      + " another data folder")
              .with("path", entry));
    }
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
    }
  }
}
