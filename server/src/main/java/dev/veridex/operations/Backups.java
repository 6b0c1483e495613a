package dev.veridex.operations;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Token;
import dev.veridex.store.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Backups of the running store, each in a folder of its own below one that the configuration
/// names: a caller chooses a name, never a path.
public final class Backups {
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");
  private static final int MAX_NAME = 64;
  private static final DateTimeFormatter BY_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

  private final Path folder;
  private final Store store;
  private final AuditLog audit;
  private final InstantSource clock;

  public Backups(Path folder, Store store, AuditLog audit, InstantSource clock) {
    this.folder = folder;
    this.store = store;
    this.audit = audit;
    this.clock = clock;
  }

  /// A copy that was made.
  ///
  /// @param revision of the audit entry that tells of it, just after what it holds
  public record Backup(String name, Path folder, long bytes, Revision revision) {}

  /// Copies the newest state. Whether it worked or not stands in the audit log of Global.
  ///
  /// @param name absent: after the time
  /// @throws VeridexException `BAD_REQUEST`, `ALREADY_EXISTS`, `UNAVAILABLE`
  public Backup make(Token caller, Optional<String> name) {
    String chosen = name.orElseGet(() -> BY_TIME.format(clock.instant()));
    Path target = folder.resolve(NAME.matcher(chosen).matches() ? chosen : "refused");
    try {
      check(chosen, target);
      Files.createDirectories(folder);
      store.backup(target);
      return new Backup(chosen, target, size(target), note(caller, chosen, Optional.empty()));
    } catch (IOException e) {
      note(caller, chosen, Optional.of(ErrorCode.UNAVAILABLE));
      throw new VeridexException(
          Problem.of(ErrorCode.UNAVAILABLE, "the backup could not be written"), e);
    } catch (VeridexException e) {
      note(caller, chosen, Optional.of(e.code()));
      throw e;
    }
  }

  private static void check(String name, Path target) {
    if (!NAME.matcher(name).matches()) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "a backup's name has up to 64 of a-z, 0-9, dot, dash and underscore")
              .at("/name"));
    }
    if (Files.exists(target)) {
      throw new VeridexException(
          Problem.of(ErrorCode.ALREADY_EXISTS, "there is a backup of that name").at("/name"));
    }
  }

  private Revision note(Token caller, String name, Optional<ErrorCode> refusal) {
    return store
        .transact(
            transaction -> {
              AuditEntry entry =
                  AuditEntry.of(
                      transaction.now(),
                      caller,
                      "backup.make",
                      new Scope.Global(),
                      List.of(name.substring(0, Math.min(name.length(), MAX_NAME))));
              audit.append(
                  transaction,
                  refusal
                      .map(code -> entry.withOutcome(AuditEntry.Outcome.REFUSED, code.name()))
                      .orElse(entry));
              return true;
            })
        .revision();
  }

  private static long size(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(Backups::length).sum();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static long length(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
