package dev.veridex.documents.publish;

import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.VersionTuple;
import java.time.Instant;

/// An element of a document queue: a state of a document that waits to be published.
///
/// @param trouble what happened so far, for those that could not be sent
public record PublishTask(String pk, VersionTuple tuple, Trouble trouble) {
  private static final int MAX_ERROR = 500;

  /// The failures of an element so far.
  ///
  /// @param attempts how often it was tried
  /// @param lastError why it could not be sent
  /// @param nextAttemptAt not before
  /// @param source the queue that it came from
  public record Trouble(int attempts, String lastError, Instant nextAttemptAt, String source) {
    static final Trouble NONE = new Trouble(0, "", Instant.EPOCH, "");
  }

  /// One that nothing happened to.
  public static PublishTask of(String pk, VersionTuple tuple) {
    return new PublishTask(pk, tuple, Trouble.NONE);
  }

  /// The same after an attempt.
  public PublishTask failed(Problem problem, Instant next, String source) {
    String error = problem.code() + ": " + problem.detail();
    return new PublishTask(
        pk,
        tuple,
        new Trouble(
            trouble.attempts + 1,
            error.substring(0, Math.min(MAX_ERROR, error.length())),
            next,
            trouble.source.isEmpty() ? source : trouble.source));
  }

  public byte[] encode() {
    KeyWriter out =
        new KeyWriter()
            .string(pk)
            .signed(tuple.epoch())
            .signed(tuple.version())
            .signed(tuple.modifiedMicros());
    return trouble.attempts == 0
        ? out.toKey()
        : out.signed(trouble.attempts)
            .string(trouble.lastError)
            .instant(trouble.nextAttemptAt)
            .string(trouble.source)
            .toKey();
  }

  public static PublishTask decode(byte[] bytes) {
    KeyReader in = new KeyReader(bytes);
    String pk = in.string();
    VersionTuple tuple = new VersionTuple(in.signed(), in.signed(), in.signed());
    return new PublishTask(
        pk,
        tuple,
        in.atEnd()
            ? Trouble.NONE
            : new Trouble(Math.toIntExact(in.signed()), in.string(), in.instant(), in.string()));
  }
}
