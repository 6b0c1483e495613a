package dev.veridex.documents.publish;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Namespace;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.registry.DocumentResources;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registries;
import dev.veridex.documents.registry.Registry;
import dev.veridex.documents.registry.RegistryRow;
import dev.veridex.index.Schema;
import dev.veridex.protocol.IndexMessage;
import dev.veridex.queue.Queue;
import dev.veridex.queue.ReaderGroup;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/// The generations of all buckets, for whoever keeps their indexes.
public final class IndexGenerations {
  private static final long MAX_BYTES = 16L << 20;

  /// So many of a lane are looked at.
  private static final int MAX_FAILED = 10_000;

  private final BucketLookup lookup;
  private final Epochs.Store epochs;
  private final Registries registries;

  public IndexGenerations(BucketLookup lookup, Epochs.Store epochs, Registries registries) {
    this.lookup = lookup;
    this.epochs = epochs;
    this.registries = registries;
  }

  /// A generation that is open.
  ///
  /// @param schema of its documents, by now
  public record OpenGeneration(
      IndexGeneration generation, Schema schema, boolean serving, IndexedSettings settings) {
    /// Into how many partitions its topic is split.
    public int partitions() {
      return settings.shardCount();
    }
  }

  /// All that are open.
  public List<OpenGeneration> all(Reader reader) {
    List<OpenGeneration> all = new ArrayList<>();
    Buckets.each(
        reader,
        found -> {
          if (IndexedSettings.isIndexed(found.bucket())) {
            all.addAll(of(reader, found));
          }
        });
    return all;
  }

  private List<OpenGeneration> of(Reader reader, BucketLookup.LocatedBucket found) {
    BucketLocation location = found.data(found.bucket().side());
    IndexedSettings settings = IndexedSettings.of(found.bucket());
    return registries.epochs(epochs, reader, location).open().values().stream()
        .map(
            epoch ->
                new OpenGeneration(
                    new IndexGeneration(location, epoch.number()),
                    epoch.schema(),
                    epoch.serving(),
                    settings))
        .toList();
  }

  /// The one from which searches in a bucket are answered.
  public OpenGeneration serving(Reader reader, BucketLookup.LocatedBucket found) {
    return of(reader, found).stream().filter(OpenGeneration::serving).findFirst().orElseThrow();
  }

  /// A generation, if it is open.
  public Optional<OpenGeneration> find(Reader reader, IndexGeneration generation) {
    BucketLocation location = generation.location();
    return lookup
        .find(reader, Namespace.of(location.scope()), location.bucket())
        .filter(found -> IndexedSettings.isIndexed(found.bucket()))
        .flatMap(
            found ->
                of(reader, found).stream()
                    .filter(open -> open.generation.equals(generation))
                    .findFirst());
  }

  /// A page of documents in the terms of a generation.
  ///
  /// @param next where to go on; absent at the end
  /// @param done the part of all documents that are done with by then, from 0 to 1
  /// @param skipped how many cannot be told in the terms of the generation
  public record WalkPage(
      List<IndexMessage> messages, Optional<byte[]> next, double done, int skipped) {}

  /// What a generation is to hold, in the order of the registry.
  ///
  /// @param after the position to go on after; empty at the beginning
  public WalkPage walk(Reader reader, IndexGeneration generation, byte[] after, int limit) {
    Registry registry = registries.at(reader, generation.location());
    Epochs open = registries.epochs(epochs, reader, generation.location());
    Optional<Epochs.Epoch> epoch = open.find(generation.epoch());
    Registry.WalkPage walked = walk(registry, reader, after, limit);
    IndexMessageBuilder messages =
        new IndexMessageBuilder(
            reader,
            registry,
            Converter.USUAL,
            IndexedSettings.in(lookup, reader, generation.location()));
    List<IndexMessage> found = new ArrayList<>();
    int skipped = 0;
    Map<Registry.BodyId, Optional<Registry.Body>> bodies = messages.bodies(walked.documents());
    for (Registry.DocumentRows document : walked.documents()) {
      document.rows().keySet().retainAll(open.numbers());
      try {
        if (epoch.isPresent() && concerns(document, epoch.get(), reader)) {
          found.add(messages.of(document, epoch.get(), bodies));
        }
      } catch (RuntimeException e) {
        // Those who send it say what is wrong with it. One document never keeps the rest out.
        skipped++;
      }
    }
    return new WalkPage(
        found,
        walked.next(),
        walked.next().map(position -> registry.fraction(reader, position)).orElse(1.0),
        skipped);
  }

  /// As many as are not too much at once, unpacked; at least one.
  private static Registry.WalkPage walk(Registry registry, Reader reader, byte[] after, int limit) {
    Registry.WalkPage walked = registry.walk(reader, after, limit);
    long bytes =
        walked.documents().stream()
            .flatMap(document -> document.rows().values().stream())
            .mapToLong(RegistryRow::documentBytes)
            .sum();
    return bytes <= MAX_BYTES || limit == 1
        ? walked
        : walk(registry, reader, after, (int) Math.max(1, limit * MAX_BYTES / (2 * bytes)));
  }

  /// Whether a generation is told of a document: of one that is alive, not by older epochs.
  private static boolean concerns(
      Registry.DocumentRows document, Epochs.Epoch generation, Reader reader) {
    return document
        .newest()
        .filter(
            newest ->
                !newest.isAlive(reader.now()) || generation.number() <= newest.tuple().epoch())
        .isPresent();
  }

  /// Whether there is a document.
  public boolean isAlive(Reader reader, IndexGeneration generation, String pk) {
    return registries
        .at(reader, generation.location())
        .find(reader, List.of(pk), epochs.read(reader, generation.location()).numbers())
        .getFirst()
        .newest()
        .filter(newest -> newest.isAlive(reader.now()))
        .isPresent();
  }

  /// The newest tuples that are known of documents.
  public Map<String, VersionTuple> newest(
      Reader reader, IndexGeneration generation, List<String> pks) {
    Registry registry = registries.at(reader, generation.location());
    Map<String, VersionTuple> newest = new HashMap<>();
    for (Registry.DocumentRows known :
        registry.find(reader, pks, epochs.read(reader, generation.location()).numbers())) {
      known.newest().ifPresent(row -> newest.put(known.pk(), row.tuple()));
    }
    return newest;
  }

  /// The newest state of a document, alive or not.
  ///
  /// @param acceptedAt no later than its commit
  /// @param resources whose rights decide who may read it; of a deleted one those of its key
  public record NewestState(
      VersionTuple tuple, boolean alive, Instant acceptedAt, List<String> resources) {}

  /// The newest states of those documents that have another one than a reader of the index has
  /// found. What is not there at all was deleted so long ago that nobody remembers it.
  public Map<String, NewestState> superseding(
      Reader reader,
      BucketLookup.LocatedBucket bucket,
      OpenGeneration open,
      Map<String, VersionTuple> found) {
    Registry registry = registries.of(bucket);
    Map<String, NewestState> superseding = new HashMap<>();
    Collection<Long> numbers = epochs.read(reader, open.generation.location()).numbers();
    for (Registry.DocumentRows known :
        registry.find(reader, List.copyOf(found.keySet()), numbers)) {
      Optional<RegistryRow> newest = known.newest();
      if (newest.isEmpty()) {
        superseding.put(
            known.pk(), new NewestState(VersionTuple.NONE, false, Instant.EPOCH, List.of()));
      } else if (!newest.get().tuple().equals(found.get(known.pk()))) {
        superseding.put(known.pk(), newest(reader, registry, open.settings, known, newest.get()));
      }
    }
    return superseding;
  }

  /// The newest state of a document.
  public NewestState newest(
      Reader reader, BucketLookup.LocatedBucket bucket, OpenGeneration open, String pk) {
    return Objects.requireNonNull(
        superseding(reader, bucket, open, Map.of(pk, VersionTuple.NONE)).get(pk));
  }

  private static NewestState newest(
      Reader reader,
      Registry registry,
      IndexedSettings settings,
      Registry.DocumentRows known,
      RegistryRow row) {
    boolean alive = row.isAlive(reader.now());
    List<String> resources =
        settings.resourceField().isEmpty()
            ? List.of(settings.resource(known.pk()))
            : registry
                .bodies(reader, List.of(new Registry.BodyId(known.pk(), row.tuple().epoch())))
                .getFirst()
                .filter(_ -> alive)
                .map(body -> DocumentResources.of(settings, known.pk(), body.document()))
                .orElse(List.of());
    return new NewestState(row.tuple(), alive, row.acceptedAt(), resources);
  }

  /// A state of what a generation is made of, and of who may read it.
  ///
  /// @param sequence of the last commit in it
  /// @param arrangement of the account then, or some time later
  /// @param certain whether it was the arrangement then
  /// @param retried up to where failed elements had been tried again, by lane
  public record Watermark(
      long sequence, long arrangement, boolean certain, Map<Integer, Long> retried) {
    /// The state before anything was accepted.
    public static final Watermark NOTHING = new Watermark(0, 0, false, Map.of());

    public Watermark {
      retried = Map.copyOf(retried);
    }

    /// The later one of two states, of which one follows the other. A number of an arrangement
    /// never comes back: what was the same before and after was the same in between.
    public Watermark orLater(Watermark next) {
      if (next.sequence < sequence) {
        return this;
      }
      if (next.sequence == sequence) {
        // Where the oldest waits, others may have been tried again.
        Map<Integer, Long> later = new HashMap<>(retried);
        next.retried.forEach((lane, offset) -> later.merge(lane, offset, Math::max));
        return new Watermark(sequence, arrangement, certain, later);
      }
      boolean same = certain && arrangement == next.arrangement;
      return new Watermark(next.sequence, next.arrangement, next.certain || same, next.retried);
    }
  }

  /// The state that a reader sees.
  public Watermark asOf(Snapshot snapshot, IndexGeneration generation) {
    return asOf(snapshot, generation, snapshot.revision().sequence());
  }

  private Watermark asOf(Snapshot snapshot, IndexGeneration generation, long sequence) {
    String account = Namespace.of(generation.location().scope()).account();
    return new Watermark(
        sequence,
        lookup.arrangement(snapshot, account),
        sequence == snapshot.revision().sequence(),
        retried(snapshot, generation));
  }

  private static Map<Integer, Long> retried(Reader reader, IndexGeneration generation) {
    ReaderGroup failed =
        new ReaderGroup(
            new Queue(generation.location(), DocumentQueues.FAILED), DocumentQueues.PUBLISHERS);
    Map<Integer, Long> retried = new HashMap<>();
    for (int lane : failed.queue().used(reader)) {
      retried.put(lane, failed.position(reader, lane).offset());
    }
    return retried;
  }

  /// The state up to which everything that was accepted was sent to the topics, or has failed.
  public Watermark sent(Snapshot snapshot, IndexGeneration generation) {
    ReaderGroup group =
        new ReaderGroup(DocumentQueues.main(generation.location()), DocumentQueues.PUBLISHERS);
    long sent = snapshot.revision().sequence();
    for (int shard : group.queue().used(snapshot)) {
      long offset = group.position(snapshot, shard).offset();
      for (Queue.Element next : group.queue().read(snapshot, shard, offset, 1, Long.MAX_VALUE)) {
        sent = Math.min(sent, AppendedRecord.sequence(next.idx()) - 1);
      }
    }
    return asOf(snapshot, generation, sent);
  }

  /// Whether an answer lacks a state that was accepted by some time: the newest one; or one before
  /// it, which the newest replaces only in later answers.
  private static boolean isMissing(RegistryRow newest, VersionTuple failed, Instant until) {
    boolean later = newest.acceptedAt().isAfter(until);
    return newest.tuple().equals(failed) ? !later : later;
  }

  /// The keys of documents whose newest state could not be sent or indexed: they are tried again,
  /// or wait for somebody.
  ///
  /// @param shown what the index shows: what was tried again since is not there yet
  /// @param until those that were accepted by then
  /// @param wanted which of them
  public List<String> failed(
      Reader reader,
      IndexGeneration generation,
      Watermark shown,
      Instant until,
      int limit,
      Predicate<String> wanted) {
    Map<String, VersionTuple> failed = new TreeMap<>();
    for (String name : List.of(DocumentQueues.FAILED, DocumentQueues.DEAD)) {
      Queue queue = new Queue(generation.location(), name);
      for (int lane : queue.used(reader)) {
        // Nobody reads those that wait for somebody.
        long offset = name.equals(DocumentQueues.DEAD) ? 0 : shown.retried.getOrDefault(lane, 0L);
        queue.read(reader, lane, offset, MAX_FAILED, Long.MAX_VALUE).stream()
            .map(element -> PublishTask.decode(element.payload()))
            .filter(element -> wanted.test(element.pk()))
            .forEach(
                element ->
                    failed.merge(
                        element.pk(),
                        element.tuple(),
                        (one, other) -> one.compareTo(other) >= 0 ? one : other));
      }
    }
    Registry registry = registries.at(reader, generation.location());
    return registry
        .find(
            reader,
            List.copyOf(failed.keySet()),
            epochs.read(reader, generation.location()).numbers())
        .stream()
        .filter(
            known ->
                known
                    .newest()
                    .filter(
                        row ->
                            isMissing(row, Objects.requireNonNull(failed.get(known.pk())), until))
                    .isPresent())
        .map(Registry.DocumentRows::pk)
        .limit(limit)
        .toList();
  }
}
