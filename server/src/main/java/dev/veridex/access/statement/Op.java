package dev.veridex.access.statement;

import java.util.Comparator;

/// The place of a statement in the order of its scope.
///
/// @param opId the number that the message brought, or the largest one seen before it
/// @param n 0 for a message with a number of its own; those without follow in order of arrival
public record Op(long opId, long n) implements Comparable<Op> {
  /// Where an index begins.
  public static final Op FIRST = new Op(0, 0);

  private static final Comparator<Op> ORDER =
      Comparator.comparingLong(Op::opId).thenComparingLong(Op::n);

  @Override
  public int compareTo(Op other) {
    return ORDER.compare(this, other);
  }

  public boolean isAfter(Op other) {
    return compareTo(other) > 0;
  }

  /// The later of two.
  public static Op later(Op one, Op other) {
    return one.isAfter(other) ? one : other;
  }
}
