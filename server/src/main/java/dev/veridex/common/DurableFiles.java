package dev.veridex.common;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Changes to folders and small files that a power failure does not undo.
public final class DurableFiles {
  private DurableFiles() {}

  /// Makes a folder and those above it that are missing.
  public static void createFolder(Path folder) throws IOException {
    Path absolute = folder.toAbsolutePath();
    Path parent = absolute.getParent();
    if (Files.isDirectory(absolute) || parent == null) {
      return;
    }
    createFolder(parent);
    createNewFolder(absolute);
  }

  /// Makes a folder that only its owner can read, and those above it that are missing.
  public static void createPrivateFolder(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, ownerOnly(folder, "rwx------"));
    }
  }

  /// Makes a folder that must not be there yet.
  public static void createNewFolder(Path folder) throws IOException {
    Files.createDirectory(folder);
    sync(folder.toAbsolutePath().getParent());
  }

  /// Replaces a file's content, readable by its owner only; a crash leaves the old one or the new.
  public static void replace(Path file, String content) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + ".new");
    uninterrupted(() -> write(temporary, content));
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    sync(file.toAbsolutePath().getParent());
  }

  private static void write(Path file, String content) throws IOException {
    // Never into a file that somebody else has put there.
    Files.deleteIfExists(file);
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            ownerOnly(file, "rw-------"))) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  private static FileAttribute<?>[] ownerOnly(Path path, String permissions) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  public static void deleteTree(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void sync(@Nullable Path folder) throws IOException {
    if (folder != null) {
      uninterrupted(
          () -> {
            try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
              directory.force(true);
            }
          });
    }
  }

  /// An action that can be repeated from the start.
  private interface Repeatable {
    void run() throws IOException;
  }

  /// Does something to the end. An interrupt closes the channel that a thread is using, which is no
  /// reason to leave a change half made; it is passed on afterwards.
  private static void uninterrupted(Repeatable action) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          action.run();
          return;
        } catch (ClosedByInterruptException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
