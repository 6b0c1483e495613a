package dev.veridex.http.routes;

import dev.veridex.common.Page;
import dev.veridex.http.Call;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.List;
import java.util.Optional;

/// The parameters and members of all lists: `limit` and `cursor` in, `items` and `cursor` out.
public final class PageParameters {
  private static final int USUAL_LIMIT = 100;

  public static final Parameter<Long> LIMIT =
      Parameter.query("limit", Type.whole(1, 1000), "how many items at most; 100 if absent");

  public static final Parameter<String> CURSOR =
      Parameter.query("cursor", Type.TEXT, "the cursor of the page before");

  public static final Member<Optional<String>> NEXT =
      Member.required(
          "cursor", Type.nullable(Type.TEXT), "hand it back to get what follows; null at the end");

  private PageParameters() {}

  /// How many items a call asks for.
  public static int limit(Call<?> call) {
    return call.find(LIMIT).map(Math::toIntExact).orElse(USUAL_LIMIT);
  }

  /// The shape of a page of items.
  public static <T> Shape<Page<T>> of(String name, Shape<T> item) {
    Member<List<T>> items =
        Member.required("items", Type.list(Type.object(item)), "the items of this page");
    return Shape.out(
        name,
        List.of(items, NEXT),
        (page, out) -> out.put(items, page.items()).put(NEXT, page.cursor()));
  }
}
