package dev.veridex;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Rules of the house that stand in sources and pages, not in classes.
final class HouseTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path MAIN = ROOT.resolve("server/src/main/java");
  private static final int MAX_LINES = 400;
  private static final int MAX_COMPONENTS = 8;

  private static final Pattern RECORD =
      Pattern.compile(
          "((?: *///[^\n]*\n)*)(?: *@[^\n]*\n)* *(?:\\w+ )*record (\\w+)(?:<[^(]*>)?\\(");

  /// A name in capitals and small letters between backticks, with or without a member.
  private static final Pattern NAMED =
      Pattern.compile(
          "`(?:[a-z.]+[./])?([A-Z][a-z]\\w*)(?:\\.[a-zA-Z]\\w*(?:\\(\\))?)*(?:\\.java)?`");

  private static List<Path> sources(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }

  @Test
  void filesAreShort() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (Path file : sources(MAIN)) {
      int lines = Files.readAllLines(file).size();
      if (lines > MAX_LINES) {
        tooLong.add(MAIN.relativize(file) + ": " + lines);
      }
    }
    assertThat(tooLong).as("files over %d lines", MAX_LINES).isEmpty();
  }

  /// A comment says what a type is, and begins with the noun.
  @Test
  void commentsOfTypesBeginWithNouns() throws IOException {
    Pattern riddle =
        Pattern.compile(
            "(?m)^(?! *///)[^\n]*\n *///"
                + " (?:What|Where|Who|When|How|Why|Whose|Whoever|Whether|Which|Says|Tells) "
                + "[^\n]*\n(?: *///[^\n]*\n)*(?: *@[^\n]*\n)*"
                + " *(?:public |private |static |final |sealed |abstract )*"
                + "(?:class|interface|record|enum) (\\w+)");
    List<String> riddles = new ArrayList<>();
    for (Path file : sources(MAIN)) {
      riddle
          .matcher(Files.readString(file))
          .results()
          .forEach(each -> riddles.add(MAIN.relativize(file).toString()));
    }
    assertThat(riddles).as("types whose comment is a riddle").isEmpty();
  }

  /// Tests stand beside the subject they test.
  @Test
  void testsStandBesideTheirSubject() throws IOException {
    Path tests = ROOT.resolve("server/src/test/java");
    Set<String> lost = new HashSet<>();
    for (Path file : sources(tests)) {
      Path room = tests.relativize(file.resolveSibling(".")).normalize();
      // The suite's own report has no subject in the product.
      if (!room.endsWith("suite") && !Files.isDirectory(MAIN.resolve(room))) {
        lost.add(room.toString());
      }
    }
    assertThat(lost).isEmpty();
  }

  /// In the root stand the tests of the composition root and of the whole server, and what tests
  /// share; none that is named after a type of another room.
  @Test
  void theRootOfTheTestsIsSmall() throws IOException {
    Path tests = ROOT.resolve("server/src/test/java");
    Map<String, Set<Path>> homes = new HashMap<>();
    for (Path file : sources(MAIN)) {
      String name = file.getFileName().toString().replace(".java", "");
      homes.computeIfAbsent(name, _ -> new HashSet<>()).add(MAIN.relativize(file.getParent()));
    }
    List<String> astray = new ArrayList<>();
    int inRoot = 0;
    for (Path file : sources(tests)) {
      String name = file.getFileName().toString().replace(".java", "");
      Path room = tests.relativize(file.getParent());
      Set<Path> home = homes.getOrDefault(name.replaceAll("(Test|IT)$", ""), Set.of());
      boolean root = room.equals(Path.of("dev/veridex"));
      if (root && !home.isEmpty() && !home.contains(room)) {
        astray.add(name);
      }
      inRoot += root ? 1 : 0;
    }
    assertThat(astray).isEmpty();
    assertThat(inRoot).as("files of tests in the root").isLessThanOrEqualTo(16);
  }

  @Test
  void recordsAreSmallOrSayWhy() throws IOException {
    List<String> large = new ArrayList<>();
    int records = 0;
    for (Path file : sources(MAIN)) {
      String text = Files.readString(file);
      Matcher record = RECORD.matcher(text);
      while (record.find()) {
        records++;
        int components = components(text, record.end());
        if (components > MAX_COMPONENTS
            && !record.group(1).contains("/// More than eight components:")) {
          large.add("%s %s: %d".formatted(MAIN.relativize(file), record.group(2), components));
        }
      }
    }
    assertThat(records).isGreaterThan(100);
    assertThat(large).as("records that do not say why they are large").isEmpty();
  }

  /// How many components a record has whose list begins at a place.
  private static int components(String text, int begin) {
    int parentheses = 1;
    int generics = 0;
    int components = 1;
    for (int i = begin; parentheses > 0; i++) {
      switch (text.charAt(i)) {
        case '(' -> parentheses++;
        case ')' -> parentheses--;
        case '<' -> generics++;
        case '>' -> generics--;
        case ',' -> components += parentheses == 1 && generics == 0 ? 1 : 0;
        default -> {}
      }
    }
    return components;
  }

  @Test
  void whatTheMapNamesExists() throws IOException {
    Set<String> types = types();
    for (String page : List.of("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/glossary.md")) {
      String text = Files.readString(ROOT.resolve(page));
      List<String> named = NAMED.matcher(text).results().map(each -> each.group(1)).toList();
      assertThat(named).as(page).isNotEmpty();
      assertThat(types).as("types that %s names", page).containsAll(named);
    }
  }

  /// What a drawing names stands without backticks, in words that begin like types.
  @Test
  void whatTheDrawingsNameExists() throws IOException {
    String text = Files.readString(ROOT.resolve("ARCHITECTURE.md"));
    Set<String> types = types();
    List<String> unknown =
        Pattern.compile("(?s)```\n(.*?)```")
            .matcher(text)
            .results()
            .flatMap(
                drawing ->
                    Pattern.compile("\\b[A-Z][a-z]+[A-Z]\\w+")
                        .matcher(drawing.group(1))
                        .results()
                        .map(MatchResult::group))
            .filter(name -> !types.contains(name))
            .distinct()
            .toList();
    assertThat(unknown).as("drawn and not there").isEmpty();
  }

  /// A member that a page names beside its type stands in the type's file.
  @Test
  void whatTheMapSaysOfTypesIsThere() throws IOException {
    List<String> missing = new ArrayList<>();
    Matcher named =
        Pattern.compile("`([A-Z][a-z]\\w*)\\.([a-zA-Z]\\w*)`")
            .matcher(Files.readString(ROOT.resolve("ARCHITECTURE.md")));
    int found = 0;
    while (named.find()) {
      found++;
      boolean there = false;
      for (Path file : sources(MAIN)) {
        there |=
            file.endsWith(named.group(1) + ".java")
                && Pattern.compile("\\b" + named.group(2) + "\\b")
                    .matcher(Files.readString(file))
                    .find();
      }
      if (!there) {
        missing.add(named.group());
      }
    }
    assertThat(found).isGreaterThan(10);
    assertThat(missing).isEmpty();
  }

  /// What is said to be thrown exists.
  @Test
  void whatIsSaidToBeThrownExists() throws IOException {
    Set<String> types = types();
    types.addAll(
        List.of(
            "IOException",
            "IllegalArgumentException",
            "IllegalStateException",
            "CloseConnectionException"));
    List<String> unknown = new ArrayList<>();
    for (Path file : sources(MAIN)) {
      Pattern.compile("/// @throws (?:[a-z]+\\.)*(\\w+)")
          .matcher(Files.readString(file))
          .results()
          .filter(each -> !types.contains(each.group(1)))
          .forEach(each -> unknown.add(MAIN.relativize(file) + " " + each.group(1)));
    }
    assertThat(unknown).isEmpty();
  }

  /// All types, nested ones too, of the product, its tests and its build.
  private static Set<String> types() throws IOException {
    Pattern type = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");
    // Of others, which a page may speak of.
    Set<String> types = new HashSet<>(List.of("RocksDB", "WebServer"));
    for (Path file : sources(ROOT.resolve("server/src"))) {
      type.matcher(Files.readString(file)).results().forEach(each -> types.add(each.group(1)));
    }
    return types;
  }
}
