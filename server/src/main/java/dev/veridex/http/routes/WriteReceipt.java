package dev.veridex.http.routes;

import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.List;

/// The answer to a write that has nothing else to say.
///
/// @param revision from which on it is seen
public record WriteReceipt(String revision) {
  public static final Member<String> REVISION =
      Member.required("revision", Type.TEXT, "from which on this is seen");

  public static final Shape<WriteReceipt> SHAPE =
      Shape.out(
          "Accepted", List.of(REVISION), (accepted, out) -> out.put(REVISION, accepted.revision));
}
