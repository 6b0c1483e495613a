package dev.veridex.cli;

import dev.veridex.cli.client.CommandFailure;
import dev.veridex.cli.client.ExitCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A sentence about permissions, such as `bob cannot R on doc-2, because denied by p-7`.
///
/// @param can whether all of the rights are to be there; else none of them
/// @param outcome what is to have become of each right, as a trace says it
/// @param behind the individuals that are to have had a part in it
record Assertion(
    String subject,
    boolean can,
    String rights,
    String resource,
    Optional<String> bucket,
    Optional<String> filter,
    Optional<String> outcome,
    List<String> behind) {
  private static final Set<String> OUTCOMES =
      Set.of("granted", "denied", "excluded", "closed", "capped", "missing");
  private static final int MAX_ID_BYTES = 1100;
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(,)|([^\\s\",]+)");

  /// Reads a sentence.
  ///
  /// @throws CommandFailure if it is none
  static Assertion read(String text) {
    return new WordReader(text).assertion();
  }

  /// Reads word by word. A word in quotation marks may have spaces and commas in it.
  private static final class WordReader {
    private final String text;
    private final List<String> words = new ArrayList<>();
    private int next;

    private WordReader(String text) {
      this.text = text;
      Matcher matcher = WORD.matcher(text);
      int end = 0;
      while (matcher.find()) {
        between(end, matcher.start());
        words.add(matcher.group(1) != null ? matcher.group(1) : matcher.group());
        end = matcher.end();
      }
      between(end, text.length());
    }

    /// Between words there are spaces.
    private void between(int from, int to) {
      if (!text.substring(from, to).isBlank()) {
        throw wrong("this is no word: " + text.substring(from, to).strip());
      }
    }

    private Assertion assertion() {
      String subject = word();
      boolean can = either("can", "cannot");
      String rights = word();
      if (!rights.matches("[CRUD]+")) {
        throw wrong("the rights are some of C, R, U and D, not " + rights);
      }
      expect("on");
      String resource = word();
      Optional<String> bucket = after("in");
      Optional<String> filter = after("under");
      Optional<String> outcome = Optional.empty();
      List<String> behind = new ArrayList<>();
      if (next < words.size()) {
        boolean _ = skip(",");
        expect("because");
        outcome = Optional.of(peek()).filter(OUTCOMES::contains);
        next += outcome.isPresent() ? 1 : 0;
        boolean named = skip("by");
        if (outcome.isEmpty() || named) {
          behind.add(word());
        }
        while (skip(",") || skip("and")) {
          behind.add(word());
        }
      }
      if (next < words.size()) {
        throw wrong("nothing is expected after this but: " + peek());
      }
      return new Assertion(subject, can, rights, resource, bucket, filter, outcome, behind);
    }

    private String peek() {
      return next < words.size() ? words.get(next) : "";
    }

    private String word() {
      if (next == words.size()) {
        throw wrong("it ends too early");
      }
      String word = words.get(next++);
      if (word.isEmpty() || word.getBytes(StandardCharsets.UTF_8).length > MAX_ID_BYTES) {
        throw wrong("an id has 1 to 1100 bytes");
      }
      return word;
    }

    private boolean skip(String word) {
      boolean found = peek().equals(word);
      next += found ? 1 : 0;
      return found;
    }

    private void expect(String word) {
      if (!skip(word)) {
        throw wrong("'%s' is expected instead of '%s'".formatted(word, peek()));
      }
    }

    private boolean either(String yes, String no) {
      if (skip(yes)) {
        return true;
      }
      if (skip(no)) {
        return false;
      }
      throw wrong("'%s' or '%s' is expected instead of '%s'".formatted(yes, no, peek()));
    }

    private Optional<String> after(String word) {
      return skip(word) ? Optional.of(word()) : Optional.empty();
    }

    private CommandFailure wrong(String why) {
      return new CommandFailure(
          ExitCode.USAGE, "this is no assertion: %s (%s)".formatted(text, why));
    }
  }
}
