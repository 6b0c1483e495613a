package dev.veridex.cli.client;

import dev.veridex.cli.output.Terminal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.ParseResult;
import tools.jackson.databind.JsonNode;

/// Rows under a heading, each column as wide as it has to be.
public final class Table {
  private Table() {}

  /// Prints a whole list of the API: a JSON object a line for programs, a table for people.
  ///
  /// @param row the cells of an item
  public static int list(
      ParseResult arguments,
      Terminal terminal,
      String path,
      Map<String, String> query,
      List<String> heading,
      Function<JsonNode, List<String>> row) {
    List<List<String>> rows = new ArrayList<>();
    boolean json = Options.json(arguments);
    PageWalker.each(
        ApiClient.of(arguments, terminal),
        path,
        new HashMap<>(query),
        item -> {
          if (json) {
            Options.print(terminal, item);
          } else {
            rows.add(row.apply(item));
          }
        });
    if (!json) {
      print(terminal, heading, rows);
    }
    return ExitCode.OK;
  }

  public static void print(Terminal terminal, List<String> heading, List<List<String>> given) {
    List<List<String>> rows =
        given.stream().map(row -> row.stream().map(Terminal::safe).toList()).toList();
    int[] widths = new int[heading.size()];
    for (int column = 0; column < widths.length; column++) {
      int at = column;
      widths[column] =
          Math.max(
              heading.get(column).length(),
              rows.stream().mapToInt(row -> row.get(at).length()).max().orElse(0));
    }
    terminal.out().println(terminal.bold(line(heading, widths)));
    rows.forEach(row -> terminal.out().println(line(row, widths)));
  }

  private static String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      line.append(cells.get(column))
          .append(" ".repeat(widths[column] - cells.get(column).length() + 2));
    }
    return line.toString().stripTrailing();
  }
}
