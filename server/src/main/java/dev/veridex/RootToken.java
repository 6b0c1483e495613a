package dev.veridex;

import dev.veridex.accounts.TokenSecret;
import dev.veridex.accounts.Tokens;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
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
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/// Sees to it that there is a first token: the configured one, or one that is made at the first
/// start and written to a file that only its owner can read.
final class RootToken {
  private static final String FILE = "root-token";

  private RootToken() {}

  static void ensure(
      Tokens tokens, Optional<String> configured, Path data, RandomGenerator random) {
    Path file = data.resolve(FILE);
    if (configured.isPresent()) {
      tokens.adoptRoot(configured.get());
    } else if (Files.exists(file)) {
      tokens.adoptRoot(read(file));
    } else if (!tokens.hasRoot()) {
      String secret = TokenSecret.random(random);
      // The file first: a token that nobody knows would be of no use.
      write(file, secret + "\n");
      tokens.adoptRoot(secret);
    }
  }

  private static String read(Path file) {
    try {
      String secret = Files.readString(file).strip();
      if (secret.isEmpty()) {
        throw new VeridexException(
            Problem.of(ErrorCode.BAD_CONFIGURATION, "the file of the root token is empty")
                .with("file", file));
      }
      return secret;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Beside it first, then in one step: whoever is killed in between leaves no half of a token.
  private static void write(Path file, String text) {
    Path beside = file.resolveSibling(FILE + ".new");
    boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] ownerOnly =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    try {
      Files.deleteIfExists(beside);
      writeOwned(beside, text, ownerOnly);
      Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeOwned(Path file, String text, FileAttribute<?>[] ownerOnly)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)) {
      channel.write(StandardCharsets.UTF_8.encode(text));
      channel.force(true);
    }
  }
}
