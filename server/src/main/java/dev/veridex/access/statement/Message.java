package dev.veridex.access.statement;

import java.util.Optional;

/// A message of the individuals flow: the new state of one individual.
///
/// @param opId its place in the order, if it brings one; otherwise its arrival counts
/// @param creation whether it says that the individual is new
/// @param id of the individual
/// @param state absent if the individual is gone
/// @param pointer where the state stands in the input
public record Message(
    Optional<Long> opId, boolean creation, String id, Optional<Individual> state, String pointer) {

  /// Whether it is a command that its author changed: those are left alone altogether.
  public boolean isIgnored() {
    return state
        .filter(Individual::dropCount)
        .flatMap(Individual::updateCounter)
        .filter(counter -> counter > 1)
        .isPresent();
  }

  /// Whether it strikes what others said before it about the records it names: a command does, and
  /// a membership that was deleted when it was made.
  public boolean strikes() {
    return state
        .filter(individual -> individual.dropCount() || isBornDeleted(individual))
        .isPresent();
  }

  /// A membership that never was.
  private boolean isBornDeleted(Individual individual) {
    return individual.kind().filter(IndividualType.MEMBERSHIP::equals).isPresent()
        && individual.deleted()
        && individual.updateCounter().map(counter -> counter == 1).orElse(creation);
  }

  /// Whether the individual is gone after it.
  public boolean deletes() {
    return state.isEmpty() || state.get().deleted();
  }
}
