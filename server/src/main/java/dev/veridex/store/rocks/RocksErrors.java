package dev.veridex.store.rocks;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.store.StoreException;
import java.nio.file.Path;
import java.util.List;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/// Translates RocksDB errors into `StoreException`; the original message, which names files,
/// becomes the cause.
final class RocksErrors {
  private RocksErrors() {}

  static StoreException translate(RocksDBException e) {
    Problem problem =
        isCorruption(e)
            ? damage()
            : Problem.of(ErrorCode.UNAVAILABLE, "the storage engine cannot do this now");
    return new StoreException(problem.with("engine", String.valueOf(e.getMessage())), e);
  }

  /// As [#translate], for an engine that could not be opened.
  ///
  /// @param logs its log files: it does not say itself which of them it cannot read
  static StoreException translateOpening(RocksDBException e, List<Path> logs) {
    Status status = e.getStatus();
    boolean missing =
        status != null
            && (status.getCode() == Status.Code.InvalidArgument
                || status.getCode() == Status.Code.NotFound
                || String.valueOf(e.getMessage()).contains("No such file"));
    if (!missing && !isCorruption(e)) {
      return translate(e);
    }
    Problem problem = damage().with("engine", String.valueOf(e.getMessage())).with("logs", logs);
    return new StoreException(problem, e);
  }

  /// The problem as which every kind of damage is reported.
  static Problem damage() {
    return Problem.of(ErrorCode.CORRUPT_STORE, "a file of the store is damaged or missing");
  }

  private static boolean isCorruption(RocksDBException e) {
    Status status = e.getStatus();
    return status != null && status.getCode() == Status.Code.Corruption;
  }
}
