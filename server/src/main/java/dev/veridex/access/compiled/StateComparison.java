package dev.veridex.access.compiled;

import dev.veridex.access.check.RightsDifferences;
import dev.veridex.access.check.RightsDifferences.ClassChange;
import dev.veridex.access.compiled.CompiledIndex.Table;
import dev.veridex.common.Fairness;
import dev.veridex.common.Utf8Order;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Function;

/// Compares two states of an index: which rights appear, and which vanish.
///
/// Subjects that nothing but their memberships tells apart are alike, and so are such resources:
/// one of each class is asked for, and the others are counted.
public final class StateComparison {
  /// More pairs of classes are not compared.
  public static final long MAX_PAIRS = 4_000_000;

  private static final int RIGHTS = 4;
  private static final int PAUSE_EVERY = 1 << 12;

  private final CompiledIndex before;
  private final CompiledIndex after;
  private final CompiledCheck was;
  private final CompiledCheck willBe;
  private final Function<String, List<String>> folders;
  private final LiveApprovals approvals;
  private final ChangeImpact affected;

  /// @param approvals in both states
  /// @param implicit the groups that every resource is in
  /// @param folders the groups that the id of a resource tells by itself
  public StateComparison(
      CompiledIndex before,
      CompiledIndex after,
      LiveApprovals approvals,
      List<String> implicit,
      Function<String, List<String>> folders) {
    this.before = before;
    this.after = after;
    this.approvals = approvals;
    this.was = new CompiledCheck(before, approvals);
    this.willBe = new CompiledCheck(after, approvals);
    this.folders = folders;
    was.implicit(implicit);
    willBe.implicit(implicit);
    this.affected = new ChangeImpact(before, after, willBe);
  }

  /// Takes notice of a record that may not be the same in both.
  public void changed(Table table, String filter, String object, String subject) {
    int on = after.dictionary().find(object);
    int who = after.dictionary().find(subject);
    if (on != IdDictionary.UNKNOWN && who != IdDictionary.UNKNOWN) {
      affected.changed(table, filter, on, who);
    }
  }

  /// Ids that cannot be told apart.
  private record IdClass(int id, String name, long count) {}

  /// Compares all that may be different.
  ///
  /// @param classes how many classes to tell of
  public RightsDifferences run(int classes) {
    List<IdClass> subjects = alike(affected.subjects(), this::isPlainSubject);
    List<IdClass> resources = alike(affected.resources(), this::isPlainResource);
    resources.removeIf(each -> !isObject(each.id));
    // Everything else.
    resources.addFirst(new IdClass(IdDictionary.UNKNOWN, "", 0));
    DifferenceCounter counting = new DifferenceCounter(classes);
    long pairs = 0;
    for (IdClass subject : subjects) {
      was.subject(subject.id);
      willBe.subject(subject.id);
      for (IdClass resource : resources) {
        pairs++;
        if (pairs > MAX_PAIRS) {
          return counting.done(false);
        }
        if (pairs % PAUSE_EVERY == 0) {
          Fairness.pause();
        }
        counting.add(
            subject,
            resource,
            was.rights(resource.id, folders),
            willBe.rights(resource.id, folders));
      }
    }
    return counting.done(true);
  }

  private boolean isObject(int id) {
    return before.entry(id).isObject() || after.entry(id).isObject() || approvals.isObject(id);
  }

  private boolean isPlainSubject(int id) {
    return before.entry(id).objects().isEmpty()
        && after.entry(id).objects().isEmpty()
        && !approvals.isSubject(id);
  }

  private boolean isPlainResource(int id) {
    return isPlainResource(before.entry(id))
        && isPlainResource(after.entry(id))
        && !approvals.isObject(id)
        && folders.apply(after.dictionary().name(id)).isEmpty();
  }

  private static boolean isPlainResource(IdRecords entry) {
    return entry.permissions().isEmpty()
        && entry.filters().isEmpty()
        && entry.filtered().isEmpty()
        && entry.members().isEmpty();
  }

  private interface Plain {
    boolean is(int id);
  }

  /// Parts ids into classes, by the order of the first name of each.
  private List<IdClass> alike(IdValues ids, Plain plain) {
    List<IdClass> found = new ArrayList<>();
    Map<List<Long>, IdClass> classes = new TreeMap<>(StateComparison::compare);
    for (int i = 0; i < ids.size(); i++) {
      IdClass one = new IdClass(ids.id(i), after.dictionary().name(ids.id(i)), 1);
      if (plain.is(one.id)) {
        classes.merge(memberships(one.id), one, StateComparison::united);
      } else {
        found.add(one);
      }
    }
    found.addAll(classes.values());
    found.sort(Comparator.comparing(IdClass::name, Utf8Order.INSTANCE));
    return found;
  }

  private static IdClass united(IdClass one, IdClass other) {
    IdClass first = Utf8Order.INSTANCE.compare(one.name, other.name) < 0 ? one : other;
    return new IdClass(first.id, first.name, one.count + other.count);
  }

  private List<Long> memberships(int id) {
    List<Long> both = new ArrayList<>();
    before.entry(id).memberships().forEach(both::add);
    both.add(PackedRecord.NONE);
    after.entry(id).memberships().forEach(both::add);
    return both;
  }

  private static int compare(List<Long> one, List<Long> other) {
    for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
      int order = Long.compare(one.get(i), other.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(one.size(), other.size());
  }

  /// Sums up what is different.
  private static final class DifferenceCounter {
    private static final Comparator<ClassChange> LARGEST_LAST =
        Comparator.comparing((ClassChange changed) -> changed.resource().isEmpty())
            .thenComparingLong(ClassChange::pairs)
            .thenComparing(ClassChange::subject, Utf8Order.INSTANCE.reversed())
            .thenComparing(ClassChange::resource, Utf8Order.INSTANCE.reversed());

    private final long[] appear = new long[RIGHTS];
    private final long[] vanish = new long[RIGHTS];
    private final int most;
    private final PriorityQueue<ClassChange> largest = new PriorityQueue<>(LARGEST_LAST);

    private DifferenceCounter(int most) {
      this.most = most;
    }

    private void add(IdClass subject, IdClass resource, int rightsBefore, int rightsAfter) {
      if (rightsBefore == rightsAfter) {
        return;
      }
      ClassChange changed =
          new ClassChange(
              subject.name,
              subject.count,
              resource.name,
              resource.count,
              rightsAfter & ~rightsBefore,
              rightsBefore & ~rightsAfter);
      for (int right = 0; right < RIGHTS; right++) {
        appear[right] += (changed.appears() & 1 << right) != 0 ? changed.pairs() : 0;
        vanish[right] += (changed.vanishes() & 1 << right) != 0 ? changed.pairs() : 0;
      }
      largest.add(changed);
      if (largest.size() > most) {
        largest.remove();
      }
    }

    private RightsDifferences done(boolean complete) {
      List<ClassChange> classes = new ArrayList<>(largest);
      classes.sort(LARGEST_LAST.reversed());
      return new RightsDifferences(list(appear), list(vanish), classes, complete);
    }

    private static List<Long> list(long[] counts) {
      List<Long> list = new ArrayList<>();
      for (long count : counts) {
        list.add(count);
      }
      return list;
    }
  }
}
