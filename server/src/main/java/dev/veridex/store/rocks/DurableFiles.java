package dev.veridex.store.rocks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Changes to folders and small files that a power failure does not undo.
final class DurableFiles {
  private DurableFiles() {}

  /// Makes a folder and those above it that are missing.
  static void createFolder(Path folder) throws IOException {
    Path absolute = folder.toAbsolutePath();
    Path parent = absolute.getParent();
    if (Files.isDirectory(absolute) || parent == null) {
      return;
    }
    createFolder(parent);
    createNewFolder(absolute);
  }

  /// Makes a folder that must not be there yet.
  static void createNewFolder(Path folder) throws IOException {
    Files.createDirectory(folder);
    sync(folder.toAbsolutePath().getParent());
  }

  /// Replaces a file's content, readable by its owner only; a crash leaves the old one or the new.
  static void replace(Path file, String content) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + ".new");
    uninterrupted(() -> write(temporary, content));
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    sync(file.toAbsolutePath().getParent());
  }

  private static void write(Path file, String content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      if (Files.getFileAttributeView(file, PosixFileAttributeView.class) != null) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      }
      ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.ISO_8859_1));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  static void deleteTree(Path folder) throws IOException {
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
