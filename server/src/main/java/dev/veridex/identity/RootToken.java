package dev.veridex.identity;

import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.common.DurableFiles;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The first token of a server: the configured one, or one that is made at the first start and
/// written to a file that only its owner can read.
///
/// The file counts at the first start only. Later it may be out of date: a root token that was
/// replaced or revoked must not come back because its file is still there.
public final class RootToken {
  private static final System.Logger LOG = System.getLogger(RootToken.class.getName());
  private static final String FILE = "root-token";
  private static final int SENSIBLE_LENGTH = 20;

  private RootToken() {}

  /// Makes sure that there is one.
  public static void ensure(
      Tokens tokens, Optional<String> configured, Path data, RandomGenerator random) {
    Path file = data.resolve(FILE);
    if (configured.isPresent()) {
      adopt(tokens, configured.get().strip(), "the configuration");
    } else if (!tokens.hadRoot()) {
      if (!Files.exists(file)) {
        // The file first: a token that nobody knows would be of no use.
        write(file, TokenSecret.random(random) + "\n");
      }
      adopt(tokens, read(file), file.toString());
    }
  }

  private static void adopt(Tokens tokens, String secret, String from) {
    if (secret.isEmpty()) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_CONFIGURATION, "the root token is empty").with("from", from));
    }
    if (secret.length() < SENSIBLE_LENGTH) {
      LOG.log(WARNING, "the root token is short: whoever guesses it owns everything");
    }
    tokens.adoptRoot(secret);
  }

  private static void write(Path file, String text) {
    try {
      DurableFiles.replace(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
