package dev.veridex.http.routes.access;

import dev.veridex.access.AsOf;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Call;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Optional;

/// Reads which state of an index a question is about.
final class AsOfParameter {
  static final String AT_MEANING =
      "a revision or a time: the answer as it was then; as far back as access.pastRetention";
  static final String AT_LEAST_MEANING = "a revision that the answer must have seen";

  static final Parameter<String> AT = Parameter.query("at", Type.TEXT, AT_MEANING);
  static final Parameter<String> AT_LEAST = Parameter.query("atLeast", Type.TEXT, AT_LEAST_MEANING);

  private AsOfParameter() {}

  static AsOf of(Call<?> call, RevisionSeal seal) {
    return of(call.find(AT), call.find(AT_LEAST), seal);
  }

  /// @throws VeridexException `BAD_REQUEST`, `UNKNOWN_REVISION`
  static AsOf of(Optional<String> at, Optional<String> atLeast, RevisionSeal seal) {
    if (at.isEmpty()) {
      return new AsOf.Now(atLeast.map(seal::open));
    }
    if (atLeast.isPresent()) {
      throw bad("a question is about one time: at or atLeast, not both");
    }
    // No revision has a colon, and every time has one.
    if (at.get().indexOf(':') < 0) {
      return new AsOf.AtRevision(seal.open(at.get()));
    }
    try {
      return new AsOf.AtTime(OffsetDateTime.parse(at.get()).toInstant());
    } catch (DateTimeException e) {
      throw bad("a time is written like 2026-01-31T12:00:00Z");
    }
  }

  private static VeridexException bad(String detail) {
    return new VeridexException(
        Problem.of(ErrorCode.BAD_REQUEST, detail).with("parameter", AT.name()));
  }
}
