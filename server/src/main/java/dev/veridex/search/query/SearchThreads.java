package dev.veridex.search.query;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.search.indexing.IndexerPool;
import dev.veridex.search.indexing.OpenedIndex;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/// The thread pool on which index searches run.
record SearchThreads(ExecutorService threads, IndexerPool indexers) {
  /// Begins to ask an index. Whoever finds it damaged says so.
  <T> Supplier<T> ask(OpenedIndex source, Callable<T> question) {
    Future<T> answer = threads.submit(question);
    return () -> {
      try {
        return answer.get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new VeridexException(
            Problem.of(ErrorCode.UNAVAILABLE, "the search was interrupted"), e);
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case DamagedIndexException damaged -> {
            indexers.reportDamage(source);
            throw damaged;
          }
          case VeridexException known -> throw known;
          case RuntimeException unknown -> {
            indexers.requestDamageScan(source);
            throw unknown;
          }
          // What is read as a length where it is none can take all memory.
          case Error unknown -> {
            indexers.requestDamageScan(source);
            throw unknown;
          }
          case null, default -> throw new IllegalStateException(e);
        }
      }
    };
  }
}
