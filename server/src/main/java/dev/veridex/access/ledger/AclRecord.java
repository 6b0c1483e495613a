package dev.veridex.access.ledger;

import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.RecordId;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.Arrays;

/// A record of the index: how many individuals say what about a subject under a key.
///
/// It is the sum of their contributions and of nothing else, so no removal ever sets a bit.
public final class AclRecord {
  /// Without any contribution.
  public static final AclRecord NONE = new AclRecord(new int[Field.COUNT]);

  /// The counters of a record besides those of its bits.
  public static final class Field {
    public static final int EXCLUSIVE = Rights.BITS;
    public static final int IGNORES_EXCLUSIVE = EXCLUSIVE + 1;
    public static final int PRESENT = IGNORES_EXCLUSIVE + 1;
    static final int NAMED = PRESENT + 1;
    public static final int COUNT = NAMED + 1;

    private Field() {}
  }

  private final int[] counts;

  public AclRecord(int[] counts) {
    this.counts = counts;
  }

  int count(int field) {
    return counts[field];
  }

  /// How many individuals contribute a bit.
  public int counter(int bit) {
    return counts[bit];
  }

  /// The bits that somebody contributes.
  public int access() {
    int access = 0;
    for (int bit = 0; bit < Rights.BITS; bit++) {
      if (counts[bit] > 0) {
        access |= 1 << bit;
      }
    }
    return access;
  }

  public int granted() {
    return Rights.granted(access());
  }

  public int denied() {
    return Rights.denied(access());
  }

  public Marker marker() {
    if (counts[Field.IGNORES_EXCLUSIVE] > 0) {
      return Marker.IGNORES_EXCLUSIVE;
    }
    return counts[Field.EXCLUSIVE] > 0 ? Marker.EXCLUSIVE : Marker.NONE;
  }

  /// Whether nobody contributes to it; it is only still named.
  public boolean isDeleted() {
    return counts[Field.PRESENT] == 0;
  }

  /// Whether there is nothing to keep.
  boolean isEmpty() {
    return counts[Field.PRESENT] == 0 && counts[Field.NAMED] == 0;
  }

  /// The same with one contribution taken away and another one added.
  ///
  /// @param id names the record if it turns out to be corrupt
  public AclRecord changed(Contribution.Effect minus, Contribution.Effect plus, RecordId id) {
    int[] sum = counts.clone();
    add(sum, minus, -1);
    // Before the other one hides it.
    for (int count : sum) {
      if (count < 0) {
        throw new VeridexException(
            Problem.of(
                    ErrorCode.CORRUPT_STORE,
                    "a counter of the access index would fall below zero: verify, then rebuild")
                .with("record", id));
      }
    }
    add(sum, plus, 1);
    return new AclRecord(sum);
  }

  private static void add(int[] sum, Contribution.Effect effect, int sign) {
    for (int bit = 0; bit < Rights.BITS; bit++) {
      if ((effect.bits() & 1 << bit) != 0) {
        sum[bit] += sign;
      }
    }
    switch (effect.marker()) {
      case NONE -> {}
      case EXCLUSIVE -> sum[Field.EXCLUSIVE] += sign;
      case IGNORES_EXCLUSIVE -> sum[Field.IGNORES_EXCLUSIVE] += sign;
    }
    sum[Field.PRESENT] += effect.present() ? sign : 0;
    sum[Field.NAMED] += effect.named() ? sign : 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AclRecord that && Arrays.equals(counts, that.counts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(counts);
  }

  @Override
  public String toString() {
    return Arrays.toString(counts);
  }
}
