package dev.veridex.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/// Writes down what each class of tests cost, in the folder that the property `veridex.suite`
/// names; without it, nothing.
///
/// A process of tests runs one class after the other, so what the process and its children used of
/// the processors between the begin of a class and its end is the class's.
public final class SuiteRecorder implements TestExecutionListener, LauncherSessionListener {
  private static final Path PROCESS_STATISTICS = Path.of("/proc/self/stat");
  private static final long MILLIS_A_TICK = 10;

  /// The times of this process and of its ended children, in the system and in programs, counted
  /// from what follows the name of the command.
  private static final List<Integer> TIMES = List.of(11, 12, 13, 14);

  private final Optional<Path> folder =
      Optional.ofNullable(System.getProperty("veridex.suite")).map(Path::of);
  private long begun;
  private long processorMillis;

  @Override
  public void executionStarted(TestIdentifier test) {
    if (isClass(test)) {
      begun = System.nanoTime();
      processorMillis = processorMillis();
      Campaign.takeTried();
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (isClass(test)) {
      long millis = (System.nanoTime() - begun) / 1_000_000;
      String name = ((ClassSource) test.getSource().orElseThrow()).getClassName();
      write("class", name, millis, processorMillis() - processorMillis);
      Campaign.takeTried().forEach((campaign, tried) -> write(campaign, name, tried));
    }
  }

  @Override
  public void launcherSessionClosed(LauncherSession session) {
    write("process", "", 0, processorMillis());
  }

  private void write(Campaign campaign, String name, Campaign.Tried tried) {
    append(
        "campaign\t%s\t%s\t%d\t%s\n"
            .formatted(name, campaign, tried.cases(), String.join("; ", tried.counts())));
  }

  private void write(String kind, String name, long millis, long processorMillis) {
    append("%s\t%s\t%d\t%d\n".formatted(kind, name, millis, processorMillis));
  }

  private void append(String line) {
    folder.ifPresent(
        in -> {
          try {
            Files.createDirectories(in);
            Files.writeString(
                in.resolve("process-" + ProcessHandle.current().pid() + ".tsv"),
                line,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static boolean isClass(TestIdentifier test) {
    return test.getSource().filter(ClassSource.class::isInstance).isPresent()
        && test.getUniqueIdObject().getSegments().size() == 2;
  }

  /// What this process and its children that have ended have used of the processors; 0 where the
  /// system does not tell it in the way of Linux.
  private static long processorMillis() {
    if (!Files.isReadable(PROCESS_STATISTICS)) {
      return 0;
    }
    try {
      String statistics = Files.readString(PROCESS_STATISTICS);
      List<String> values =
          List.of(statistics.substring(statistics.lastIndexOf(')') + 2).trim().split(" "));
      return TIMES.stream().mapToLong(i -> Long.parseLong(values.get(i))).sum() * MILLIS_A_TICK;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
