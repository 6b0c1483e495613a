package dev.veridex;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Files and folders that only their owner can read.
final class PrivateFiles {
  private PrivateFiles() {}

  /// Creates a folder, unless it is there.
  static void createFolder(Path folder) {
    try {
      if (!Files.isDirectory(folder)) {
        Files.createDirectories(folder, ownerOnly(folder, "rwx------"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Writes a file: beside it first, then in one step, so that whoever is killed in between leaves
  /// no half of it.
  static void write(Path file, String text) {
    Path beside = file.resolveSibling(file.getFileName() + ".new");
    try {
      Files.deleteIfExists(beside);
      writeNew(beside, text);
      Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
      syncFolder(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeNew(Path file, String text) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            ownerOnly(file, "rw-------"))) {
      channel.write(StandardCharsets.UTF_8.encode(text));
      channel.force(true);
    }
  }

  /// Makes sure that the new name survives a loss of power, where folders can be opened.
  private static void syncFolder(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null && isPosix(file)) {
      try (FileChannel channel = FileChannel.open(folder)) {
        channel.force(true);
      }
    }
  }

  private static FileAttribute<?>[] ownerOnly(Path path, String permissions) {
    return isPosix(path)
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
