package dev.veridex.access.compiled;

import dev.veridex.access.check.RightsPage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;

/// Lists on what a subject has rights, and who has rights on a resource, in the order of their ids.
///
/// Each one listed passed the check. What is tried comes from the other direction of the records,
/// if that is little compared with all there is; else everything is tried, page by page.
public final class RightsLister {
  /// A page ends when so many were tried, however few were found.
  private static final int MAX_TRIED = 200_000;

  private static final int FEW = 1000;
  private static final int FRACTION = 50;

  private final CompiledCheck check;
  private final CompiledIndex index;
  private final Function<String, List<String>> folders;

  /// One for all that is done here: another one has other positions.
  private final IdDictionary.Order order;

  /// @param check whose implicit groups are set
  /// @param folders the groups that the id of a resource tells by itself
  public RightsLister(CompiledCheck check, Function<String, List<String>> folders) {
    this.check = check;
    this.index = check.index();
    this.folders = folders;
    this.order = index.dictionary().order();
  }

  /// The resources on which a subject has rights.
  ///
  /// @param after the id to begin after; empty for the first part
  /// @param enumerate list what there is of everything, too, instead of what is excepted
  public RightsPage resources(
      String subject, int rights, boolean enumerate, String after, int limit) {
    check.subject(subject);
    boolean all = (check.rights(IdDictionary.UNKNOWN) & rights) == rights;
    boolean excepted = all && !enumerate;
    MemberClosure tried =
        new MemberClosure(index, order, Math.max(FEW, index.dictionary().size() / FRACTION));
    if (excepted) {
      exceptions(tried);
    } else if (all) {
      tried.addEverything();
    } else {
      permitted(tried);
    }
    return page(
        tried.isTooMany() ? Optional.empty() : Optional.of(tried.positions()),
        id ->
            (index.entry(id).isObject() || check.approvals().isObject(id))
                && (check.rights(id, folders) & rights) == rights != excepted,
        all,
        after,
        limit);
  }

  /// What the subject and its groups have any permission on, and all that is in it.
  private void permitted(MemberClosure tried) {
    boolean broad = false;
    for (int i = 0; i < check.subjects().size(); i++) {
      RecordSet objects = index.entry(check.subjects().id(i)).objects();
      tried.addAll(objects);
      broad |= objects.find(index.everything()) != PackedRecord.NONE;
      for (int g = 0; g < check.implicitSize(); g++) {
        broad |= objects.find(check.implicit(g)) != PackedRecord.NONE;
      }
    }
    if (broad) {
      // A permission on everything that is not there for everything holds under a filter.
      tried.addAll(index.restricting());
    }
    tried.follow(true);
    // What is in something that is approved is not approved by that.
    check.approvals().forEachObject(check.subject(), tried::add);
  }

  /// What anything may be taken away from.
  private void exceptions(MemberClosure tried) {
    if (check.isExclusive()) {
      // Whatever is in any group may be out of reach.
      tried.addEverything();
    }
    tried.addAll(index.restricting());
    tried.follow(true);
  }

  /// The subjects with rights on a resource.
  public RightsPage subjects(String resource, int rights, String after, int limit) {
    int id = index.dictionary().find(resource);
    MemberClosure tried = new MemberClosure(index, order, Integer.MAX_VALUE);
    check.walk(id, index.entry(id));
    check.filters(index.entry(id));
    for (int i = 0; i < check.resources().size(); i++) {
      IdRecords object = index.entry(check.resources().id(i));
      tried.addAll(object.permissions());
      for (int f = 0; f < check.filters().size(); f++) {
        tried.addAll(object.filtered().permissions(check.filters().id(f)));
      }
    }
    tried.follow(false);
    check.approvals().forEachSubject(id, tried::add);
    return page(
        Optional.of(tried.positions()),
        subject -> {
          check.subject(subject);
          return (check.rights(id) & rights) == rights;
        },
        false,
        after,
        limit);
  }

  /// @param positions what to try, by its position in the order of names; everything if absent
  private RightsPage page(
      Optional<int[]> positions, IntPredicate listed, boolean all, String after, int limit) {
    int[] ordered = order.ids();
    int from = index.dictionary().firstAfter(order, after);
    int next = positions.map(some -> firstNotBefore(some, from)).orElse(from);
    int end = positions.map(some -> some.length).orElse(ordered.length);
    List<String> ids = new ArrayList<>(Math.min(limit, FEW));
    int last = 0;
    for (int tried = 0; next < end && tried < MAX_TRIED && ids.size() < limit; tried++) {
      last = ordered[positions.isPresent() ? positions.get()[next] : next];
      next++;
      if (listed.test(last)) {
        ids.add(index.dictionary().name(last));
      }
    }
    Optional<String> goOn =
        next < end ? Optional.of(index.dictionary().name(last)) : Optional.empty();
    return new RightsPage(all, ids, goOn, ids.size() == limit);
  }

  private static int firstNotBefore(int[] sorted, int bound) {
    int found = Arrays.binarySearch(sorted, bound);
    return found < 0 ? -found - 1 : found;
  }
}
