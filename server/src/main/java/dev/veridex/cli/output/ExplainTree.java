package dev.veridex.cli.output;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// The trace of a check as a tree that a person can read: each right, what became of it, the
/// records that had a part in it, and who is behind them.
public final class ExplainTree {
  private final Terminal terminal;
  private final JsonNode trace;
  private final List<String> lines = new ArrayList<>();

  private final String rights;

  /// @param rights those that were asked for
  public ExplainTree(Terminal terminal, JsonNode trace, String rights) {
    this.terminal = terminal;
    this.trace = trace;
    this.rights = rights;
  }

  /// A node of the tree with its children.
  private record Node(String text, List<Node> below) {
    Node(String text) {
      this(text, List.of());
    }
  }

  public List<String> lines() {
    for (JsonNode reason : trace.path("reasons")) {
      if (!rights.contains(reason.path("right").asString())) {
        continue;
      }
      String outcome = reason.path("outcome").asString();
      boolean granted = outcome.equals("granted");
      lines.add(
          "%s  %s"
              .formatted(
                  terminal.bold(reason.path("right").asString()),
                  granted ? terminal.green(outcome) : terminal.red(sentence(outcome))));
      print(nodes(reason, granted), "   ");
    }
    return lines;
  }

  private static String sentence(String outcome) {
    return switch (outcome) {
      case "denied" -> "denied: somebody grants it, and somebody takes it away";
      case "excluded" ->
          "excluded: the subject is exclusively in groups that the resource is not in";
      case "closed" -> "closed: it is granted here to others, exclusively";
      case "capped" -> "capped: a filter does not leave it";
      default -> "missing: nobody grants it";
    };
  }

  private List<Node> nodes(JsonNode reason, boolean granted) {
    List<Node> nodes = new ArrayList<>();
    String right = reason.path("right").asString();
    reason
        .path("granting")
        .forEach(position -> nodes.add(permission("granted", record(position), right)));
    for (JsonNode position : reason.path("approvals")) {
      JsonNode approval = trace.path("approvals").path(position.asInt());
      nodes.add(new Node("approved" + given(approval, id(approval, "action"))));
    }
    if (!granted) {
      reason
          .path("denying")
          .forEach(position -> nodes.add(permission("denied", record(position), right)));
      reason
          .path("closing")
          .forEach(position -> nodes.add(permission("exclusive", record(position), right)));
      reason.path("capping").forEach(position -> nodes.add(filter(record(position))));
      reason
          .path("excluding")
          .forEach(position -> nodes.add(membership("exclusive", record(position))));
      reason.path("struck").forEach(position -> nodes.add(struck(record(position))));
    }
    return nodes;
  }

  private JsonNode record(JsonNode position) {
    return trace.path("records").path(position.asInt());
  }

  private Node permission(String what, JsonNode record, String right) {
    List<Node> below = new ArrayList<>();
    path(below, "subjects", record.path("subject").asString(), right);
    path(below, "resources", record.path("object").asString(), right);
    return new Node(
        "%s to %s on %s%s%s"
            .formatted(
                what,
                id(record, "subject"),
                id(record, "object"),
                record.path("filter").isNull() ? "" : " under filter " + id(record, "filter"),
                by(record)),
        below);
  }

  private Node filter(JsonNode record) {
    String leaves = record.path("grants").asString();
    return new Node(
        "filter %s on %s leaves %s%s"
            .formatted(
                id(record, "subject"),
                id(record, "object"),
                leaves.isEmpty() ? "nothing" : leaves,
                by(record)));
  }

  private Node membership(String what, JsonNode record) {
    return new Node(
        "%s: %s is in %s%s"
            .formatted(what, id(record, "object"), id(record, "subject"), by(record)));
  }

  private Node struck(JsonNode record) {
    List<Node> below = new ArrayList<>();
    for (JsonNode individual : record.path("individuals")) {
      for (JsonNode said : individual.path("says")) {
        if (said.has("struckBy")) {
          below.add(
              new Node(
                  "what %s said was struck by %s"
                      .formatted(id(individual, "id"), id(said.path("struckBy"), "individual"))));
        }
      }
    }
    return new Node(
        "struck: %s of %s%s"
            .formatted(
                record.path("prefix").asString().equals("M") ? "membership" : "record",
                id(record, "object"),
                record.path("prefix").asString().equals("M")
                    ? " in " + id(record, "subject")
                    : " for " + id(record, "subject")),
        below);
  }

  /// The way from the subject or the resource to what a record names, on which a right is not lost.
  private void path(List<Node> below, String side, String to, String right) {
    List<String> path = new ArrayList<>(List.of(to));
    Optional<String> from = from(side, to, right);
    while (from.isPresent() && !path.contains(from.get())) {
      path.add(from.get());
      from = from(side, from.get(), right);
    }
    if (path.size() > 1) {
      List<String> way = path.reversed();
      List<String> steps = new ArrayList<>();
      for (int i = 1; i < way.size(); i++) {
        steps.add(step(way.get(i - 1), way.get(i)));
      }
      below.add(new Node(Terminal.safe(way.getFirst()) + String.join(", which", steps)));
    }
  }

  private Optional<String> from(String side, String id, String right) {
    for (JsonNode reached : trace.path(side)) {
      if (reached.path("id").asString().equals(id)) {
        for (JsonNode way : reached.path("ways")) {
          // A subject has in a group what the last step gives, however it got there.
          if (side.equals("subjects") || way.path("rights").asString().contains(right)) {
            return Optional.of(way.path("from").asString());
          }
        }
      }
    }
    return Optional.empty();
  }

  private String step(String member, String group) {
    String name = " is in " + Terminal.safe(group);
    for (JsonNode related : trace.path("relationships")) {
      if (related.path("member").asString().equals(member)
          && related.path("group").asString().equals(group)) {
        return name + given(related, id(related, "relation"));
      }
    }
    for (JsonNode record : trace.path("records")) {
      if (record.path("prefix").asString().equals("M")
          && record.path("object").asString().equals(member)
          && record.path("subject").asString().equals(group)) {
        return name + by(record);
      }
    }
    return name;
  }

  /// Who gave something, as what, and for how long it still lasts.
  private String given(JsonNode grant, String name) {
    Optional<Instant> end =
        Optional.ofNullable(grant.get("expiresAt")).map(JsonNode::asString).map(Instant::parse);
    return " %s%s"
        .formatted(
            terminal.bold(RemainingTime.words(end, terminal.now())),
            terminal.faint(" (%s, by %s)".formatted(name, id(grant, "grantedBy"))));
  }

  private String by(JsonNode record) {
    String individuals =
        record
            .path("individuals")
            .valueStream()
            .filter(each -> counts(each))
            .map(each -> id(each, "id"))
            .collect(Collectors.joining(", "));
    return individuals.isEmpty() ? "" : terminal.faint(" (" + individuals + ")");
  }

  private static boolean counts(JsonNode individual) {
    return individual.path("says").isEmpty()
        || individual.path("says").valueStream().anyMatch(said -> !said.has("struckBy"));
  }

  private static String id(JsonNode node, String name) {
    return Terminal.safe(node.path(name).asString());
  }

  private void print(List<Node> nodes, String indent) {
    for (int i = 0; i < nodes.size(); i++) {
      boolean last = i == nodes.size() - 1;
      lines.add(indent + (last ? "└─ " : "├─ ") + nodes.get(i).text);
      print(nodes.get(i).below, indent + (last ? "   " : "│  "));
    }
  }
}
