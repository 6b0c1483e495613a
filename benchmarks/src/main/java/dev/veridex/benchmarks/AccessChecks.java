package dev.veridex.benchmarks;

import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// One check in memory, of a random user on a random document, as the index grows.
@State(Scope.Thread)
@BenchmarkMode({Mode.Throughput, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 3)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseTransparentHugePages"})
public class AccessChecks {
  @Param({"10000", "100000", "1000000"})
  public int statements;

  private CompiledCheck check;
  private AccessWorld.Questions questions;
  private int next;

  @Setup
  public void prepare() {
    AccessWorld world = AccessWorld.of(statements);
    CompiledIndex compiled = world.compiled();
    check = new CompiledCheck(compiled);
    questions = world.questions();
    check.implicit(List.of());
    check.filter("");
  }

  @Benchmark
  public int check() {
    int at = questions.at(next++);
    check.subject(questions.subjects()[at]);
    return check.rights(questions.resources()[at]);
  }
}
