package dev.veridex.http.routes;

import dev.veridex.common.VeridexException;
import dev.veridex.http.Problems;
import dev.veridex.json.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Work that takes minutes, one task after the other.
///
/// It spends them inside the engine's native code, where a virtual thread would keep one of the few
/// carriers from all other requests; so it has a thread of its own.
///
/// @param thread a platform thread
public record LongRunningWork(ExecutorService thread) {

  /// Does something there and waits for it.
  public <T> T await(Callable<T> work) {
    Future<T> future = thread.submit(work);
    try {
      return future.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException fault -> throw fault;
        case Error fault -> throw fault;
        case null, default -> throw new IllegalStateException(e.getCause());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for long work", e);
    }
  }

  /// The last line of a streamed answer: what long work came to, or the problem, which nothing else
  /// can tell any more.
  public static byte[] last(Supplier<byte[]> work) {
    try {
      return work.get();
    } catch (VeridexException e) {
      ObjectNode line = JsonNodeFactory.instance.objectNode();
      line.set("problem", Problems.json(e.problem()));
      return JsonText.write(line);
    }
  }

  /// Sends a line at once.
  public static void write(OutputStream out, byte[] line) {
    try {
      out.write(line);
      out.write('\n');
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
