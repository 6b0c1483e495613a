package dev.veridex.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/// Many workers that do the same thing as often as they can for a while, and how long each took.
final class Driver {
  static final int ROUNDS = Integer.getInteger("rounds", 3);
  static final long ROUND_NANOS = Integer.getInteger("seconds", 4) * 1_000_000_000L;

  private Driver() {}

  record Result(double perSecond, long p50Micros, long p99Micros) {}

  /// Runs workers for a round.
  ///
  /// @param work what each worker does, given its number; called with a number that never comes
  ///   twice
  /// @param virtual whether workers are virtual threads, as in the server, or platform threads,
  ///   which calls into native code would hold anyway
  static Result drive(int workers, int round, IntFunction<LongConsumer> work, boolean virtual) {
    CountDownLatch start = new CountDownLatch(1);
    long[][] latencies = new long[workers][];
    List<Thread> threads = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      int number = worker;
      LongConsumer own = work.apply(number);
      Runnable running =
          () ->
              latencies[number] =
                  workForARound(start, ((long) round * workers + number) << 24, own);
      threads.add(virtual ? Thread.ofVirtual().start(running) : Thread.ofPlatform().start(running));
    }
    long begin = System.nanoTime();
    start.countDown();
    threads.forEach(Driver::join);
    double seconds = (System.nanoTime() - begin) / 1e9;
    long[] all = Arrays.stream(latencies).flatMapToLong(Arrays::stream).sorted().toArray();
    return new Result(
        all.length / seconds,
        all[all.length / 2] / 1000,
        all[(int) (all.length * 99L / 100)] / 1000);
  }

  /// Lets workers do the same once, and waits for all of them.
  static void inParallel(int workers, Runnable work) {
    List<Thread> threads = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      threads.add(Thread.startVirtualThread(work));
    }
    threads.forEach(Driver::join);
  }

  private static long[] workForARound(CountDownLatch start, long first, LongConsumer work) {
    try {
      start.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    long[] latencies = new long[1 << 16];
    int count = 0;
    long begin = System.nanoTime();
    long before = begin;
    while (before - begin < ROUND_NANOS) {
      work.accept(first + count);
      long after = System.nanoTime();
      if (count == latencies.length) {
        latencies = Arrays.copyOf(latencies, 2 * count);
      }
      latencies[count++] = after - before;
      before = after;
    }
    return Arrays.copyOf(latencies, count);
  }

  static Result median(List<Result> results) {
    List<Result> sorted =
        results.stream()
            .sorted((one, other) -> Double.compare(one.perSecond, other.perSecond))
            .toList();
    return sorted.get(sorted.size() / 2);
  }

  static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
