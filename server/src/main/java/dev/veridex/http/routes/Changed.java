package dev.veridex.http.routes;

import dev.veridex.accounts.Change;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Written;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/// The answer to a write that made or changed something: what it is now, and since when.
record Changed<T>(T value, String revision) {

  /// The shape of a value with the revision of its change.
  static <T> Shape<Changed<T>> shape(
      String name, List<Member<?>> members, BiConsumer<T, Written> writing) {
    List<Member<?>> all = new ArrayList<>(members);
    all.add(Accepted.REVISION);
    return Shape.out(
        name,
        all,
        (changed, out) -> {
          writing.accept(changed.value, out);
          out.put(Accepted.REVISION, changed.revision);
        });
  }

  /// The answer to a PUT: 201 if there was nothing before.
  static <T> Answer<Changed<T>> put(Change<T> change, RevisionSeal seal) {
    return switch (change) {
      case Change.Done<T>(T value, boolean created, var revision) -> {
        String sealed = seal.seal(revision);
        Answer<Changed<T>> answer = Answer.at(sealed, new Changed<>(value, sealed));
        yield created ? answer.status(201) : answer;
      }
      case Change.Deleted<T> _ -> throw new IllegalStateException("nothing was deleted");
      case Change.Refused<T>(Problem problem) -> throw new VeridexException(problem);
    };
  }

  /// The answer to a DELETE.
  static <T> Answer<Accepted> deleted(Change<T> change, RevisionSeal seal) {
    return switch (change) {
      case Change.Deleted<T>(var revision) -> {
        String sealed = seal.seal(revision);
        yield Answer.at(sealed, new Accepted(sealed));
      }
      case Change.Done<T> _ -> throw new IllegalStateException("nothing was made");
      case Change.Refused<T>(Problem problem) -> throw new VeridexException(problem);
    };
  }
}
