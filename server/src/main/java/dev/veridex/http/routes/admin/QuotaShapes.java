package dev.veridex.http.routes.admin;

import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.RequestObject;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.quota.Quota;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// JSON shapes of quotas and usage.
final class QuotaShapes {
  private static final Map<Quota, Member<Long>> MEMBERS = members();

  private static final Shape<Map<Quota, Long>> SHAPE =
      Shape.of(
          "Quotas",
          List.copyOf(MEMBERS.values()),
          QuotaShapes::read,
          (quotas, out) ->
              MEMBERS.forEach(
                  (quota, member) -> out.put(member, Optional.ofNullable(quotas.get(quota)))));

  static final Member<Map<Quota, Long>> QUOTAS =
      Member.optional("quotas", Type.object(SHAPE), "how much it may hold; absent: no limit");

  static final Member<Map<Quota, Long>> USED =
      Member.required("used", Type.object(SHAPE), "how much it holds");

  private QuotaShapes() {}

  private static Map<Quota, Member<Long>> members() {
    Map<Quota, Member<Long>> members = new EnumMap<>(Quota.class);
    Arrays.stream(Quota.values())
        .forEach(
            quota ->
                members.put(
                    quota,
                    Member.optional(
                        quota.text(), Type.whole(0, Long.MAX_VALUE), "how many of them")));
    return members;
  }

  private static Map<Quota, Long> read(RequestObject given) {
    Map<Quota, Long> quotas = new EnumMap<>(Quota.class);
    MEMBERS.forEach(
        (quota, member) -> given.find(member).ifPresent(limit -> quotas.put(quota, limit)));
    return quotas;
  }
}
