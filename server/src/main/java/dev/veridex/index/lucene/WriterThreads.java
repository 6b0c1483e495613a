package dev.veridex.index.lucene;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/// Threads that write documents side by side: taking texts apart is most of the work, and Lucene
/// lets any number of threads do it.
final class WriterThreads implements AutoCloseable {
  /// Each writes a segment of its own; for fewer documents that costs more than it gains.
  private static final int DOCUMENTS_EACH = 100;

  private final int size;
  private final ExecutorService helpers =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().name("veridex-index-", 0).daemon(true).factory());

  /// @param size how many write at the same time, the caller included
  WriterThreads(int size) {
    this.size = size;
  }

  /// Does something with one of many.
  @FunctionalInterface
  interface Work<T> {
    void run(T one) throws IOException;
  }

  /// Does it with all of them, and returns when nobody is at work any more.
  ///
  /// @throws IOException what somebody threw; some are not done then
  <T> void each(List<T> all, Work<T> work) throws IOException {
    AtomicInteger next = new AtomicInteger();
    Runnable taking =
        () -> {
          try {
            for (int i = next.getAndIncrement(); i < all.size(); i = next.getAndIncrement()) {
              work.run(all.get(i));
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } finally {
            // After a failure nobody begins another one.
            next.set(all.size());
          }
        };
    int helping = Math.min(size, all.size() / DOCUMENTS_EACH) - 1;
    List<CompletableFuture<Void>> parts = new ArrayList<>();
    for (int i = 0; i < helping; i++) {
      parts.add(CompletableFuture.runAsync(taking, this::help));
    }
    parts.add(CompletableFuture.runAsync(taking, Runnable::run));
    try {
      CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new)).join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case UncheckedIOException unchecked -> throw unchecked.getCause();
        case RuntimeException unchecked -> throw unchecked;
        case Error error -> throw error;
        case null, default -> throw e;
      }
    }
  }

  /// Where no thread can be had, nobody helps: whoever asked does it all.
  private void help(Runnable work) {
    try {
      helpers.execute(work);
    } catch (OutOfMemoryError | RejectedExecutionException e) {
      work.run();
    }
  }

  @Override
  public void close() {
    helpers.shutdown();
  }
}
