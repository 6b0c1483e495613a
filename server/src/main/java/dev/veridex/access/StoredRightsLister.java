package dev.veridex.access;

import dev.veridex.access.check.AccessIndexView;
import dev.veridex.access.check.Check;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.RightsPage;
import dev.veridex.access.check.Verdict;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Prefix;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.Utf8Order;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Lists as [dev.veridex.access.compiled.RightsLister] does, from the store: for the past, and for
/// indexes that are not in memory.
final class StoredRightsLister {
  /// No id is empty, so that nothing is ever said of it.
  private static final String NOBODY = "";

  private static final int MAX_TRIED = 2000;
  private static final int MAX_GATHERED = 100_000;

  private final AccessIndexReader index;
  private final AccessIndexView view;
  private final Optional<String> bucket;

  StoredRightsLister(AccessIndexReader index, AccessIndexView view, Optional<String> bucket) {
    this.index = index;
    this.view = view;
    this.bucket = bucket;
  }

  /// The resources on which a subject has rights.
  RightsPage resources(String subject, int rights, boolean enumerate, String after, int limit) {
    boolean all = has(subject, NOBODY, rights);
    Optional<NavigableSet<String>> few = all ? Optional.empty() : permitted(subject);
    Iterator<String> tried =
        few.map(ids -> ids.tailSet(after, false).iterator())
            .orElseGet(() -> new Objects(index, after));
    return page(
        tried,
        id ->
            (index.bearsRecord(id) || view.bearsGrant(id))
                && has(subject, id, rights) != (all && !enumerate),
        all,
        limit);
  }

  /// The subjects with rights on a resource.
  RightsPage subjects(String resource, int rights, String after, int limit) {
    Verdict verdict = Check.of(view, question(NOBODY, resource));
    NavigableSet<String> gathered = new TreeSet<>(Utf8Order.INSTANCE);
    for (String object : verdict.resources().keySet()) {
      index.records(IndexKey.permission(object)).forEach(found -> gathered.add(found.subject()));
      for (String filter : verdict.filters()) {
        index
            .records(new IndexKey(Prefix.PERMISSION, filter, object))
            .forEach(found -> gathered.add(found.subject()));
      }
    }
    boolean _ = follow(gathered, Integer.MAX_VALUE);
    gathered.addAll(view.approved(resource));
    return page(
        gathered.tailSet(after, false).iterator(),
        subject -> has(subject, resource, rights),
        false,
        limit);
  }

  private boolean has(String subject, String resource, int rights) {
    return (Check.of(view, question(subject, resource)).rights() & rights) == rights;
  }

  private CheckRequest question(String subject, String resource) {
    return CheckRequest.of(subject, resource, Optional.empty(), bucket);
  }

  /// What a subject and its groups have any permission on, and all that is in it; absent if that
  /// cannot be said or is too much.
  private Optional<NavigableSet<String>> permitted(String subject) {
    List<String> implicit = question(subject, NOBODY).implicit();
    Set<String> subjects = Check.groups(view, subject);
    subjects.add(subject);
    NavigableSet<String> gathered = new TreeSet<>(Utf8Order.INSTANCE);
    for (String each : subjects) {
      for (RecordId id : index.naming(each)) {
        String object = id.key().object();
        boolean broad =
            object.equals(IndexKey.ALL_RESOURCES)
                || implicit.contains(object)
                || CheckRequest.isFolder(object);
        if (id.key().prefix() != Prefix.MEMBERSHIP) {
          if (broad || gathered.size() > MAX_GATHERED) {
            return Optional.empty();
          }
          gathered.add(object);
        }
      }
    }
    boolean all = follow(gathered, MAX_GATHERED);
    // What is in something that is approved is not approved by that.
    Optional<List<String>> approved = view.approvedOf(subject, MAX_GATHERED);
    approved.ifPresent(gathered::addAll);
    return all && approved.isPresent() ? Optional.of(gathered) : Optional.empty();
  }

  /// Adds what is in something that is there.
  ///
  /// @return whether it did not become too much
  private boolean follow(NavigableSet<String> gathered, int limit) {
    List<String> open = new ArrayList<>(gathered);
    while (!open.isEmpty() && gathered.size() <= limit) {
      String group = open.removeLast();
      Optional<List<String>> related = view.members(group, limit);
      if (related.isEmpty()) {
        return false;
      }
      List<String> members = new ArrayList<>(related.get());
      for (RecordId id : index.naming(group)) {
        if (id.key().prefix() == Prefix.MEMBERSHIP) {
          members.add(id.key().object());
        }
      }
      for (String member : members) {
        if (gathered.add(member)) {
          open.add(member);
        }
      }
    }
    return gathered.size() <= limit;
  }

  private static RightsPage page(
      Iterator<String> candidates, Predicate<String> listed, boolean all, int limit) {
    List<String> ids = new ArrayList<>();
    Optional<String> last = Optional.empty();
    for (int tried = 0; candidates.hasNext() && tried < MAX_TRIED && ids.size() < limit; tried++) {
      String candidate = candidates.next();
      last = Optional.of(candidate);
      if (listed.test(candidate)) {
        ids.add(candidate);
      }
    }
    return new RightsPage(
        all, ids, candidates.hasNext() ? last : Optional.empty(), ids.size() == limit);
  }

  /// The objects that bear records or that grants are about, in the order of their ids.
  private static final class Objects implements Iterator<String> {
    private final AccessIndexReader index;
    private Optional<String> next;

    private Objects(AccessIndexReader index, String after) {
      this.index = index;
      this.next = after(after);
    }

    private Optional<String> after(String object) {
      return Stream.of(index.objectAfter(object), index.grantedAfter(object))
          .flatMap(Optional::stream)
          .min(Utf8Order.INSTANCE);
    }

    @Override
    public boolean hasNext() {
      return next.isPresent();
    }

    @Override
    public String next() {
      String now = next.orElseThrow();
      next = after(now);
      return now;
    }
  }
}
