package dev.veridex.benchmarks;

import dev.veridex.access.compiled.CompiledCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import org.casbin.jcasbin.main.CoreEnforcer;
import org.casbin.jcasbin.main.Enforcer;
import org.casbin.jcasbin.model.Model;

/// Checks in memory as the policy grows, next to jCasbin with the same one.
final class AccessRivals {
  private AccessRivals() {}

  /// The same policy, the same questions, as far as jCasbin bears it.
  static void run(int most) {
    System.out.println();
    System.out.println(
        "| statements | ours: checks/s | p50/p99 µs | jCasbin: checks/s | p50/p99 µs |");
    System.out.println("|---:|---:|---:|---:|---:|");
    for (int statements : new int[] {1000, 10_000, 100_000, most}) {
      AccessWorld world = AccessWorld.of(statements);
      CompiledCheck check = new CompiledCheck(world.compiled());
      check.implicit(List.of());
      Driver.Result ours = once(_ -> world.questions().of(check));
      Optional<Driver.Result> theirs =
          statements <= 10_000 ? Optional.of(casbin(world)) : Optional.empty();
      System.out.printf(
          "| %,d | %,.0f | %d / %d | %s | %s |%n",
          statements,
          ours.perSecond(),
          ours.p50Micros(),
          ours.p99Micros(),
          theirs.map(each -> "%,.0f".formatted(each.perSecond())).orElse("–"),
          theirs.map(each -> "%d / %d".formatted(each.p50Micros(), each.p99Micros())).orElse("–"));
    }
  }

  private static Driver.Result casbin(AccessWorld world) {
    Model model = new Model();
    model.addDef("r", "r", "sub, obj, act");
    model.addDef("p", "p", "sub, obj, act");
    model.addDef("g", "g", "_, _");
    model.addDef("e", "e", "some(where (p.eft == allow))");
    model.addDef("m", "m", "g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act");
    Enforcer enforcer = new Enforcer(model);
    ((CoreEnforcer) enforcer).enableLog(false);
    enforcer.enableAutoBuildRoleLinks(false);
    List<List<String>> policies = new ArrayList<>();
    List<List<String>> members = new ArrayList<>();
    world.state(
        new AccessWorld.Statements() {
          @Override
          public void member(String member, String group, int number) {
            members.add(List.of(member, group));
          }

          @Override
          public void permission(String document, String subject, int number) {
            policies.add(List.of(subject, document, "read"));
          }
        });
    enforcer.addPolicies(policies);
    members.stream().distinct().forEach(enforcer::addGroupingPolicy);
    enforcer.buildRoleLinks();
    AccessWorld.Questions questions = world.questions();
    return once(
        _ ->
            n -> {
              int at = questions.at(n);
              enforcer.enforce(questions.subjects()[at], questions.resources()[at], "read");
            });
  }

  private static Driver.Result once(IntFunction<LongConsumer> work) {
    List<Driver.Result> results = new ArrayList<>();
    for (int round = 0; round <= Driver.ROUNDS; round++) {
      Driver.Result result = Driver.drive(1, round, work, false);
      if (round > 0) {
        results.add(result);
      }
    }
    return Driver.median(results);
  }
}
