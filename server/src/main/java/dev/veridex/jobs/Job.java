package dev.veridex.jobs;

import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// A piece of long work as it is stored.
///
/// @param problem the reason why it failed
public record Job(
    String id,
    Origin origin,
    Instant updatedAt,
    State state,
    Work work,
    Lease lease,
    Optional<Problem> problem) {

  /// The order that a job carries out.
  ///
  /// @param kind the name of what knows how to do it
  /// @param incarnation of the scope when it was started
  /// @param startedBy the id of the token that started it
  /// @param essential whether it has to be done some day, so that nobody may cancel it
  /// @param request the order in the terms of its kind
  public record Origin(
      String kind,
      Scope scope,
      long incarnation,
      String startedBy,
      Instant createdAt,
      boolean essential,
      ObjectNode request) {}

  /// The state of a job.
  public enum State {
    QUEUED("queued"),
    RUNNING("running"),
    PAUSED("paused"),
    CANCELLED("cancelled"),
    DONE("done"),
    FAILED("failed");

    private final String text;

    State(String text) {
      this.text = text;
    }

    /// Its name in requests, answers and records.
    public String text() {
      return text;
    }

    /// Whether nothing more happens.
    public boolean isOver() {
      return this == CANCELLED || this == DONE || this == FAILED;
    }
  }

  /// The work done so far.
  ///
  /// @param done the number of pieces done, in the unit of its kind
  /// @param total the number of all of them; absent while nobody knows
  /// @param position the start of the next step, in the terms of its kind
  /// @param result the outcome so far; once the job is over, of all of it
  public record Work(long done, Optional<Long> total, ObjectNode position, ObjectNode result) {}

  /// The right to work on a job, for one worker at a time.
  ///
  /// @param fence a number that grows with every worker that takes the job: a step of an earlier
  ///   one is void
  record Lease(String holder, long fence, Instant until) {
    static final Lease FREE = new Lease("", 0, Instant.EPOCH);

    boolean isHeld(Instant now) {
      return until.isAfter(now);
    }

    /// The same for nobody: who held it notices at the next step.
    Lease revoked() {
      return new Lease("", fence + 1, Instant.EPOCH);
    }
  }

  /// The name of its kind.
  public String kind() {
    return origin.kind;
  }

  /// The scope that it is about.
  public Scope scope() {
    return origin.scope;
  }

  /// The order that it carries out.
  public ObjectNode request() {
    return origin.request;
  }

  /// The same after a step of a worker.
  Job after(Work newWork, State newState, Lease newLease, Instant now) {
    return new Job(id, origin, now, newState, newWork, newLease, problem);
  }

  /// The same in another state, with nobody at work.
  Job stopped(State newState, Optional<Problem> why, Instant now) {
    return new Job(id, origin, now, newState, work, lease.revoked(), why);
  }
}
