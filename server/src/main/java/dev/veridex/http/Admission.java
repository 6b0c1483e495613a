package dev.veridex.http;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// Admission control: limits of requests and bytes of bodies in flight. What is beyond is refused
/// at once, so that what was admitted gets done.
public final class Admission {
  private static final int OF_ALL = 4;
  private static final int OF_AN_ACCOUNT = 32;

  private final int maxRequests;
  private final long maxBodyBytes;
  private final Semaphore requests;
  private final AtomicLong bodyBytes = new AtomicLong();
  private final AtomicLong answerBytes = new AtomicLong();
  private final Map<String, Integer> streams = new ConcurrentHashMap<>();
  private final AtomicInteger allStreams = new AtomicInteger();
  private volatile boolean stopping;

  public Admission(int maxRequests, long maxBodyBytes) {
    this.maxRequests = maxRequests;
    this.maxBodyBytes = maxBodyBytes;
    this.requests = new Semaphore(maxRequests);
  }

  /// Lets a request in; [#leave] lets it out.
  ///
  /// @throws VeridexException `OVERLOADED`, `STOPPING`
  void enter() {
    if (stopping) {
      throw refused(ErrorCode.STOPPING, "the server is about to stop");
    }
    if (!requests.tryAcquire()) {
      throw refused(ErrorCode.OVERLOADED, "the server has too much to do");
    }
    // Looked at again inside: whoever is in is waited for, and nobody comes in after that.
    if (stopping) {
      requests.release();
      throw refused(ErrorCode.STOPPING, "the server is about to stop");
    }
  }

  void leave() {
    requests.release();
  }

  /// Lets a request in that may go on for ever; [#leaveStream] lets it out. They take up no more
  /// than a part of the slots, and those of one account no more than a part of that.
  ///
  /// @throws VeridexException `OVERLOADED`
  void enterStream(String account) {
    int own = streams.merge(account, 1, Integer::sum);
    int all = allStreams.incrementAndGet();
    if (own > Math.max(1, maxRequests / OF_AN_ACCOUNT) || all > Math.max(1, maxRequests / OF_ALL)) {
      leaveStream(account);
      throw refused(ErrorCode.OVERLOADED, "too many streams are open");
    }
  }

  void leaveStream(String account) {
    allStreams.decrementAndGet();
    streams.computeIfPresent(account, (_, count) -> count == 1 ? null : count - 1);
  }

  /// Sets memory for a body aside; [#release] gives it back.
  ///
  /// @throws VeridexException `OVERLOADED`
  void reserve(long bytes) {
    if (bodyBytes.addAndGet(bytes) > maxBodyBytes) {
      bodyBytes.addAndGet(-bytes);
      throw refused(ErrorCode.OVERLOADED, "the server has too many large requests in hand");
    }
  }

  void release(long bytes) {
    bodyBytes.addAndGet(-bytes);
  }

  /// Sets memory for an answer aside; [#releaseAnswer] gives it back. Apart from that for bodies:
  /// clients who do not take their answers must not keep others from sending.
  ///
  /// @throws VeridexException `OVERLOADED`
  void reserveAnswer(long bytes) {
    if (answerBytes.addAndGet(bytes) > maxBodyBytes) {
      answerBytes.addAndGet(-bytes);
      throw refused(ErrorCode.OVERLOADED, "the server has too many large answers in hand");
    }
  }

  void releaseAnswer(long bytes) {
    answerBytes.addAndGet(-bytes);
  }

  public boolean isStopping() {
    return stopping;
  }

  public int inFlight() {
    return maxRequests - requests.availablePermits();
  }

  /// Lets nobody new in and waits for those inside.
  ///
  /// @return whether all of them left in time
  public boolean stop(Duration within) {
    stopping = true;
    try {
      return requests.tryAcquire(maxRequests, within.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static VeridexException refused(ErrorCode code, String detail) {
    return new VeridexException(Problem.of(code, detail));
  }
}
