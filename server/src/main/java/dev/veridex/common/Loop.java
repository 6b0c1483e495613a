package dev.veridex.common;

import static java.lang.System.Logger.Level.ERROR;
import static java.lang.System.Logger.Level.WARNING;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Owns a thread that runs an [Agent] again and again, with a rest in between.
///
/// A run that fails is told to the log, and the next one comes all the same.
public final class Loop implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Loop.class.getName());

  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final CountDownLatch stop = new CountDownLatch(1);
  private final Thread thread;

  private Loop(String name, Agent agent, Duration rest) {
    // A platform thread: agents spend long times in native code, where a virtual thread would keep
    // a carrier from requests.
    thread =
        Thread.ofPlatform().name("veridex-" + name).daemon(true).unstarted(() -> run(agent, rest));
  }

  public static Loop start(String name, Agent agent, Duration rest) {
    Loop loop = new Loop(name, agent, rest);
    loop.thread.start();
    return loop;
  }

  private void run(Agent agent, Duration rest) {
    try {
      do {
        runOnce(agent);
      } while (!stop.await(rest.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void runOnce(Agent agent) {
    try {
      agent.runOnce();
    } catch (RuntimeException | Error e) {
      tell(e);
    }
  }

  private static void tell(Throwable failure) {
    try {
      LOG.log(ERROR, "background work failed, it will be tried again", failure);
    } catch (RuntimeException | Error e) {
      // Out of memory, most likely. The work goes on, whether anybody hears of it or not.
    }
  }

  /// Lets no further run begin.
  public void stop() {
    stop.countDown();
  }

  /// Waits a while for a run that is under way, and ends. A run that does not come to its end is
  /// left behind: it must not keep the process from ending.
  @Override
  public void close() {
    stop();
    try {
      if (!thread.join(PATIENCE)) {
        LOG.log(WARNING, "background work was left behind: " + thread.getName());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
