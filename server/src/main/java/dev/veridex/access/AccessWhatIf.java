package dev.veridex.access;

import dev.veridex.access.compiled.Comparison;
import dev.veridex.access.compiled.Comparison.Differences;
import dev.veridex.access.compiled.Compiled;
import dev.veridex.accounts.Place;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Tells who would gain and lose which rights if individuals were stated. Nothing is written.
public final class AccessWhatIf {
  /// Of so many classes it tells.
  private static final int CLASSES = 100;

  private static final int MAX_RECORDS = 20_000;

  private final AccessStates states;

  public AccessWhatIf(AccessStates states) {
    this.states = states;
  }

  /// What would become of the inputs, and of rights.
  public record Outcome(List<AccessIndex.Result> results, Differences differences) {}

  /// Tries inputs, one after the other.
  ///
  /// @param bucket in which the resources are
  /// @throws VeridexException `OVERLOADED` while the index is not in memory
  public At<Outcome> tried(
      Place place, List<Input> inputs, Optional<String> bucket, Moment.Now moment) {
    try (AccessState state = states.openInMemory(place, moment, true)) {
      Compiled before = state.compiled().orElseThrow().fork();
      IndexWriter writer = state.index().trial();
      List<AccessIndex.Result> results = new ArrayList<>(inputs.size());
      for (Input input : inputs) {
        results.add(AccessIndex.apply(writer, input));
        if (writer.touched() > MAX_RECORDS) {
          throw new VeridexException(
              Problem.of(ErrorCode.BAD_REQUEST, "what is tried changes too many records")
                  .with("max", MAX_RECORDS));
        }
      }
      Delta delta = writer.since(Version.NONE);
      Compiled after = delta.applyTo(before);
      Comparison comparison =
          new Comparison(
              before,
              after,
              Question.of("", "", Optional.empty(), bucket).implicit(),
              Question::folders);
      delta
          .records()
          .keySet()
          .forEach(
              id ->
                  comparison.changed(
                      Delta.table(id), id.key().filter(), id.key().object(), id.subject()));
      return new At<>(new Outcome(results, comparison.run(CLASSES)), state.compiledRevision());
    }
  }
}
