package dev.veridex.cli;

import dev.veridex.access.check.Trace;
import dev.veridex.access.statement.Rights;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/// The result of a check, right by right, in the words of assertions.
record CheckFinding(Map<Character, Right> rights) {
  private static final List<String> PARTS =
      List.of("granting", "denying", "capping", "closing", "excluding", "struck");

  /// The outcome of a right.
  ///
  /// @param behind the individuals that had a part in it
  record Right(String outcome, Set<String> behind) {}

  static CheckFinding of(Trace trace) {
    Map<Character, Right> rights = new LinkedHashMap<>();
    for (Trace.Reason reason : trace.reasons()) {
      Set<String> behind = new TreeSet<>();
      for (List<Integer> positions :
          List.of(
              reason.granting(),
              reason.denying(),
              reason.capping(),
              reason.closing(),
              reason.excluding(),
              reason.struck())) {
        for (int position : positions) {
          trace.facts().get(position).behind().forEach(each -> behind.add(each.individual()));
        }
      }
      rights.put(
          Rights.letters(reason.right()).charAt(0), new Right(reason.outcome().text(), behind));
    }
    return new CheckFinding(rights);
  }

  /// What a server answers.
  static CheckFinding of(JsonNode trace) {
    Map<Character, Right> rights = new LinkedHashMap<>();
    for (JsonNode reason : trace.path("reasons")) {
      Set<String> behind = new TreeSet<>();
      for (String part : PARTS) {
        for (JsonNode position : reason.path(part)) {
          for (JsonNode each : trace.path("records").path(position.asInt()).path("individuals")) {
            behind.add(each.path("id").asString());
          }
        }
      }
      rights.put(
          reason.path("right").asString().charAt(0),
          new Right(reason.path("outcome").asString(), behind));
    }
    return new CheckFinding(rights);
  }

  /// Why an assertion does not hold; absent if it does.
  Optional<String> contradiction(Assertion assertion) {
    List<String> wrong = new ArrayList<>();
    for (char letter : assertion.rights().toCharArray()) {
      Right found = rights.getOrDefault(letter, new Right("missing", Set.of()));
      if (found.outcome.equals("granted") != assertion.can()) {
        wrong.add("%s is %s".formatted(letter, found.outcome));
      } else if (assertion.outcome().filter(found.outcome::equals).isEmpty()
          && assertion.outcome().isPresent()) {
        wrong.add("%s is %s, not %s".formatted(letter, found.outcome, assertion.outcome().get()));
      } else if (!found.behind.containsAll(assertion.behind())) {
        wrong.add(
            "%s is %s because of %s"
                .formatted(
                    letter,
                    found.outcome,
                    found.behind.isEmpty() ? "nobody" : String.join(", ", found.behind)));
      }
    }
    return wrong.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", wrong));
  }
}
