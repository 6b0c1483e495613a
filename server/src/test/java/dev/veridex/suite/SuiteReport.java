package dev.veridex.suite;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The table at the end of a run: what each class of tests cost and how much its campaigns tried.
///
/// `SuiteReport FOLDER` prints the table of what [SuiteRecorder] left in a folder; `SuiteReport
/// FOLDER PAGE HEADING` also puts the campaigns between two marks of a page.
public final class SuiteReport {
  /// How many core-seconds all tests may take in a build. Whoever adds a capability adds a share
  /// here, of 35 or as many as it needs, and makes the others' smaller if that is too much.
  private static final List<Share> BUDGET =
      List.of(
          new Share("the suite of November 2026", 450),
          new Share("answers at every moment", 65),
          new Share("objects", 60),
          new Share("approvals, relationships and jobs", 35));

  static final String BEGIN = "<!-- The long run writes from here -->";
  static final String END = "<!-- to here. -->";

  private static final double MILLIS = 1000;

  private SuiteReport() {}

  /// A part of the budget.
  private record Share(String of, int coreSeconds) {}

  /// A campaign as a class ran it.
  record Line(Campaign campaign, int cases, String counts) {}

  /// What a class cost.
  static final class Cost {
    private long millis;
    private long processorMillis;
    private final List<Line> campaigns = new ArrayList<>();

    private String campaigns() {
      return campaigns.stream()
          .map(line -> "%s %,d".formatted(line.campaign, line.cases))
          .collect(joining(", "));
    }
  }

  /// What a run cost.
  static final class Costs {
    private final TreeMap<String, Cost> classes = new TreeMap<>();
    private long processMillis;

    private long processorMillis() {
      return classes.values().stream().mapToLong(cost -> cost.processorMillis).sum();
    }

    /// Takes what a process wrote, a line a fact.
    void add(String line) {
      String[] parts = line.split("\t", -1);
      Cost cost = classes.computeIfAbsent(parts[1], _ -> new Cost());
      switch (parts[0]) {
        case "class" -> {
          cost.millis += Long.parseLong(parts[2]);
          cost.processorMillis += Long.parseLong(parts[3]);
        }
        case "campaign" ->
            cost.campaigns.add(
                new Line(Campaign.valueOf(parts[2]), Integer.parseInt(parts[3]), parts[4]));
        case "process" -> {
          classes.remove(parts[1]);
          processMillis += Long.parseLong(parts[3]);
        }
        default -> throw new IllegalArgumentException("unknown line: " + line);
      }
    }
  }

  public static void main(String[] arguments) throws IOException {
    Costs costs = read(Path.of(arguments[0]));
    print(costs, System.out);
    if (arguments.length > 1) {
      Path page = Path.of(arguments[1]);
      Files.writeString(page, withCampaigns(Files.readString(page), arguments[2], costs));
    }
  }

  private static Costs read(Path folder) throws IOException {
    Costs costs = new Costs();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.sorted().toList()) {
          Files.readAllLines(file).forEach(costs::add);
        }
      }
    }
    return costs;
  }

  static void print(Costs costs, PrintStream out) {
    out.printf("%n%8s %13s  %s%n", "seconds", "core-seconds", "class, campaigns");
    costs.classes.entrySet().stream()
        .sorted(Comparator.comparingLong(entry -> -entry.getValue().processorMillis))
        .forEach(
            entry -> {
              Cost cost = entry.getValue();
              String name = entry.getKey().replace("dev.veridex.", "");
              out.printf(
                  "%8.1f %13.1f  %s%n",
                  cost.millis / MILLIS,
                  cost.processorMillis / MILLIS,
                  cost.campaigns.isEmpty() ? name : name + "  " + cost.campaigns());
            });
    long classes = costs.processorMillis();
    long around = Math.max(0, costs.processMillis - classes);
    out.printf("%8s %13.1f  %s%n", "", around / MILLIS, "starting and ending the processes");
    long millis = costs.classes.values().stream().mapToLong(cost -> cost.millis).sum();
    out.printf(
        "%8.1f %13.1f  sum of %d classes%n",
        millis / MILLIS, (classes + around) / MILLIS, costs.classes.size());
    String shares =
        BUDGET.stream().map(share -> share.coreSeconds + " " + share.of).collect(joining(" + "));
    int budget = BUDGET.stream().mapToInt(Share::coreSeconds).sum();
    out.printf("%8s %13d  budget in a build: %s%n%n", "", budget, shares);
  }

  /// A page with the campaigns of a run between its marks.
  static String withCampaigns(String page, String heading, Costs costs) {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IllegalArgumentException("the page has no place for the campaigns");
    }
    StringBuilder text = new StringBuilder(heading);
    text.append("\n\n| campaign | cases | counted on the way | core-seconds of its class |\n");
    text.append("|---|---:|---|---:|\n");
    costs.classes.forEach(
        (name, cost) ->
            cost.campaigns.forEach(
                line ->
                    text.append(
                        "| `%s`, %s | %,d | %s | %,d |\n"
                            .formatted(
                                line.campaign.property(),
                                name.substring(name.lastIndexOf('.') + 1),
                                line.cases,
                                line.counts,
                                cost.processorMillis / 1000))));
    return page.substring(0, begin + BEGIN.length()) + "\n\n" + text + "\n" + page.substring(end);
  }
}
