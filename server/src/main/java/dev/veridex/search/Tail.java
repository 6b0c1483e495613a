package dev.veridex.search;

import dev.veridex.accounts.Place;
import dev.veridex.buckets.Asking;
import dev.veridex.buckets.Generation;
import dev.veridex.common.CursorSeal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.Tuple;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.Generations;
import dev.veridex.protocol.IndexMessage;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Documents of a bucket as they become searchable, or are not to be found any more.
///
/// They are told from the topic that feeds the index, once it shows them. What is superseded by
/// then is left out: something newer follows, or was told before.
public final class Tail {
  private static final int MESSAGES = 200;
  private static final long MESSAGE_BYTES = 1L << 20;

  /// About how much memory a part takes.
  public static final long PART_BYTES = 8L << 20;

  private final Store store;
  private final Search search;
  private final Generations generations;
  private final Topics topics;
  private final Feed feed;
  private final CursorSeal seal;
  private final Duration kept;

  /// @param kept how long topics keep messages
  public Tail(
      Store store,
      Search search,
      Generations generations,
      Topics topics,
      Feed feed,
      Duration kept) {
    this.store = store;
    this.search = search;
    this.generations = generations;
    this.topics = topics;
    this.feed = feed;
    this.seal = store.seal().cursors();
    this.kept = kept;
  }

  /// A place in what is told.
  ///
  /// @param at when everything up to it had been told
  public record Position(Generation generation, SortedMap<Integer, Long> offsets, Instant at) {}

  /// Some of what is told.
  ///
  /// @param more whether there is more at once
  public record Part(List<Told> told, Position until, boolean more) {}

  /// A document that became searchable, or is gone.
  public record Told(IndexMessage message) {
    public Tuple tuple() {
      return new Tuple(message.getEpoch(), message.getVersion(), message.getModifiedMicros());
    }

    /// When it ends.
    public Optional<Instant> expiresAt() {
      return message.hasExpiresMicros()
          ? Optional.of(Expiry.instant(message.getExpiresMicros()))
          : Optional.empty();
    }
  }

  /// Where to begin.
  ///
  /// @param since the id of a place; absent: now
  /// @throws VeridexException `CURSOR_EXPIRED` if some of what came after it is not kept any more
  public Position begin(Asking asking, Place place, String bucket, Optional<String> since) {
    Search.Serving serving = search.serving(asking, place, bucket);
    Generation generation = serving.open().generation();
    if (since.isPresent()) {
      Position position = read(generation, since.get());
      if (!position.at.plus(kept).isAfter(serving.now())) {
        throw expired("what came after this is not kept any more");
      }
      return position;
    }
    SortedMap<Integer, Long> offsets = new TreeMap<>(feed.visible(generation));
    for (int partition = 0; partition < serving.open().partitions(); partition++) {
      if (!offsets.containsKey(partition)) {
        offsets.put(partition, topics.last(generation, partition));
      }
    }
    return new Position(generation, offsets, serving.now());
  }

  /// Some of what became searchable after a place.
  ///
  /// @throws VeridexException `CURSOR_EXPIRED` if searches are answered from another epoch by now
  public Part after(Asking asking, Place place, String bucket, Position since) {
    Search.Serving serving = search.serving(asking, place, bucket);
    if (!serving.open().generation().equals(since.generation)) {
      throw expired("searches are answered from another epoch by now");
    }
    Map<Integer, Long> visible = feed.visible(since.generation);
    SortedMap<Integer, Long> offsets = new TreeMap<>(since.offsets);
    List<Told> told = new ArrayList<>();
    boolean more = false;
    for (Map.Entry<Integer, Long> shown : visible.entrySet()) {
      long from = offsets.getOrDefault(shown.getKey(), 0L);
      if (from >= shown.getValue()) {
        continue;
      }
      List<Topics.Message> messages =
          topics.read(since.generation, shown.getKey(), from, MESSAGES, MESSAGE_BYTES).stream()
              .filter(message -> message.number() <= shown.getValue())
              .toList();
      messages.forEach(message -> told.add(new Told(Changes.decode(message.value()))));
      long until = messages.isEmpty() ? shown.getValue() : messages.getLast().number();
      offsets.put(shown.getKey(), until);
      more |= until < shown.getValue();
    }
    return new Part(
        current(since.generation, told),
        new Position(since.generation, offsets, more ? since.at : serving.now()),
        more);
  }

  /// Without what something newer is known of.
  private List<Told> current(Generation generation, List<Told> told) {
    try (Snapshot snapshot = store.snapshot()) {
      Map<String, Tuple> newest =
          generations.newest(
              snapshot, generation, told.stream().map(each -> each.message.getPk()).toList());
      return told.stream()
          .filter(
              each ->
                  Optional.ofNullable(newest.get(each.message.getPk()))
                      .filter(tuple -> tuple.compareTo(each.tuple()) > 0)
                      .isEmpty())
          .toList();
    }
  }

  /// Waits until something may have become searchable after a place.
  public boolean await(Position told, Duration patience) {
    return feed.awaitMore(told.generation, told.offsets, patience);
  }

  /// The id of a place.
  public String id(Position place) {
    KeyWriter writer = new KeyWriter().instant(place.at).unsigned(place.offsets.size());
    place.offsets.forEach((partition, offset) -> writer.unsigned(partition).unsigned(offset));
    return seal.seal(list(place.generation), writer.toKey());
  }

  private Position read(Generation generation, String id) {
    try {
      KeyReader reader = new KeyReader(seal.open(list(generation), id));
      Instant at = reader.instant();
      SortedMap<Integer, Long> offsets = new TreeMap<>();
      for (long left = reader.unsigned(); left > 0; left--) {
        offsets.put((int) reader.unsigned(), reader.unsigned());
      }
      return new Position(generation, offsets, at);
    } catch (VeridexException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_CURSOR, "no event of this bucket has such an id"), e);
    }
  }

  private static byte[] list(Generation generation) {
    return new KeyWriter().string("tail").string(generation.name()).toKey();
  }

  private static VeridexException expired(String why) {
    return new VeridexException(Problem.of(ErrorCode.CURSOR_EXPIRED, why));
  }
}
