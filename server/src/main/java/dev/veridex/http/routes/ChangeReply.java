package dev.veridex.http.routes;

import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.tenancy.ChangeResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/// The answer to a write that made or changed something: what it is now, and since when.
public record ChangeReply<T>(T value, String revision) {

  /// The shape of a value with the revision of its change.
  public static <T> Shape<ChangeReply<T>> shape(
      String name, List<Member<?>> members, BiConsumer<T, AnswerObject> writing) {
    List<Member<?>> all = new ArrayList<>(members);
    all.add(WriteReceipt.REVISION);
    return Shape.out(
        name,
        all,
        (changed, out) -> {
          writing.accept(changed.value, out);
          out.put(WriteReceipt.REVISION, changed.revision);
        });
  }

  /// The answer to a PUT: 201 if there was nothing before.
  public static <T> Answer<ChangeReply<T>> put(ChangeResult<T> change, RevisionSeal seal) {
    return switch (change) {
      case ChangeResult.Done<T>(T value, boolean created, var revision) -> {
        String sealed = seal.seal(revision);
        Answer<ChangeReply<T>> answer = Answer.at(sealed, new ChangeReply<>(value, sealed));
        yield created ? answer.status(201) : answer;
      }
      case ChangeResult.Deleted<T> _ -> throw new IllegalStateException("nothing was deleted");
      case ChangeResult.Refused<T>(Problem problem) -> throw new VeridexException(problem);
    };
  }

  /// The answer to a DELETE.
  public static <T> Answer<WriteReceipt> deleted(ChangeResult<T> change, RevisionSeal seal) {
    return switch (change) {
      case ChangeResult.Deleted<T>(var revision) -> {
        String sealed = seal.seal(revision);
        yield Answer.at(sealed, new WriteReceipt(sealed));
      }
      case ChangeResult.Done<T> _ -> throw new IllegalStateException("nothing was made");
      case ChangeResult.Refused<T>(Problem problem) -> throw new VeridexException(problem);
    };
  }
}
