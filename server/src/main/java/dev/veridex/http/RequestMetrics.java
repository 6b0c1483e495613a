package dev.veridex.http;

import static java.lang.System.Logger.Level.ERROR;
import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Token;
import dev.veridex.metrics.MetricCounter;
import dev.veridex.metrics.Metrics;
import dev.veridex.metrics.Timer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Metrics and log lines of requests.
final class RequestMetrics {
  private final AccessLog accessLog;
  private final Metrics metrics;
  private final InstantSource clock;
  private final System.Logger log;
  private final Map<Series, MetricCounter> requests = new ConcurrentHashMap<>();
  private final Map<String, Timer> timers = new ConcurrentHashMap<>();

  private record Series(String operation, int status) {}

  RequestMetrics(AccessLog accessLog, Metrics metrics, InstantSource clock, System.Logger log) {
    this.accessLog = accessLog;
    this.metrics = metrics;
    this.clock = clock;
    this.log = log;
  }

  Passage begin(Exchange exchange, TraceContext trace) {
    return new Passage(exchange, trace, clock.instant(), System.nanoTime());
  }

  /// The course of one request.
  final class Passage {
    private final Exchange exchange;
    private final TraceContext trace;
    private final Instant time;
    private final long startNanos;
    private String operation = "none";
    private Optional<String> token = Optional.empty();
    private boolean admitted;
    private long reserved;
    private final List<Runnable> closing = new ArrayList<>();
    private int status;

    private Passage(Exchange exchange, TraceContext trace, Instant time, long startNanos) {
      this.exchange = exchange;
      this.trace = trace;
      this.time = time;
      this.startNanos = startNanos;
    }

    void at(String routeOperation) {
      operation = routeOperation;
    }

    void by(Token caller) {
      token = Optional.of(caller.id());
    }

    Response refused(VeridexException e) {
      if (Problems.status(e.code()) >= 500 && e.code() != ErrorCode.OVERLOADED) {
        log.log(
            WARNING, "%s answers %s (trace=%s)".formatted(operation, e.code(), trace.traceId()), e);
      }
      // What a fault of ours has to say is for the log.
      return Problems.response(
          Problems.status(e.code()) == 500
              ? Problem.of(e.code(), "the server failed, its log says more")
                  .with("trace", trace.traceId())
              : e.problem());
    }

    Response failed(Throwable e) {
      log.log(ERROR, "%s failed (trace=%s)".formatted(operation, trace.traceId()), e);
      return Problems.response(
          Problem.of(ErrorCode.INTERNAL, "the server failed, its log says more")
              .with("trace", trace.traceId()));
    }

    void admitted() {
      admitted = true;
    }

    boolean isAdmitted() {
      return admitted;
    }

    /// Memory was set aside for its answer.
    void reserved(long more) {
      reserved += more;
    }

    /// Has something closed when the request is done with.
    void closeAtEnd(Runnable close) {
      closing.add(close);
    }

    void close() {
      closing.forEach(Runnable::run);
    }

    long reserved() {
      return reserved;
    }

    void answered(int with) {
      status = with;
    }

    void end() {
      long nanos = System.nanoTime() - startNanos;
      requests.computeIfAbsent(new Series(operation, status), RequestMetrics.this::counter).add();
      timers.computeIfAbsent(operation, RequestMetrics.this::timer).record(nanos);
      accessLog.write(
          new AccessLog.Line(
              time,
              exchange.method(),
              exchange.target(),
              status,
              nanos,
              exchange.remoteAddress(),
              token,
              trace));
    }
  }

  private MetricCounter counter(Series seen) {
    return metrics.counter(
        "veridex_http_requests_total",
        "Requests by operation and status",
        Map.of("operation", seen.operation, "status", String.valueOf(seen.status)));
  }

  private Timer timer(String operation) {
    return metrics.timer(
        "veridex_http_request_seconds", "How long requests took", Map.of("operation", operation));
  }
}
