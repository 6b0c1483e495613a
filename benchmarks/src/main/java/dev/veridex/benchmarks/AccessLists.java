package dev.veridex.benchmarks;

import dev.veridex.access.check.RightsPage;
import dev.veridex.access.compiled.AccessIndexEdit;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.CompiledIndex.Table;
import dev.veridex.access.compiled.RightsLister;
import java.util.Arrays;
import java.util.List;

/// Lists from an index in memory.
final class AccessLists {
  private AccessLists() {}

  /// Everything that somebody may read, and who may read something.
  static void run(int statements) {
    AccessWorld world = AccessWorld.of(statements);
    AccessIndexEdit edit = world.compiled().edit();
    for (int n = 0; n < world.statements(); n++) {
      edit.put(Table.PERMISSION, "", AccessWorld.document(n), "d:reader", 0, 2);
    }
    edit.put(Table.PERMISSION, "", "v-s:AllResourcesGroup", "d:boss", 0, 2);
    for (int n = 0; n < 1000; n++) {
      edit.put(Table.PERMISSION, "", AccessWorld.document(n * 7), "d:boss", 0, 0x20);
    }
    CompiledIndex compiled = edit.done();
    compiled.prepare();
    System.out.println();
    System.out.println("| list | ids | first page of 100, µs | pages of 10,000: ids/s |");
    System.out.println("|---|---:|---:|---:|");
    list(
        compiled,
        "all that a subject may read, of %,d documents".formatted(statements),
        "d:reader");
    list(compiled, "everything but some", "d:boss");
    list(compiled, "what a user in three groups may read", "d:user_1");
    subjects(compiled, "who may read a document of a group at the top", world);
  }

  private static void list(CompiledIndex compiled, String name, String subject) {
    double best = 0;
    int count = 0;
    long[] first = new long[200];
    for (int round = 0; round < 5; round++) {
      long begin = System.nanoTime();
      count = 0;
      String after = "";
      boolean more = true;
      while (more) {
        RightsPage part = listing(compiled).resources(subject, 2, false, after, 10_000);
        count += part.ids().size();
        after = part.next().orElse("");
        more = part.next().isPresent();
      }
      best = Math.max(best, count / ((System.nanoTime() - begin) / 1e9));
    }
    for (int i = 0; i < first.length; i++) {
      long begin = System.nanoTime();
      listing(compiled).resources(subject, 2, false, "", 100);
      first[i] = System.nanoTime() - begin;
    }
    Arrays.sort(first);
    System.out.printf(
        "| %s | %,d | p50 %,d, p99 %,d | %,.0f |%n",
        name, count, first[first.length / 2] / 1000, first[first.length - 2] / 1000, best);
  }

  private static RightsLister listing(CompiledIndex compiled) {
    CompiledCheck check = new CompiledCheck(compiled);
    check.implicit(List.of());
    return new RightsLister(check, _ -> List.of());
  }

  private static void subjects(CompiledIndex compiled, String name, AccessWorld world) {
    int best = 0;
    String document = "";
    for (int n = 0; n < 2000; n += 2) {
      int found = listing(compiled).subjects(AccessWorld.document(n), 2, "", 10_000).ids().size();
      if (found > best) {
        best = found;
        document = AccessWorld.document(n);
      }
    }
    long[] times = new long[100];
    for (int i = 0; i < times.length; i++) {
      long begin = System.nanoTime();
      listing(compiled).subjects(document, 2, "", 100);
      times[i] = System.nanoTime() - begin;
    }
    Arrays.sort(times);
    System.out.printf(
        "| %s | %,d | p50 %,d, p99 %,d | |%n",
        name, best, times[times.length / 2] / 1000, times[times.length - 2] / 1000);
  }
}
