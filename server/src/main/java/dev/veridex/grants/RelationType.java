package dev.veridex.grants;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

/// The type of a relationship. It says whether a path may go on through it.
///
/// @param text its name in requests, answers and records
public record RelationType(String text) {
  /// A type that everybody knows.
  private enum Known {
    ROLE,
    TRUST,
    MEMBERSHIP,
    OWNERSHIP,
    DELEGATION;

    private String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Pattern CUSTOM = Pattern.compile("custom:[A-Za-z0-9_.-]{1,64}");

  /// The type of relationships that say none.
  public static final RelationType ROLE = new RelationType(Known.ROLE.text());

  public RelationType {
    String given = text;
    if (Arrays.stream(Known.values()).noneMatch(known -> known.text().equals(given))
        && !CUSTOM.matcher(text).matches()) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "The type of a relationship is role, trust, membership, ownership, delegation or"
                      + " custom:{name} with up to 64 letters, digits, dots, dashes and"
                      + " underscores, not \"%s\".".formatted(given))
              .at("/type"));
    }
  }

  /// Whether a relationship of this type is a membership in decisions about rights.
  boolean isMembership() {
    return text.equals(Known.MEMBERSHIP.text());
  }

  /// Whether a path may go on through relationships of this type.
  public boolean isTransitive() {
    return text.equals(Known.TRUST.text()) || isMembership();
  }
}
