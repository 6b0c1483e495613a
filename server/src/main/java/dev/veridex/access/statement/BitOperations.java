package dev.veridex.access.statement;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An operation for each of some bits: when each was named, or struck.
public final class BitOperations {
  /// No bit at all.
  public static final BitOperations NONE = new BitOperations(new @Nullable Op[Rights.BITS]);

  private final @Nullable Op[] ops;

  private BitOperations(@Nullable Op[] ops) {
    this.ops = ops;
  }

  /// All of some bits, at one operation.
  public static BitOperations of(int bits, Op op) {
    if (bits == 0) {
      return NONE;
    }
    @Nullable Op[] ops = new @Nullable Op[Rights.BITS];
    for (int bit = 0; bit < ops.length; bit++) {
      if ((bits & 1 << bit) != 0) {
        ops[bit] = op;
      }
    }
    return new BitOperations(ops);
  }

  /// The operation of the bit with a number.
  public Optional<Op> at(int bit) {
    return Optional.ofNullable(ops[bit]);
  }

  /// The bits that have one.
  public int bits() {
    int bits = 0;
    for (int bit = 0; bit < ops.length; bit++) {
      if (ops[bit] != null) {
        bits |= 1 << bit;
      }
    }
    return bits;
  }

  /// For each bit the later of both.
  public BitOperations later(BitOperations other) {
    @Nullable Op[] later = ops.clone();
    for (int bit = 0; bit < later.length; bit++) {
      Op own = later[bit];
      Op others = other.ops[bit];
      if (others != null && (own == null || others.isAfter(own))) {
        later[bit] = others;
      }
    }
    return new BitOperations(later);
  }

  /// Those that are not before an operation.
  public BitOperations notBefore(Op op) {
    @Nullable Op[] left = ops.clone();
    for (int bit = 0; bit < left.length; bit++) {
      Op own = left[bit];
      if (own != null && op.isAfter(own)) {
        left[bit] = null;
      }
    }
    return new BitOperations(left);
  }

  /// The bits that count although others were struck: those that are not older than their strike.
  public int notStruckBy(BitOperations strikes) {
    int bits = 0;
    for (int bit = 0; bit < ops.length; bit++) {
      Op own = ops[bit];
      Op strike = strikes.ops[bit];
      if (own != null && (strike == null || !strike.isAfter(own))) {
        bits |= 1 << bit;
      }
    }
    return bits;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BitOperations that && Arrays.equals(ops, that.ops);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(ops);
  }

  @Override
  public String toString() {
    return Arrays.toString(ops);
  }
}
