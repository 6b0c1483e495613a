package dev.veridex.access.check;

import dev.veridex.common.Utf8Order;
import java.util.List;
import java.util.Optional;

/// A page of a list of resources or subjects.
///
/// @param all whether the subject has the rights on everything but the ids that are listed
/// @param next go on after this one; absent at the end
/// @param full whether it ended because it has as many as were asked for
public record RightsPage(boolean all, List<String> ids, Optional<String> next, boolean full) {

  /// One list of several that have the same beginning, as far as all of them tell.
  public static RightsPage merge(List<RightsPage> parts, int limit) {
    Optional<String> until =
        parts.stream().flatMap(part -> part.next.stream()).min(Utf8Order.INSTANCE);
    List<String> ids =
        parts.stream()
            .flatMap(part -> part.ids.stream())
            .filter(id -> until.filter(last -> Utf8Order.INSTANCE.compare(id, last) > 0).isEmpty())
            .sorted(Utf8Order.INSTANCE)
            .distinct()
            .toList();
    List<String> first = ids.subList(0, Math.min(limit, ids.size()));
    return new RightsPage(
        parts.getFirst().all,
        first,
        ids.size() > limit ? Optional.of(first.getLast()) : until,
        first.size() == limit);
  }
}
