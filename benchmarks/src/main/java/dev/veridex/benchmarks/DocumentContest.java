package dev.veridex.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/// Takes turns between those who take the same documents, round by round, so that all of them see
/// the same machine, and tells how each did against the first.
final class DocumentContest {
  /// What one leaves to be compacted is not to slow down the next.
  private static final Duration QUIET = Duration.ofMillis(250);

  private DocumentContest() {}

  /// How a contender is let run.
  interface Running {
    /// @return documents a second; the times are those of a call
    Driver.Result run(int workers, int round);
  }

  /// Who takes documents.
  ///
  /// @param transactions how many it has committed so far, if it tells
  record Contender(String name, Running running, Optional<LongSupplier> transactions) {
    /// One whose calls take some documents each.
    static Contender calls(String name, int documents, boolean virtual, Runnable call) {
      return new Contender(
          name,
          (workers, round) ->
              times(documents, Driver.drive(workers, round, _ -> _ -> call.run(), virtual)),
          Optional.empty());
    }

    Contender telling(LongSupplier count) {
      return new Contender(name, running, Optional.of(count));
    }
  }

  /// What came out for a contender.
  ///
  /// @param each documents in a transaction
  record Outcome(String name, Driver.Result median, Optional<Double> each) {}

  static Driver.Result times(int documents, Driver.Result calls) {
    return new Driver.Result(calls.perSecond() * documents, calls.p50Micros(), calls.p99Micros());
  }

  static void header(String inFlight, String reference) {
    System.out.printf(
        "%n| who | %s | documents/s | p50/p99 µs of a call | documents a transaction | against %s |%n",
        inFlight, reference);
    System.out.println("|---|---:|---:|---:|---:|---:|");
  }

  /// Lets all run in turn, and prints a line for each.
  static List<Outcome> compare(int workers, List<Contender> contenders) {
    List<List<Driver.Result>> results = new ArrayList<>();
    long[] documents = new long[contenders.size()];
    long[] transactions = new long[contenders.size()];
    contenders.forEach(_ -> results.add(new ArrayList<>()));
    for (int round = 0; round <= Driver.ROUNDS; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        Contender contender = contenders.get(i);
        DocumentDisk.settled(QUIET);
        long taken = DocumentData.taken();
        long before = contender.transactions.map(LongSupplier::getAsLong).orElse(0L);
        Driver.Result result = contender.running.run(workers, round);
        if (round > 0) { // The first warms up.
          results.get(i).add(result);
          documents[i] += DocumentData.taken() - taken;
          transactions[i] +=
              contender.transactions.map(LongSupplier::getAsLong).orElse(0L) - before;
        }
      }
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < contenders.size(); i++) {
      Optional<Double> each =
          transactions[i] == 0
              ? Optional.empty()
              : Optional.of((double) documents[i] / transactions[i]);
      outcomes.add(new Outcome(contenders.get(i).name, Driver.median(results.get(i)), each));
    }
    outcomes.forEach(outcome -> print(outcome, workers, outcomes.getFirst()));
    return outcomes;
  }

  private static void print(Outcome outcome, int workers, Outcome reference) {
    Driver.Result median = outcome.median;
    System.out.printf(
        "| %s | %d | %,.0f | %s | %s | %.2f |%n",
        outcome.name,
        workers,
        median.perSecond(),
        median.p50Micros() < 0 ? "–" : median.p50Micros() + " / " + median.p99Micros(),
        outcome.each.map("%.0f"::formatted).orElse("–"),
        median.perSecond() / reference.median.perSecond());
  }

  /// Says how a figure stands to what it should be.
  static void goal(String what, double figure, boolean atLeast, double goal) {
    boolean met = atLeast ? figure >= goal : figure <= goal;
    System.out.printf(
        "%s: %.2f (goal: at %s %.2f, %s)%n",
        what, figure, atLeast ? "least" : "most", goal, met ? "met" : "missed");
  }
}
