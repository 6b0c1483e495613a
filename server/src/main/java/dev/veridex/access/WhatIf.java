package dev.veridex.access;

import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.RightsDifferences;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.StateComparison;
import dev.veridex.access.ledger.AccessIndexVersion;
import dev.veridex.access.ledger.AccessIndexWriter;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A trial of individuals: who would gain and lose which rights. Nothing is written.
public final class WhatIf {
  /// Of so many classes it tells.
  private static final int CLASSES = 100;

  private static final int MAX_RECORDS = 20_000;

  private final AccessIndexStates states;

  public WhatIf(AccessIndexStates states) {
    this.states = states;
  }

  /// The result of a what-if: the status of each input and the rights that would change.
  public record Outcome(List<AccessIndex.Result> results, RightsDifferences differences) {}

  /// Tries inputs, one after the other.
  ///
  /// @param bucket in which the resources are
  /// @throws VeridexException `OVERLOADED` while the index is not in memory
  public AtRevision<Outcome> tried(
      Namespace namespace, List<MessageInput> inputs, Optional<String> bucket, AsOf.Now moment) {
    try (AccessIndexState state = states.openInMemory(namespace, moment, true)) {
      CompiledIndex before = state.compiled().orElseThrow().index().fork();
      AccessIndexWriter writer = state.index().trial();
      List<AccessIndex.Result> results = new ArrayList<>(inputs.size());
      for (MessageInput input : inputs) {
        results.add(AccessIndex.apply(writer, input));
        if (writer.touched() > MAX_RECORDS) {
          throw new VeridexException(
              Problem.of(ErrorCode.BAD_REQUEST, "what is tried changes too many records")
                  .with("max", MAX_RECORDS));
        }
      }
      RecordChanges delta = writer.since(AccessIndexVersion.NONE, state.snapshot().now());
      CompiledIndex after = AccessIndexLoader.changed(before, delta);
      StateComparison comparison =
          new StateComparison(
              before,
              after,
              state.approvals(),
              CheckRequest.of("", "", Optional.empty(), bucket).implicit(),
              CheckRequest::folders);
      delta
          .records()
          .keySet()
          .forEach(
              id ->
                  comparison.changed(
                      AccessIndexLoader.table(id),
                      id.key().filter(),
                      id.key().object(),
                      id.subject()));
      return new AtRevision<>(
          new Outcome(results, comparison.run(CLASSES)), state.compiledRevision());
    }
  }
}
