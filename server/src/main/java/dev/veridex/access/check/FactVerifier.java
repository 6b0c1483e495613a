package dev.veridex.access.check;

import dev.veridex.access.check.Trace.Fact;
import dev.veridex.access.check.Trace.Part;
import dev.veridex.access.check.Trace.Source;
import dev.veridex.access.check.Trace.Strike;
import dev.veridex.access.ledger.LedgerIndividual;
import dev.veridex.access.statement.BitOperations;
import dev.veridex.access.statement.Individual;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.RecordId;
import dev.veridex.access.statement.Rights;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Verifies that the records of a trace follow from what the individuals behind them say.
///
/// @param individuals those that the trace names
record FactVerifier(Function<String, Optional<LedgerIndividual>> individuals) {

  /// A claim of a trace that does not hold.
  static final class InvalidTrace extends RuntimeException {
    private InvalidTrace(String what) {
      super(what, null, false, false);
    }
  }

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new InvalidTrace(what);
    }
  }

  /// Checks that records are what their individuals say.
  ///
  /// @throws InvalidTrace if one is not
  void verify(List<Fact> facts) {
    Set<RecordId> seen = new HashSet<>();
    for (Fact fact : facts) {
      require(seen.add(fact.id()), "a record is told twice: " + fact.id());
      Set<String> behind = new HashSet<>();
      int access = 0;
      Marker marker = Marker.NONE;
      for (Source each : fact.behind()) {
        require(behind.add(each.individual()), "an individual is told twice: " + fact.id());
        stated(fact.id(), each);
        int counted = 0;
        for (Part part : each.parts()) {
          counted |= part.struck().isPresent() ? 0 : part.bits();
        }
        access |= counted;
        if ((counted != 0 || each.parts().isEmpty()) && marker != Marker.IGNORES_EXCLUSIVE) {
          marker = each.marker() == Marker.NONE ? marker : each.marker();
        }
      }
      require(access == fact.access(), "the rights of a record: " + fact.id());
      require(marker == fact.marker(), "the marker of a record: " + fact.id());
    }
  }

  /// An individual says what the trace says that it says, no less and no more.
  private void stated(RecordId id, Source behind) {
    LedgerIndividual known =
        individuals.apply(behind.individual()).orElseThrow(() -> new InvalidTrace("no individual"));
    Individual state =
        known.entry().individual().orElseThrow(() -> new InvalidTrace("nothing is stated: " + id));
    require(!state.deleted(), "it is deleted: " + id);
    require(state.marker() == behind.marker(), "it is marked otherwise: " + id);
    boolean names = state.names().contains(id);
    BitOperations says =
        names ? BitOperations.of(state.bits(), known.entry().op()) : BitOperations.NONE;
    if (state.isLiveCommand()) {
      BitOperations kept = known.commands().getOrDefault(id, BitOperations.NONE);
      says = says.later(known.entry().deletion().map(kept::notBefore).orElse(kept));
    }
    require(names || says.bits() != 0, "it does not name the record: " + id);
    BitOperations told = BitOperations.NONE;
    for (Part part : behind.parts()) {
      require((told.bits() & part.bits()) == 0 && part.bits() != 0, "told twice: " + id);
      told = told.later(BitOperations.of(part.bits(), part.op()));
      part.struck().ifPresent(strike -> struck(id, part, strike));
    }
    require(told.equals(says), "it says something else: " + id);
  }

  /// The one who struck did so, then, and these very bits.
  private void struck(RecordId id, Part part, Strike strike) {
    require(strike.op().isAfter(part.op()), "it was struck before it was said: " + id);
    BitOperations strikes =
        individuals
            .apply(strike.individual())
            .map(known -> known.strikes().getOrDefault(id, BitOperations.NONE))
            .orElse(BitOperations.NONE);
    for (int bit = 0; bit < Rights.BITS; bit++) {
      boolean told = (part.bits() & 1 << bit) != 0;
      require(
          !told || strikes.at(bit).equals(Optional.of(strike.op())), "it was not struck: " + id);
    }
  }
}
