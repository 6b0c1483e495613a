package dev.veridex.access.ledger;

import dev.veridex.access.statement.BitOperations;
import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.Rights;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The latest strikes on the bits of a record, and who struck.
public final class Strikes {
  static final Strikes NONE = new Strikes(BitOperations.NONE, new @Nullable String[Rights.BITS]);

  private final BitOperations ops;
  private final @Nullable String[] by;

  private Strikes(BitOperations ops, @Nullable String[] by) {
    this.ops = ops;
    this.by = by;
  }

  /// When each bit was struck last.
  public BitOperations ops() {
    return ops;
  }

  /// The individual that struck the bit with a number.
  public Optional<String> by(int bit) {
    return Optional.ofNullable(by[bit]);
  }

  /// The same with some bits struck once more. Of two at the same operation, the one with the
  /// smaller id is named, whichever came first.
  Strikes with(int bits, Op op, String individual) {
    @Nullable String[] names = by.clone();
    for (int bit = 0; bit < names.length; bit++) {
      if ((bits & 1 << bit) != 0) {
        int order = ops.at(bit).map(op::compareTo).orElse(1);
        String name = names[bit];
        if (order > 0 || (order == 0 && name != null && individual.compareTo(name) < 0)) {
          names[bit] = individual;
        }
      }
    }
    return new Strikes(ops.later(BitOperations.of(bits, op)), names);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Strikes that && ops.equals(that.ops) && Arrays.equals(by, that.by);
  }

  @Override
  public int hashCode() {
    return 31 * ops.hashCode() + Arrays.hashCode(by);
  }

  @Override
  public String toString() {
    return ops + " by " + Arrays.toString(by);
  }
}
