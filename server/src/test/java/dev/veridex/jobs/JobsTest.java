package dev.veridex.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.MintResult;
import dev.veridex.identity.Token;
import dev.veridex.identity.TokenRequest;
import dev.veridex.identity.Tokens;
import dev.veridex.jobs.HeldJob.Worker;
import dev.veridex.jobs.Job.State;
import dev.veridex.records.Incarnations;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.CrashingStore;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Jobs are done once, step by step, by one worker at a time, whatever happens in between.
final class JobsTest {
  private static final Scope ACME = new Scope.Tenant("acme");
  private static final byte[] COUNTED = "counted".getBytes(StandardCharsets.UTF_8);

  private final MutableClock clock = MutableClock.daysAgo(0);
  private final Random random = new Random(1);
  private final Store store =
      new MemoryStore(new MemoryDisk(random), clock, Duration.ofHours(1), Duration.ofDays(7));
  private final AuditLog audit = new AuditLog(Incarnations.FIRST);
  private final Jobs jobs = new Jobs(store, audit, Incarnations.FIRST, random);
  private final Token root =
      new Tokens(store, audit, Incarnations.FIRST, random).adoptRoot("the root of this test");

  /// Counts up to a number, one a step, in a record of its own.
  private record Counting(Consumer<Job> before) implements JobKind.Stepwise {
    @Override
    public String name() {
      return "count";
    }

    @Override
    public Step step(Transaction transaction, Job job, int attempt) {
      before.accept(job);
      byte[] key =
          (new String(COUNTED, StandardCharsets.UTF_8) + job.id()).getBytes(StandardCharsets.UTF_8);
      int counted = transaction.get(key).map(bytes -> bytes.length).orElse(0) + 1;
      transaction.put(key, new byte[counted]);
      return Step.of(
          new Job.Work(
              counted,
              job.work().total(),
              JsonRecord.object().put("at", counted),
              JsonRecord.object().put("counted", counted)),
          counted == job.request().get("to").asInt());
    }
  }

  private JobRunner worker(String process, boolean alone, Consumer<Job> before) {
    return new JobRunner(store, List.of(new Counting(before)), new Worker(process, "steps", alone));
  }

  private JobRunner worker(String process) {
    return worker(process, false, _ -> {});
  }

  private Job start(int to) {
    return store
        .transact(
            transaction ->
                jobs.start(
                    transaction,
                    root,
                    new Jobs.JobStart(
                        "count", ACME, JsonRecord.object().put("to", to), Optional.of((long) to))))
        .result();
  }

  private Job find(Job job) {
    return jobs.find(root, job.id());
  }

  @Test
  void aJobIsDoneStepByStepAndSaysHowFarItIs() {
    Job job = start(3);
    JobRunner worker = worker("a");
    assertThat(worker.runOnce()).isTrue();
    assertThat(find(job).state()).isEqualTo(State.RUNNING);
    assertThat(find(job).work().done()).isEqualTo(1);
    assertThat(find(job).work().total()).contains(3L);
    worker.runAll();
    assertThat(find(job).state()).isEqualTo(State.DONE);
    assertThat(find(job).work().result().get("counted").asInt()).isEqualTo(3);
    assertThat(worker.runOnce()).as("nothing more to do").isFalse();
  }

  @Test
  void aJobThatIsOverIsForgottenAfterAWeek() {
    Job job = start(1);
    worker("a").runAll();
    clock.advance(Duration.ofDays(7).minusSeconds(1));
    assertThat(find(job).state()).isEqualTo(State.DONE);
    clock.advance(Duration.ofSeconds(1));
    assertThatThrownBy(() -> find(job)).isInstanceOf(VeridexException.class);
    assertThat(jobs.list(ACME, Optional.empty(), 10).items()).isEmpty();
  }

  @Test
  void jobsTakeTurns() {
    Job one = start(100);
    Job other = start(101);
    JobRunner worker = worker("a");
    for (int i = 0; i < 20; i++) {
      worker.runOnce();
    }
    assertThat(find(one).work().done()).isEqualTo(10);
    assertThat(find(other).work().done()).isEqualTo(10);
  }

  @Test
  void twoWorkersNeverWorkOnTheSame() {
    Job job = start(10);
    JobRunner first = worker("a");
    JobRunner second = worker("b");
    assertThat(first.runOnce()).isTrue();
    assertThat(second.runOnce()).as("the first one has it").isFalse();
    clock.advance(Duration.ofSeconds(29));
    assertThat(second.runOnce()).isFalse();
    assertThat(first.runOnce()).as("each step keeps it").isTrue();
    clock.advance(Duration.ofSeconds(29));
    assertThat(second.runOnce()).isFalse();
    clock.advance(Duration.ofSeconds(1));
    assertThat(second.runOnce()).as("the first one is not heard of any more").isTrue();
    assertThat(first.runOnce()).as("now the second one has it").isFalse();
    assertThat(find(job).work().done()).isEqualTo(3);
  }

  @Test
  void whoSleptInTheMiddleOfAStepAndWakesUpAfterAnotherHasTakenOverHasDoneNothing() {
    Job job = start(10);
    JobRunner second = worker("b");
    List<Long> seen = new ArrayList<>();
    JobRunner first =
        worker(
            "a",
            false,
            mine -> {
              seen.add(mine.lease().fence());
              if (seen.size() == 2) {
                clock.advance(Duration.ofMinutes(1));
                assertThat(second.runOnce()).isTrue();
              }
            });
    first.runOnce();
    assertThat(find(job).lease().holder()).startsWith("a/");
    first.runOnce();
    assertThat(find(job).lease().holder()).as("the step of the first is void").startsWith("b/");
    assertThat(find(job).work().done()).isEqualTo(2);
    assertThat(find(job).lease().fence()).isEqualTo(2);
  }

  /// The work of a kind that goes on for several transactions ends with the first one after another
  /// worker has taken over.
  @Test
  void longWorkIsFencedToo() {
    Job job = start(10);
    JobRunner second = worker("b");
    List<Long> committed = new ArrayList<>();
    JobKind whole =
        new JobKind() {
          @Override
          public String name() {
            return "count";
          }

          @Override
          public void work(HeldJob held) {
            Counting steps = new Counting(_ -> {});
            for (int i = 0; i < 3; i++) {
              committed.add(held.commit(steps::step).lease().fence());
              if (i == 1) {
                clock.advance(Duration.ofMinutes(1));
                second.runOnce();
                clock.advance(Duration.ofMinutes(1));
              }
            }
          }
        };
    new JobRunner(store, List.of(whole), new Worker("a", "steps", false)).runOnce();
    assertThat(committed).containsExactly(1L, 1L);
    assertThat(find(job).lease().holder()).as("though its time is over, too").startsWith("b/");
    assertThat(find(job).work().done()).isEqualTo(3);
  }

  @Test
  void theOnlyProcessTakesOverAtOnceWhatTheOneBeforeHeld() {
    Job job = start(10);
    worker("before").runOnce();
    assertThat(worker("other").runOnce()).isFalse();
    assertThat(worker("now", true, _ -> {}).runOnce()).isTrue();
    assertThat(find(job).work().done()).isEqualTo(2);
  }

  @Test
  void whereverTheProcessDiesEachStepIsDoneOnce() {
    for (int dying = 0; dying < 12; dying++) {
      Job job = start(4 + dying);
      int[] left = {dying};
      CrashingStore crashing = new CrashingStore(store, () -> left[0]-- == 0);
      try {
        new JobRunner(
                crashing, List.of(new Counting(_ -> {})), new Worker("p" + dying, "steps", true))
            .runAll();
      } catch (CrashingStore.Crash e) {
        assertThat(left[0]).isNegative();
      }
      worker("q" + dying, true, _ -> {}).runAll();
      assertThat(find(job).state()).isEqualTo(State.DONE);
      assertThat(find(job).work().done()).isEqualTo(4 + dying);
    }
  }

  @Test
  void aPausedJobStandsStillAndGoesOnWhereItWas() {
    Job job = start(5);
    JobRunner worker = worker("a");
    worker.runOnce();
    jobs.pause(root, job.id());
    assertThat(find(job).state()).isEqualTo(State.PAUSED);
    assertThat(worker.runOnce()).isFalse();
    jobs.resume(root, job.id());
    worker.runAll();
    assertThat(find(job).state()).isEqualTo(State.DONE);
    assertThat(find(job).work().done()).isEqualTo(5);
    assertThat(jobs.pause(root, job.id()).result().state()).as("it is over").isEqualTo(State.DONE);
  }

  @Test
  void aCancelledJobKeepsWhatItHasDone() {
    Job job = start(5);
    JobRunner worker = worker("a");
    worker.runOnce();
    worker.runOnce();
    jobs.cancel(root, job.id());
    assertThat(worker.runOnce()).isFalse();
    assertThat(find(job).state()).isEqualTo(State.CANCELLED);
    assertThat(find(job).work().result().get("counted").asInt()).isEqualTo(2);
  }

  @Test
  void whatHasToBeDoneCannotBeCancelled() {
    Job job =
        store
            .transact(
                transaction ->
                    jobs.order(
                        transaction,
                        new Jobs.JobStart(
                            "count", ACME, JsonRecord.object().put("to", 2), Optional.empty()),
                        0,
                        root.id()))
            .result();
    assertThatThrownBy(() -> jobs.cancel(root, job.id()))
        .isInstanceOfSatisfying(
            VeridexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    assertThat(jobs.pause(root, job.id()).result().state()).isEqualTo(State.PAUSED);
  }

  @Test
  void aFailureEndsAJobAndSaysWhy() {
    Job job = start(5);
    JobRunner worker =
        worker(
            "a",
            false,
            mine -> {
              if (mine.work().done() == 2) {
                throw new VeridexException(Problem.of(ErrorCode.GONE, "It is gone."));
              }
            });
    worker.runAll();
    assertThat(find(job).state()).isEqualTo(State.FAILED);
    assertThat(find(job).problem().map(Problem::code)).contains(ErrorCode.GONE);
    assertThat(find(job).work().done()).isEqualTo(2);
  }

  @Test
  void whatMaySucceedLaterIsTriedAgainAfterAWhileAndKeepsNobodyWaiting() {
    Job failing = start(5);
    Job other = start(3);
    boolean[] full = {true};
    JobRunner worker =
        worker(
            "a",
            false,
            mine -> {
              if (full[0] && mine.id().equals(failing.id())) {
                throw new VeridexException(Problem.of(ErrorCode.UNAVAILABLE, "The disk is full."));
              }
            });
    for (int i = 0; i < 5; i++) {
      worker.runAll();
    }
    assertThat(find(other).state()).isEqualTo(State.DONE);
    assertThat(find(failing).state()).isEqualTo(State.QUEUED);
    full[0] = false;
    clock.advance(Duration.ofSeconds(2));
    worker.runAll();
    assertThat(find(failing).state()).isEqualTo(State.DONE);
  }

  @Test
  void aScopeHasAFewJobsAtATimeAndNoneTwice() {
    Job first = start(1000);
    assertThatThrownBy(() -> start(1000))
        .isInstanceOfSatisfying(
            VeridexException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
              assertThat(e.problem().values()).containsEntry("job", first.id());
            });
    for (int i = 1; i < Jobs.MAX_OPEN; i++) {
      start(i);
    }
    assertThatThrownBy(() -> start(2000))
        .isInstanceOfSatisfying(
            VeridexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
    worker("a").runAll();
    start(2000);
  }

  @Test
  void jobsAreListedNewestFirstPageByPage() {
    List<String> started = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      clock.advance(Duration.ofSeconds(1));
      started.addFirst(start(i + 1).id());
    }
    List<String> listed = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      Page<Job> page = jobs.list(ACME, cursor, 3);
      page.items().forEach(job -> listed.add(job.id()));
      cursor = page.cursor();
    } while (cursor.isPresent());
    assertThat(listed).isEqualTo(started);
    assertThat(jobs.list(new Scope.Tenant("acme-corp"), Optional.empty(), 10).items()).isEmpty();
  }

  @Test
  void othersHearNothingOfAJob() {
    Job job = start(5);
    Tokens tokens = new Tokens(store, audit, Incarnations.FIRST, random);
    MintResult minted = tokens.mint(root, TokenRequest.plain(new Scope.Tenant("other")));
    Token stranger = ((MintResult.Minted) minted).token();
    assertThatThrownBy(() -> jobs.find(stranger, job.id()))
        .isInstanceOfSatisfying(
            VeridexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    assertThatThrownBy(() -> jobs.cancel(stranger, job.id())).isInstanceOf(VeridexException.class);
  }
}
