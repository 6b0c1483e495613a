package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;

/// Documents of about 1 KiB with words as texts have them: few that are everywhere, many that are
/// rare. A document is made of its number, always the same one.
final class SearchData {
  static final int WORDS = 50_000;
  static final int CATEGORIES = 50;
  static final int MAX_PRICE = 10_000;

  private static final int TITLE_WORDS = 6;
  private static final int BODY_BYTES = 730;
  private static final int TAGS = 1000;
  private static final String CONSONANTS = "bcdfghjklmnprstvwz";
  private static final String VOWELS = "aeiou";
  private static final Instant FIRST = Instant.parse("2024-01-01T00:00:00Z");
  private static final int SECONDS = (int) Duration.ofDays(730).toSeconds();
  private static final Instant MODIFIED_AT =
      Instant.now().minus(Duration.ofMinutes(1)).truncatedTo(ChronoUnit.MICROS);

  private static final String[] VOCABULARY = vocabulary();

  /// Words by how often they come: each has as many places as it deserves.
  private static final int[] DRAWN = drawn();

  private SearchData() {}

  /// A word; the smaller its number, the more often it comes.
  static String word(int number) {
    return VOCABULARY[number];
  }

  static String category(int number) {
    return "category-%02d".formatted(number);
  }

  static String pk(long n) {
    return "item-%09d".formatted(n);
  }

  /// A word of the title that no other document has.
  static String own(long n) {
    return "own" + n;
  }

  /// The words of the text of a document, by number.
  static int[] body(long n) {
    SplittableRandom random = new SplittableRandom(n);
    int[] words = new int[BODY_BYTES / 2];
    int count = 0;
    for (int bytes = 0; bytes < BODY_BYTES; bytes += VOCABULARY[words[count++]].length() + 1) {
      words[count] = DRAWN[random.nextInt(DRAWN.length)];
    }
    return Arrays.copyOf(words, count);
  }

  /// A document as one of our servers takes it.
  static byte[] json(long n) {
    String head =
        "{\"pk\":\"%s\",\"epoch\":1,\"version\":1,\"modifiedAt\":\"%s\",\"action\":\"UPSERT\",\"fields\":";
    return Loopback.joined(
        head.formatted(pk(n), MODIFIED_AT).getBytes(US_ASCII), fields(n), "}".getBytes(US_ASCII));
  }

  /// The fields of a document, an object.
  static byte[] fields(long n) {
    SplittableRandom random = new SplittableRandom(~n);
    StringBuilder json = new StringBuilder(1100).append("{\"title\":\"");
    for (int i = 0; i < TITLE_WORDS; i++) {
      json.append(VOCABULARY[DRAWN[random.nextInt(DRAWN.length)]]).append(' ');
    }
    json.append(own(n)).append("\",\"body\":\"");
    for (int word : body(n)) {
      json.append(VOCABULARY[word]).append(' ');
    }
    json.append("\",\"category\":\"").append(category(random.nextInt(CATEGORIES)));
    json.append("\",\"price\":").append(random.nextInt(MAX_PRICE * 100) / 100.0);
    json.append(",\"created\":\"").append(FIRST.plusSeconds(random.nextInt(SECONDS)));
    json.append("\",\"tags\":[\"tag-").append(random.nextInt(TAGS));
    json.append("\",\"tag-").append(TAGS + random.nextInt(TAGS)).append("\"]}");
    return json.toString().getBytes(US_ASCII);
  }

  private static String[] vocabulary() {
    SplittableRandom random = new SplittableRandom(1);
    Set<String> words = new LinkedHashSet<>();
    while (words.size() < WORDS) {
      int syllables = words.size() < 64 ? 1 : words.size() < 4000 ? 2 : 3;
      StringBuilder word = new StringBuilder();
      for (int i = 0; i < syllables; i++) {
        word.append(letter(CONSONANTS, random)).append(letter(VOWELS, random));
      }
      words.add(random.nextBoolean() ? word.toString() : word + letter(CONSONANTS, random));
    }
    return words.toArray(String[]::new);
  }

  private static String letter(String letters, SplittableRandom random) {
    return String.valueOf(letters.charAt(random.nextInt(letters.length())));
  }

  /// By Zipf's law: the word of rank n comes 1/n as often as the first.
  private static int[] drawn() {
    double[] upTo = new double[WORDS];
    double sum = 0;
    for (int i = 0; i < WORDS; i++) {
      sum += 1.0 / (i + 1);
      upTo[i] = sum;
    }
    int[] drawn = new int[1 << 20];
    int word = 0;
    for (int i = 0; i < drawn.length; i++) {
      while (upTo[word] < sum * (i + 0.5) / drawn.length) {
        word++;
      }
      drawn[i] = word;
    }
    return drawn;
  }
}
