package dev.veridex.search.query;

import dev.veridex.buckets.ActingCaller;
import dev.veridex.common.CursorSeal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.IndexView;
import dev.veridex.protocol.IndexMessage;
import dev.veridex.search.indexing.FreshView;
import dev.veridex.search.indexing.IndexMessageDecoder;
import dev.veridex.search.indexing.IndexerPool;
import dev.veridex.search.indexing.VisibleState;
import dev.veridex.store.Store;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Documents of a bucket as they become searchable, or are not to be found any more.
///
/// The topic that feeds the index says which, once the index shows them; what is told is what the
/// index has. So what is superseded is left out, for something newer follows or was told before,
/// and so is what the index did not take. That something expires is not told.
public final class DocumentTail {
  private static final int MESSAGES = 200;
  private static final long READ_BYTES = 256L << 10;

  /// About how much memory a part takes: what is read, and what the index has.
  public static final long PART_BYTES = 2 * READ_BYTES;

  private final Searcher search;
  private final Topics topics;
  private final IndexerPool indexers;
  private final CursorSeal seal;
  private final Duration kept;

  /// @param kept how long topics keep messages
  public DocumentTail(
      Store store, Searcher search, Topics topics, IndexerPool indexers, Duration kept) {
    this.search = search;
    this.topics = topics;
    this.indexers = indexers;
    this.seal = store.seal().cursors();
    this.kept = kept;
  }

  /// A position in what is told.
  ///
  /// @param at when everything up to it had been told
  public record Position(
      IndexGeneration generation, SortedMap<Integer, Long> offsets, Instant at) {}

  /// A page of events.
  ///
  /// @param more whether there is more at once
  public record Part(List<Event> told, Position until, boolean more) {}

  /// A document that became searchable, or is gone.
  ///
  /// @param entry as the index has it; absent if it is gone
  public record Event(String pk, VersionTuple tuple, Optional<IndexView.StoredEntry> entry) {}

  /// Where to begin.
  ///
  /// @param since the id of a position; absent: now
  /// @throws VeridexException `CURSOR_EXPIRED` if some of what came after it is not kept any more,
  ///   `INDEX_BUILDING`
  public Position begin(
      ActingCaller actor, Namespace namespace, String bucket, Optional<String> since) {
    Searcher.ServingGeneration serving = search.serving(actor, namespace, bucket);
    IndexGeneration generation = serving.open().generation();
    if (since.isPresent()) {
      Position position = read(namespace, bucket, serving.open(), since.get());
      check(position, serving);
      return position;
    }
    VisibleState shown = indexers.visibleState(generation);
    return new Position(generation, new TreeMap<>(shown.offsets()), shown.at());
  }

  private void check(Position position, Searcher.ServingGeneration serving) {
    if (!serving.open().generation().equals(position.generation)) {
      throw expired("searches are answered from another epoch by now");
    }
    if (!position.at.plus(kept).isAfter(serving.now())) {
      throw expired("what came after this is not kept any more");
    }
  }

  /// Some of what became searchable after a position.
  ///
  /// @throws VeridexException as [#begin]
  public Part after(ActingCaller actor, Namespace namespace, String bucket, Position since) {
    Searcher.ServingGeneration serving = search.serving(actor, namespace, bucket);
    check(since, serving);
    VisibleState shown = indexers.visibleState(since.generation);
    SortedMap<Integer, Long> offsets = new TreeMap<>(since.offsets);
    List<IndexMessage> messages = new ArrayList<>();
    boolean more = false;
    long left = READ_BYTES;
    for (Map.Entry<Integer, Long> partition : shown.offsets().entrySet()) {
      long from = offsets.getOrDefault(partition.getKey(), 0L);
      if (from >= partition.getValue()) {
        continue;
      }
      if (left <= 0) {
        more = true;
        break;
      }
      List<Topics.Message> some =
          topics.read(since.generation, partition.getKey(), from, MESSAGES, left).stream()
              .filter(message -> message.number() <= partition.getValue())
              .toList();
      for (Topics.Message message : some) {
        left -= message.value().length;
        messages.add(IndexMessageDecoder.decode(message.value()));
      }
      long until = some.isEmpty() ? partition.getValue() : some.getLast().number();
      offsets.put(partition.getKey(), until);
      more |= until < partition.getValue();
    }
    return new Part(
        current(since.generation, messages, serving.now()),
        new Position(since.generation, offsets, more ? since.at : shown.at()),
        more);
  }

  /// What the index has of documents, or has not any more.
  private List<Event> current(
      IndexGeneration generation, List<IndexMessage> messages, Instant now) {
    // As fresh as what was read, or fresher.
    FreshView seen = indexers.look(generation);
    try (IndexView view = seen.view()) {
      List<Optional<VersionTuple>> known =
          view.tuples(messages.stream().map(IndexMessage::getPk).toList(), now);
      Map<String, Event> told = new LinkedHashMap<>();
      List<String> there = new ArrayList<>();
      for (int i = 0; i < messages.size(); i++) {
        IndexMessage message = messages.get(i);
        VersionTuple tuple =
            new VersionTuple(message.getEpoch(), message.getVersion(), message.getModifiedMicros());
        boolean isThere = known.get(i).equals(Optional.of(tuple));
        if (isThere || (!message.hasDocument() && known.get(i).isEmpty())) {
          told.put(message.getPk(), new Event(message.getPk(), tuple, Optional.empty()));
        }
        if (isThere) {
          there.add(message.getPk());
        }
      }
      for (IndexView.StoredEntry held :
          view.find(there, now).stream().flatMap(Optional::stream).toList()) {
        told.put(held.pk(), new Event(held.pk(), held.tuple(), Optional.of(held)));
      }
      return List.copyOf(told.values());
    } catch (DamagedIndexException e) {
      indexers.reportDamage(seen.source());
      throw e;
    } catch (VeridexException e) {
      throw e;
    } catch (RuntimeException e) {
      indexers.requestDamageScan(seen.source());
      throw e;
    }
  }

  /// Waits until something may have become searchable after a position.
  public boolean await(Position told, Duration patience) {
    return indexers.awaitMore(told.generation, told.offsets, patience);
  }

  /// The id of a position.
  public String id(Namespace namespace, String bucket, Position position) {
    KeyWriter writer = new KeyWriter().string(position.generation.name()).instant(position.at);
    writer.unsigned(position.offsets.size());
    position.offsets.forEach((partition, offset) -> writer.unsigned(partition).unsigned(offset));
    return seal.seal(list(namespace, bucket), writer.toKey());
  }

  private Position read(
      Namespace namespace, String bucket, IndexGenerations.OpenGeneration open, String id) {
    KeyReader reader;
    try {
      reader = new KeyReader(seal.open(list(namespace, bucket), id));
    } catch (VeridexException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_CURSOR, "no event of this bucket has such an id"), e);
    }
    if (!reader.string().equals(open.generation().name())) {
      throw expired("searches are answered from another epoch by now");
    }
    Instant at = reader.instant();
    SortedMap<Integer, Long> offsets = new TreeMap<>();
    for (long left = reader.unsigned(); left > 0; left--) {
      offsets.put((int) reader.unsigned(), reader.unsigned());
    }
    return new Position(open.generation(), offsets, at);
  }

  private static byte[] list(Namespace namespace, String bucket) {
    return new KeyWriter()
        .string("tail")
        .string(namespace.scope().toString())
        .string(bucket)
        .toKey();
  }

  private static VeridexException expired(String why) {
    return new VeridexException(Problem.of(ErrorCode.CURSOR_EXPIRED, why));
  }
}
