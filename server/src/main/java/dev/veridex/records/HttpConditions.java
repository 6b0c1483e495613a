package dev.veridex.records;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import java.util.Optional;

/// Conditions on the state of something, as HTTP has them.
public final class HttpConditions {
  private static final String ANY = "*";

  private HttpConditions() {}

  /// Why a change must not be made: what is there is not what `If-Match` names, or is what
  /// `If-None-Match` names.
  ///
  /// @param current the etag of what is there
  public static Optional<Problem> mismatch(
      Optional<String> current, Optional<String> ifMatch, Optional<String> ifNoneMatch) {
    if (ifMatch.isPresent() && current.filter(etag -> names(ifMatch.get(), etag)).isEmpty()) {
      return Optional.of(
          Problem.of(ErrorCode.PRECONDITION_FAILED, "it was changed since, or is not there"));
    }
    return current
        .filter(etag -> ifNoneMatch.filter(list -> names(list, etag)).isPresent())
        .map(
            etag ->
                Problem.of(ErrorCode.PRECONDITION_FAILED, "there is such a revision already")
                    .with("current", etag));
  }

  /// Whether a list of etags names one, or any, also if it only says that it is as good.
  public static boolean namesWeakly(String list, String etag) {
    return names(list.replace("W/", ""), etag);
  }

  /// Whether a list of etags names one, or any.
  public static boolean names(String list, String etag) {
    for (String each : list.split(",", -1)) {
      String given = each.strip();
      boolean quoted = given.length() >= 2 && given.startsWith("\"") && given.endsWith("\"");
      String bare = quoted ? given.substring(1, given.length() - 1) : given;
      if (given.equals(ANY) || bare.equals(etag)) {
        return true;
      }
    }
    return false;
  }
}
