package dev.veridex.http.routes.access;

import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.RecordId;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.VeridexException;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;

/// Types that the shapes of the access index share: rights, operations, the members that name a
/// record and those of its bits.
final class AccessTypes {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final Type<Long> NUMBER = Type.whole(0, Long.MAX_VALUE);

  /// Rights as letters.
  static final Type<Integer> RIGHTS =
      new Type<>(
          NODES.objectNode().put("type", "string").put("pattern", "^[CRUD]*$"),
          (node, pointer) -> {
            if (!node.isString()) {
              throw Type.wrong("a text is expected here", pointer);
            }
            try {
              return Rights.parse(node.asString());
            } catch (VeridexException e) {
              throw new VeridexException(e.problem().at(pointer), e);
            }
          },
          rights -> NODES.stringNode(Rights.letters(rights)),
          NODES::stringNode,
          Optional.empty());

  private static final Member<Long> OP_ID = Member.required("opId", NUMBER, "the number");
  private static final Member<Long> N =
      Member.required("n", NUMBER, "its place among those without a number that follow it");
  private static final Shape<Op> OP_SHAPE =
      Shape.out("Op", List.of(OP_ID, N), (op, out) -> out.put(OP_ID, op.opId()).put(N, op.n()));
  static final Type<Op> OP = Type.object(OP_SHAPE);

  private static final Member<String> PREFIX =
      Member.required("prefix", Type.TEXT, "P permission, M membership, F filter");
  private static final Member<Optional<String>> FILTER =
      Member.required("filter", Type.nullable(Type.TEXT), "null: it counts always");
  private static final Member<String> OBJECT =
      Member.required("object", Type.TEXT, "what it is about");
  private static final Member<String> SUBJECT =
      Member.required("subject", Type.TEXT, "whom it speaks of; the group, or the filter");
  private static final Member<Integer> GRANTS =
      Member.required("grants", RIGHTS, "the rights it grants");
  private static final Member<Integer> DENIES =
      Member.required("denies", RIGHTS, "the rights it denies");

  static final List<Member<?>> ID = List.of(PREFIX, FILTER, OBJECT, SUBJECT);
  static final List<Member<?>> BITS = List.of(GRANTS, DENIES);

  private AccessTypes() {}

  static void write(RecordId id, AnswerObject out) {
    out.put(PREFIX, String.valueOf(id.key().prefix().letter()))
        .put(FILTER, Optional.of(id.key().filter()).filter(name -> !name.isEmpty()))
        .put(OBJECT, id.key().object())
        .put(SUBJECT, id.subject());
  }

  static void writeBits(int bits, AnswerObject out) {
    out.put(GRANTS, Rights.granted(bits)).put(DENIES, Rights.denied(bits));
  }
}
