package dev.veridex.search.query;

import dev.veridex.index.TextExpression;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads what somebody types: words, "phrases", beginnings as `bik*`, near misses as `bike~` or
/// `bike~1`, with AND, OR and parentheses.
///
/// Two words without an operator between them mean what the asker says: one of them, or both. AND
/// binds more strongly than OR. A backslash takes the next letter as it is.
final class TextParser {
  static final int MAX_LEAVES = 500;
  private static final int MAX_LENGTH = 8192;
  private static final int MAX_WORD = 256;
  private static final int MAX_DEPTH = 50;
  private static final int MAX_EDITS = 2;
  private static final String POINTER = "/query";

  private final String text;
  private final boolean all;
  private int at;
  private int leaves;

  private TextParser(String text, boolean all) {
    this.text = text;
    this.all = all;
  }

  /// Reads a text.
  ///
  /// @param all whether words without an operator between them must all be found
  /// @return nothing, if there is nothing to look for
  static Optional<TextExpression> parse(String text, boolean all) {
    if (text.length() > MAX_LENGTH) {
      throw QueryProblem.at(POINTER, "a query has at most %d letters".formatted(MAX_LENGTH));
    }
    TextParser parser = new TextParser(text, all);
    Optional<TextExpression> parsed = parser.any(0);
    if (parser.at < text.length()) {
      throw QueryProblem.at(POINTER, "a parenthesis is closed that was not opened");
    }
    return parsed;
  }

  /// How many words and the like a text looks for.
  static int leaves(TextExpression text) {
    return switch (text) {
      case TextExpression.And(List<TextExpression> all) ->
          all.stream().mapToInt(TextParser::leaves).sum();
      case TextExpression.Or(List<TextExpression> any) ->
          any.stream().mapToInt(TextParser::leaves).sum();
      case TextExpression.Phrase(String words) -> words.split("\\s+").length;
      case TextExpression.Words _, TextExpression.Prefix _, TextExpression.Fuzzy _ -> 1;
    };
  }

  /// One or more, with OR between them.
  private Optional<TextExpression> any(int depth) {
    if (depth > MAX_DEPTH) {
      throw QueryProblem.at(POINTER, "parentheses are nested too deep");
    }
    List<TextExpression> any = new ArrayList<>();
    both(depth).ifPresent(any::add);
    while (operator("OR")) {
      both(depth).ifPresent(any::add);
    }
    return one(any, false);
  }

  /// One or more, with AND or nothing between them.
  private Optional<TextExpression> both(int depth) {
    List<TextExpression> loose = new ArrayList<>();
    List<TextExpression> bound = new ArrayList<>();
    leaf(depth).ifPresent(bound::add);
    while (true) {
      boolean and = operator("AND");
      if (!and && (atEnd() || peeks(")") || isOperator("OR"))) {
        break;
      }
      if (!and) {
        one(bound, true).ifPresent(loose::add);
        bound.clear();
      }
      leaf(depth).ifPresent(bound::add);
    }
    one(bound, true).ifPresent(loose::add);
    return one(loose, all);
  }

  private static Optional<TextExpression> one(List<TextExpression> some, boolean all) {
    return switch (some.size()) {
      case 0 -> Optional.empty();
      case 1 -> Optional.of(some.getFirst());
      default -> Optional.of(all ? new TextExpression.And(some) : new TextExpression.Or(some));
    };
  }

  private void skip() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private boolean atEnd() {
    skip();
    return at == text.length();
  }

  private boolean peeks(String what) {
    skip();
    return text.startsWith(what, at);
  }

  private boolean isOperator(String operator) {
    int end = at + operator.length();
    return peeks(operator)
        && (end == text.length()
            || Character.isWhitespace(text.charAt(end))
            || text.charAt(end) == '(');
  }

  private boolean operator(String operator) {
    skip();
    if (!isOperator(operator)) {
      return false;
    }
    at += operator.length();
    if (atEnd() || peeks(")") || isOperator("AND") || isOperator("OR")) {
      throw QueryProblem.at(POINTER, "something is missing after " + operator);
    }
    return true;
  }

  private Optional<TextExpression> leaf(int depth) {
    if (atEnd() || peeks(")")) {
      return Optional.empty();
    }
    if (isOperator("AND") || isOperator("OR")) {
      throw QueryProblem.at(POINTER, "something is missing before an operator");
    }
    if (peeks("(")) {
      at++;
      Optional<TextExpression> inner = any(depth + 1);
      if (!peeks(")")) {
        throw QueryProblem.at(POINTER, "a parenthesis is not closed");
      }
      at++;
      return inner;
    }
    leaves++;
    if (leaves > MAX_LEAVES) {
      throw QueryProblem.at(POINTER, "this looks for too many words at once");
    }
    return peeks("\"") ? phrase() : word();
  }

  private Optional<TextExpression> phrase() {
    at++;
    StringBuilder phrase = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      phrase.append(letter());
    }
    if (at == text.length()) {
      throw QueryProblem.at(POINTER, "a quotation mark is not closed");
    }
    at++;
    return phrase.isEmpty()
        ? Optional.empty()
        : Optional.of(new TextExpression.Phrase(phrase.toString()));
  }

  private char letter() {
    if (text.charAt(at) == '\\' && at + 1 < text.length()) {
      at++;
    }
    return text.charAt(at++);
  }

  private Optional<TextExpression> word() {
    StringBuilder word = new StringBuilder();
    while (at < text.length()) {
      char next = text.charAt(at);
      if (Character.isWhitespace(next) || next == '"' || next == '(' || next == ')') {
        break;
      }
      boolean last = isLast(at + 1);
      if (next == '*' && last && !word.isEmpty()) {
        at++;
        return Optional.of(new TextExpression.Prefix(word.toString()));
      }
      if (next == '~' && !word.isEmpty() && (last || isEdits())) {
        at++;
        return Optional.of(new TextExpression.Fuzzy(word.toString(), edits()));
      }
      word.append(letter());
      if (word.length() > MAX_WORD) {
        throw QueryProblem.at(POINTER, "a word has at most %d letters".formatted(MAX_WORD));
      }
    }
    return word.isEmpty()
        ? Optional.empty()
        : Optional.of(new TextExpression.Words(word.toString()));
  }

  private boolean isLast(int position) {
    return position >= text.length()
        || Character.isWhitespace(text.charAt(position))
        || text.charAt(position) == ')';
  }

  private boolean isEdits() {
    return Character.isDigit(text.charAt(at + 1)) && isLast(at + 2);
  }

  private int edits() {
    if (isLast(at)) {
      return MAX_EDITS;
    }
    int edits = text.charAt(at++) - '0';
    if (edits > MAX_EDITS) {
      throw QueryProblem.at(POINTER, "words may differ by two letters at most");
    }
    return edits;
  }
}
