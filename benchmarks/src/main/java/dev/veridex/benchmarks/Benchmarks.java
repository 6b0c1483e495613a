package dev.veridex.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs the benchmarks that are named, or says which there are.
public final class Benchmarks {
  private Benchmarks() {}

  static void main(String[] arguments) throws Exception {
    if (arguments.length == 0) {
      System.out.println(
          "bench writes | reads [JMH options] | disk | compaction | http | items | access [put check] | checks [JMH options] | questions [load lists http casbin] | documents [receive queue rebuild amplification postgres] | search [ingest query opensearch latency raw rebuild vectors] | visibility [query first approvals change opensearch] | objects [receive hot read] | grants [has scope end] | start | restart [documents]");
      return;
    }
    List<String> rest = List.of(arguments).subList(1, arguments.length);
    switch (arguments[0]) {
      case "writes" -> StoreWrites.run();
      case "reads" -> org.openjdk.jmh.Main.main(jmh(StoreReads.class, rest));
      case "disk" -> StoreDisk.run();
      case "compaction" -> StoreCompaction.run();
      case "http" -> HttpCalls.run();
      case "access" -> AccessCalls.run(rest);
      case "questions" -> AccessQuestions.run(rest);
      case "checks" -> org.openjdk.jmh.Main.main(jmh(AccessChecks.class, rest));
      case "items" -> ItemCalls.run(rest);
      case "documents" -> DocumentCalls.run(rest);
      case "search" -> SearchCalls.run(rest);
      case "visibility" -> VisibilityCalls.run(rest);
      case "objects" -> ObjectCalls.run(rest);
      case "grants" -> GrantCalls.run(rest);
      case "restart" ->
          Restart.run(Path.of("."), rest.isEmpty() ? 1_000_000 : Integer.parseInt(rest.getFirst()));
      case "start" -> StartUp.run(Path.of(rest.isEmpty() ? "." : rest.getFirst()));
      default -> {
        System.err.println("no benchmark " + arguments[0] + rest);
        System.exit(2);
      }
    }
  }

  private static String[] jmh(Class<?> benchmark, List<String> options) {
    List<String> all = new ArrayList<>(options);
    all.add(benchmark.getSimpleName());
    return all.toArray(String[]::new);
  }
}
