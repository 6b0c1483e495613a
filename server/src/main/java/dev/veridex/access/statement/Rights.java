package dev.veridex.access.statement;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;

/// Rights as bits: create, read, update, delete, each granted or, four places higher, denied.
///
/// They are plain numbers, for a check joins and masks thousands of them.
public final class Rights {
  public static final int CREATE = 1;
  public static final int READ = 2;
  public static final int UPDATE = 4;
  public static final int DELETE = 8;

  /// All that can be granted.
  public static final int ALL = 0xF;

  /// How many bits a statement can name.
  public static final int BITS = 8;

  private static final int DENIED_SHIFT = 4;
  private static final String LETTERS = "CRUD";

  private Rights() {}

  /// The rights that bits grant, denied or not.
  public static int granted(int bits) {
    return bits & ALL;
  }

  /// The rights that bits deny.
  public static int denied(int bits) {
    return bits >>> DENIED_SHIFT & ALL;
  }

  /// The bits that deny rights.
  public static int denial(int rights) {
    return rights << DENIED_SHIFT;
  }

  /// Rights as letters, always in the order `CRUD`.
  public static String letters(int rights) {
    StringBuilder letters = new StringBuilder();
    for (int i = 0; i < LETTERS.length(); i++) {
      if ((rights & 1 << i) != 0) {
        letters.append(LETTERS.charAt(i));
      }
    }
    return letters.toString();
  }

  /// The rights that letters stand for, in any order.
  ///
  /// @throws VeridexException `BAD_REQUEST` if there are none, or others
  public static int parse(String letters) {
    int rights = 0;
    for (int i = 0; i < letters.length(); i++) {
      int bit = LETTERS.indexOf(letters.charAt(i));
      if (bit < 0) {
        rights = 0;
        break;
      }
      rights |= 1 << bit;
    }
    if (rights == 0) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "rights are some of the letters C, R, U and D")
              .with("given", letters));
    }
    return rights;
  }
}
