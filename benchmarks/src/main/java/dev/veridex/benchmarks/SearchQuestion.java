package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/// Something to search for, and how it is written.
///
/// @param first a word, or how one begins
/// @param second another word
/// @param from the smallest price
record SearchQuestion(Kind kind, String first, String second, String category, int from) {
  /// How many different ones there are of each kind.
  private static final int COUNT = Integer.getInteger("questions", 1024);

  private static final int PRICES = SearchData.MAX_PRICE / 10;

  /// The most frequent words are in nearly every document: nobody looks for them alone.
  private static final int FIRST_RANK = 20;

  /// What a search may consist of; each looks for words, too.
  enum Kind {
    TERM,
    PHRASE,
    AND,
    OR,
    FILTER,
    FACET,
    SORT,
    PREFIX;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// Many of a kind, the same ones always.
  ///
  /// @param documents how many documents there are
  static List<SearchQuestion> some(Kind kind, long documents) {
    SplittableRandom random = new SplittableRandom(kind.ordinal());
    return IntStream.range(0, COUNT).mapToObj(_ -> one(kind, documents, random)).toList();
  }

  private static SearchQuestion one(Kind kind, long documents, SplittableRandom random) {
    String first = word(random);
    String second = word(random);
    switch (kind) {
      case PHRASE, AND -> {
        // Something that there is.
        int[] body = SearchData.body(random.nextLong(documents));
        int at = random.nextInt(body.length - 1);
        first = SearchData.word(body[at]);
        second = SearchData.word(body[at + 1]);
      }
      case PREFIX -> first = first.substring(0, Math.min(3, first.length()));
      case TERM, OR, FILTER, FACET, SORT -> {}
    }
    return new SearchQuestion(
        kind,
        first,
        second,
        SearchData.category(random.nextInt(SearchData.CATEGORIES)),
        random.nextInt(SearchData.MAX_PRICE - PRICES));
  }

  /// Frequent and rare words alike.
  private static String word(SplittableRandom random) {
    double ranks = Math.log((double) SearchData.WORDS / FIRST_RANK);
    return SearchData.word((int) (FIRST_RANK * Math.exp(random.nextDouble() * ranks)));
  }

  int to() {
    return from + PRICES;
  }

  /// The body of a search as one of our servers takes it.
  byte[] json() {
    String rest =
        switch (kind) {
          case FILTER ->
              ",\"filter\":{\"price\":{\"gte\":%d,\"lt\":%d},\"category\":\"%s\"}"
                  .formatted(from, to(), category);
          case FACET -> ",\"facets\":{\"category\":{}}";
          case SORT -> ",\"sort\":[\"price\"]";
          case TERM, PHRASE, AND, OR, PREFIX -> "";
        };
    return "{\"query\":\"%s\",\"fields\":[\"body\"]%s}".formatted(query(), rest).getBytes(US_ASCII);
  }

  private String query() {
    return switch (kind) {
      case PHRASE -> "\\\"%s %s\\\"".formatted(first, second);
      case AND -> first + " AND " + second;
      case OR -> first + " OR " + second;
      case PREFIX -> first + "*";
      case TERM, FILTER, FACET, SORT -> first;
    };
  }

  /// The body of the same search as OpenSearch takes it.
  byte[] openSearch() {
    String rest =
        switch (kind) {
          case FACET -> ",\"aggs\":{\"category\":{\"terms\":{\"field\":\"category\"}}}";
          case SORT -> ",\"sort\":[\"price\"]";
          case TERM, PHRASE, AND, OR, FILTER, PREFIX -> "";
        };
    return "{\"track_total_hits\":true,\"size\":10,\"query\":%s%s}"
        .formatted(openSearchQuery(), rest)
        .getBytes(US_ASCII);
  }

  private String openSearchQuery() {
    String match = "{\"match\":{\"body\":\"%s\"}}".formatted(first);
    return switch (kind) {
      case PHRASE -> "{\"match_phrase\":{\"body\":\"%s %s\"}}".formatted(first, second);
      case AND, OR ->
          "{\"match\":{\"body\":{\"query\":\"%s %s\",\"operator\":\"%s\"}}}"
              .formatted(first, second, kind.text());
      case PREFIX -> "{\"prefix\":{\"body\":\"%s\"}}".formatted(first);
      case FILTER ->
          ("{\"bool\":{\"must\":[%s],\"filter\":[{\"range\":{\"price\":{\"gte\":%d,\"lt\":%d}}},"
                  + "{\"term\":{\"category\":\"%s\"}}]}}")
              .formatted(match, from, to(), category);
      case TERM, FACET, SORT -> match;
    };
  }
}
