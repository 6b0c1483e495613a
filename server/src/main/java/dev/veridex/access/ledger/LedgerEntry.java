package dev.veridex.access.ledger;

import dev.veridex.access.statement.Individual;
import dev.veridex.access.statement.Op;
import java.util.Arrays;
import java.util.Optional;

/// The ledger's entry for an individual.
///
/// @param op of its newest state
/// @param state the newest
/// @param deletion the latest operation that deleted it, newest or not
/// @param commands whether it ever was a live command: then what it named is kept beside
public record LedgerEntry(Op op, State state, Optional<Op> deletion, boolean commands) {

  /// The newest state of an individual.
  public sealed interface State {
    /// The individual was removed.
    record Absent() implements State {}

    /// Its type is not indexed: only its place in the order is kept.
    record NotIndexed(Optional<Long> updateCounter, byte[] hash) implements State {
      @Override
      public boolean equals(Object other) {
        return other instanceof NotIndexed(_, byte[] others) && Arrays.equals(hash, others);
      }

      @Override
      public int hashCode() {
        return Arrays.hashCode(hash);
      }
    }

    /// The individual is of an indexed type.
    record Indexed(Individual individual) implements State {}
  }

  /// The newest state, if it is indexed.
  public Optional<Individual> individual() {
    return state instanceof State.Indexed(Individual individual)
        ? Optional.of(individual)
        : Optional.empty();
  }

  Optional<Long> updateCounter() {
    return switch (state) {
      case State.Absent() -> Optional.empty();
      case State.NotIndexed(Optional<Long> counter, _) -> counter;
      case State.Indexed(Individual individual) -> individual.updateCounter();
    };
  }
}
