package dev.veridex.http.routes.documents;

import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.index.IndexSuggest;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// Suggestions as JSON.
final class SuggestShapes {
  private static final long USUAL_LIMIT = 10;
  private static final long MAX_LIMIT = 100;

  private SuggestShapes() {}

  /// A request for suggestions.
  record SuggestRequest(String prefix, List<String> fields, int limit, Optional<String> as) {}

  private static final Member<String> PREFIX =
      Member.required("prefix", Type.TEXT, "what the words begin with");
  private static final Member<List<String>> FIELDS =
      Member.optional(
          "fields",
          Type.list(Type.TEXT),
          "where they are from; absent: all texts, strings and keywords");
  private static final Member<Long> LIMIT =
      Member.optional("limit", Type.whole(1, MAX_LIMIT), "the most words; 10 usually");
  static final Shape<SuggestRequest> ASKED_SHAPE =
      Shape.in(
          "Suggest",
          List.of(PREFIX, FIELDS, LIMIT, WhyShapes.AS),
          given ->
              new SuggestRequest(
                  given.get(PREFIX),
                  given.find(FIELDS).orElse(List.of()),
                  given.find(LIMIT).orElse(USUAL_LIMIT).intValue(),
                  given.find(WhyShapes.AS)));

  static JsonNode example() {
    return JsonNodeFactory.instance.objectNode().put("prefix", "bi");
  }

  private static final Member<String> TEXT = Member.required("text", Type.TEXT, "the word");
  private static final Member<Long> COUNT =
      Member.required("count", Type.whole(1, Long.MAX_VALUE), "how many documents have it");
  private static final Shape<IndexSuggest.Word> WORD =
      Shape.out(
          "SuggestedWord",
          List.of(TEXT, COUNT),
          (word, out) -> out.put(TEXT, word.text()).put(COUNT, word.count()));

  /// The suggestions.
  record SuggestAnswer(IndexSuggest.SuggestResult suggested, String revision) {}

  private static final Member<List<IndexSuggest.Word>> WORDS =
      Member.required("suggestions", Type.list(Type.object(WORD)), "the most frequent first");
  private static final Member<Boolean> COMPLETE =
      Member.required("complete", Type.BOOLEAN, "false: there were too many to look at all");
  static final Shape<SuggestAnswer> ANSWER =
      Shape.out(
          "SuggestAnswer",
          List.of(WORDS, COMPLETE, WriteReceipt.REVISION),
          (answered, out) ->
              out.put(WORDS, answered.suggested.words())
                  .put(COMPLETE, answered.suggested.complete())
                  .put(WriteReceipt.REVISION, answered.revision));
}
