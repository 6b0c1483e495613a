package dev.veridex.objects;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.json.JsonText;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A JSON Patch (RFC 6902) of attributes: all of its operations are applied, or none.
public record AttributePatch(List<JsonNode> operations) {
  /// The largest attributes of a row, as JSON.
  static final int MAX_BYTES = 64 << 10;

  private static final int MAX_OPERATIONS = 100;
  private static final int MAX_DEPTH = 50;

  public AttributePatch {
    operations = List.copyOf(operations);
    if (operations.isEmpty() || operations.size() > MAX_OPERATIONS) {
      throw wrong("A patch has 1 to %d operations.".formatted(MAX_OPERATIONS), "");
    }
  }

  /// The attributes after the patch; those handed in stay as they are.
  ///
  /// @throws VeridexException `BAD_REQUEST`; `CONFLICT` if a value is not what a test asks for
  JsonNode apply(ObjectNode attributes) {
    JsonNode root = attributes.deepCopy();
    for (int i = 0; i < operations.size(); i++) {
      root = new Operation(operations.get(i), "/" + i).apply(root);
      // Copies of copies would double each time.
      requireSmall(root);
    }
    return root;
  }

  private static void requireSmall(JsonNode attributes) {
    requireFlat(attributes, 1);
    int bytes = JsonText.write(attributes).length;
    if (bytes > MAX_BYTES) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.TOO_LARGE,
                  "The attributes of a row have at most %d bytes.".formatted(MAX_BYTES))
              .with("bytes", bytes)
              .with("max", MAX_BYTES));
    }
  }

  /// What is written can be read again.
  private static void requireFlat(JsonNode node, int depth) {
    if (depth > MAX_DEPTH) {
      throw wrong("Attributes are nested at most %d deep.".formatted(MAX_DEPTH), "");
    }
    node.forEach(each -> requireFlat(each, depth + 1));
  }

  private static VeridexException wrong(String detail, String pointer) {
    return new VeridexException(Problem.of(ErrorCode.BAD_REQUEST, detail).at(pointer));
  }

  private record Operation(JsonNode node, String pointer) {
    private JsonNode apply(JsonNode root) {
      String op = text("op");
      List<String> path = path("path");
      return switch (op) {
        case "add" -> add(root, path, value());
        case "remove" -> remove(root, path);
        case "replace" -> {
          find(root, path, "path");
          yield path.isEmpty() ? value() : add(remove(root, path), path, value());
        }
        case "copy" -> add(root, path, find(root, path("from"), "from").deepCopy());
        case "move" -> {
          List<String> from = path("from");
          JsonNode moved = find(root, from, "from");
          if (path.size() > from.size() && path.subList(0, from.size()).equals(from)) {
            throw wrong("A value cannot be moved into itself.", pointer + "/path");
          }
          yield add(remove(root, from), path, moved);
        }
        case "test" -> test(root, path);
        default ->
            throw wrong(
                "\"%s\" is no operation: use add, remove, replace, copy, move, test.".formatted(op),
                pointer + "/op");
      };
    }

    private String text(String name) {
      JsonNode member = node.path(name);
      if (!member.isString()) {
        throw wrong("An operation has a text \"%s\".".formatted(name), pointer + "/" + name);
      }
      return member.asString();
    }

    private JsonNode value() {
      if (!node.has("value")) {
        throw wrong("This operation needs a \"value\".", pointer + "/value");
      }
      return node.get("value").deepCopy();
    }

    private List<String> path(String name) {
      String text = text(name);
      if (!text.isEmpty() && !text.startsWith("/")) {
        throw wrong(
            "\"%s\" is no JSON pointer: it begins with a slash.".formatted(text),
            pointer + "/" + name);
      }
      List<String> path = new ArrayList<>();
      for (String part : text.isEmpty() ? new String[0] : text.substring(1).split("/", -1)) {
        path.add(part.replace("~1", "/").replace("~0", "~"));
      }
      return path;
    }

    private VeridexException missing(String member) {
      return wrong("There is nothing at %s.".formatted(text(member)), pointer + "/" + member);
    }

    private JsonNode find(JsonNode root, List<String> path, String member) {
      JsonNode at = root;
      for (String part : path) {
        JsonNode next =
            at instanceof ArrayNode array ? array.path(index(array, part, false)) : at.path(part);
        if (next.isMissingNode()) {
          throw missing(member);
        }
        at = next;
      }
      return at;
    }

    private int index(ArrayNode array, String part, boolean toAdd) {
      if (toAdd && part.equals("-")) {
        return array.size();
      }
      boolean number = part.matches("0|[1-9]\\d{0,8}");
      int index = number ? Integer.parseInt(part) : -1;
      if (index < 0 || index > array.size() - (toAdd ? 0 : 1)) {
        throw wrong("\"%s\" is no place in this array.".formatted(part), pointer + "/path");
      }
      return index;
    }

    private JsonNode add(JsonNode root, List<String> path, JsonNode value) {
      if (path.isEmpty()) {
        return value;
      }
      String last = path.getLast();
      switch (find(root, path.subList(0, path.size() - 1), "path")) {
        case ObjectNode object -> object.set(last, value);
        case ArrayNode array -> array.insert(index(array, last, true), value);
        default -> throw missing("path");
      }
      return root;
    }

    private JsonNode remove(JsonNode root, List<String> path) {
      find(root, path, "path");
      if (path.isEmpty()) {
        throw wrong("Attributes as a whole can be replaced, not removed.", pointer + "/path");
      }
      String last = path.getLast();
      switch (find(root, path.subList(0, path.size() - 1), "path")) {
        case ObjectNode object -> object.remove(last);
        case ArrayNode array -> array.remove(index(array, last, false));
        default -> throw missing("path");
      }
      return root;
    }

    /// Numbers are equal if they are as numbers.
    private JsonNode test(JsonNode root, List<String> path) {
      JsonNode found = find(root, path, "path");
      if (!isSame(found, value())) {
        throw new VeridexException(
            Problem.of(
                    ErrorCode.CONFLICT, "The value at %s is another one.".formatted(text("path")))
                .at(pointer));
      }
      return root;
    }

    private static boolean isSame(JsonNode one, JsonNode other) {
      return one.equals(
          (left, right) ->
              left.isNumber() && right.isNumber()
                  ? left.decimalValue().compareTo(right.decimalValue())
                  : left.equals(right) ? 0 : 1,
          other);
    }
  }
}
