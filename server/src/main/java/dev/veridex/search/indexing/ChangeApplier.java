package dev.veridex.search.indexing;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Problem;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.documents.publish.IndexRefusals;
import dev.veridex.index.IndexChange;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.search.indexing.IndexMessageDecoder.DecodedChange;
import dev.veridex.store.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Applies changes to an index; documents that it refuses go to the failed elements.
final class ChangeApplier {
  private final IndexerTools tools;
  private final IndexGeneration generation;

  ChangeApplier(IndexerTools tools, IndexGeneration generation) {
    this.tools = tools;
    this.generation = generation;
  }

  /// Applies messages, in the terms of a schema that is read after them: it knows every name that
  /// they have.
  ///
  /// @return how many there were
  int apply(SearchIndex index, TopicBatches.Batch batch) {
    Optional<IndexGenerations.OpenGeneration> open;
    try (Snapshot snapshot = tools.store().snapshot()) {
      open = tools.generations().find(snapshot, generation);
    }
    if (open.isEmpty()) {
      return 0;
    }
    List<DecodedChange> changes = new ArrayList<>();
    batch
        .messages()
        .values()
        .forEach(
            messages ->
                messages.forEach(
                    message ->
                        changes.add(
                            DecodedChange.of(
                                IndexMessageDecoder.decode(message.value()), open.get()))));
    apply(index, open.get().schema(), changes);
    return changes.size();
  }

  /// Applies changes; one that the index does not take leaves the others alone.
  void apply(SearchIndex index, Schema schema, List<DecodedChange> decoded) {
    try {
      index.apply(schema, decoded.stream().map(DecodedChange::change).toList());
    } catch (IllegalArgumentException e) {
      for (DecodedChange each : decoded) {
        try {
          index.apply(schema, List.of(each.change()));
        } catch (IllegalArgumentException alone) {
          refuse(index, schema, each, alone);
        }
      }
    }
  }

  private void refuse(
      SearchIndex index, Schema schema, DecodedChange decoded, IllegalArgumentException why) {
    IndexChange change = decoded.change();
    tools.refused().increment();
    tools
        .refusals()
        .add(
            generation,
            new IndexRefusals.Refusal(change.pk(), change.tuple(), decoded.attempts()),
            Problem.of(ErrorCode.INDEX_REFUSED, String.valueOf(why.getMessage())));
    // What was there before must not be taken for it.
    index.apply(
        schema,
        List.of(
            new IndexChange(
                change.pk(), change.tuple(), Optional.empty(), change.rememberedUntil())));
  }
}
