package dev.veridex.search.indexing;

import dev.veridex.common.IndexGeneration;
import dev.veridex.common.IntegrityScan;
import dev.veridex.common.VeridexException;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.protocol.IndexMessage;
import dev.veridex.protocol.RawDocument;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;

/// Compares each search index with what the registry says that it is to hold, while documents come
/// in: everything that was accepted before the check must be there, or something newer.
public final class SearchIntegrity implements IntegrityScan {
  private static final int SOME = 500;

  /// An index that is further behind cannot be compared.
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Store store;
  private final IndexGenerations generations;
  private final IndexerPool indexers;

  public SearchIntegrity(Store store, IndexGenerations generations, IndexerPool indexers) {
    this.store = store;
    this.generations = generations;
    this.indexers = indexers;
  }

  @Override
  public String name() {
    return "search";
  }

  @Override
  public Outcome run(LongConsumer progress) {
    Run run = new Run(progress);
    List<IndexGenerations.OpenGeneration> all;
    try (Snapshot snapshot = store.snapshot()) {
      all = generations.all(snapshot);
    }
    all.forEach(run::look);
    return new Outcome(run.examined, run.drift);
  }

  private final class Run {
    private final LongConsumer progress;
    private final List<String> drift = new ArrayList<>();
    private long examined;

    private Run(LongConsumer progress) {
      this.progress = progress;
    }

    private void look(IndexGenerations.OpenGeneration open) {
      try (Snapshot snapshot = store.snapshot()) {
        Optional<IndexGenerations.OpenGeneration> now =
            generations.find(snapshot, open.generation());
        if (now.isPresent()) {
          indexers.await(
              now.get(), snapshot.revision().sequence(), System.nanoTime() + PATIENCE.toNanos());
          compare(snapshot, now.get(), indexers.look(open.generation()));
        }
      } catch (VeridexException e) {
        if (isOpen(open.generation())) {
          tell(open.generation(), "it cannot be compared: " + e.getMessage());
        }
      }
    }

    private void compare(Snapshot snapshot, IndexGenerations.OpenGeneration open, FreshView seen) {
      try (IndexView view = seen.view()) {
        missing(snapshot, open, view);
        superfluous(open.generation(), view, snapshot.now());
      } catch (DamagedIndexException e) {
        indexers.reportDamage(seen.source());
        throw e;
      } catch (VeridexException e) {
        throw e;
      } catch (RuntimeException e) {
        indexers.requestDamageScan(seen.source());
        tell(open.generation(), "it cannot be read: " + e);
      }
    }

    private boolean isOpen(IndexGeneration generation) {
      try (Snapshot fresh = store.snapshot()) {
        return generations.find(fresh, generation).isPresent();
      }
    }

    private void tell(IndexGeneration generation, String what) {
      if (drift.size() < Outcome.MAX_DRIFT) {
        drift.add(
            "the search index of epoch %d of bucket %s, %s: %s"
                .formatted(
                    generation.epoch(),
                    generation.location().bucket(),
                    generation.location().scope(),
                    what));
      }
    }

    private void looked(int count) {
      examined += count;
      progress.accept(examined);
    }

    /// Finds documents that the index lacks, or holds in another state than the registry.
    private void missing(Snapshot snapshot, IndexGenerations.OpenGeneration open, IndexView view) {
      Optional<byte[]> next = Optional.of(new byte[0]);
      while (next.isPresent()) {
        IndexGenerations.WalkPage walked =
            generations.walk(snapshot, open.generation(), next.get(), SOME);
        List<String> pks = walked.messages().stream().map(IndexMessage::getPk).toList();
        List<Optional<IndexView.StoredEntry>> held = view.find(pks, snapshot.now());
        for (int i = 0; i < pks.size(); i++) {
          IndexChange change = IndexMessageDecoder.of(walked.messages().get(i), open);
          compare(open, change, held.get(i), snapshot.now());
        }
        looked(pks.size());
        next = walked.next();
      }
    }

    private void compare(
        IndexGenerations.OpenGeneration open,
        IndexChange change,
        Optional<IndexView.StoredEntry> held,
        Instant now) {
      Optional<IndexChange.Entry> entry = isThere(change, now);
      int newer =
          held.map(IndexView.StoredEntry::tuple)
              .map(tuple -> tuple.compareTo(change.tuple()))
              .orElse(0);
      if (held.isEmpty() && entry.isPresent() && isStillThere(open.generation(), change)) {
        tell(open.generation(), "it lacks " + change.pk());
      } else if (held.isPresent() && newer < 0) {
        tell(open.generation(), "it has an older " + change.pk());
      } else if (held.isPresent() && newer == 0 && !isSame(open.schema(), entry, held.get())) {
        tell(open.generation(), "it has another " + change.pk());
      }
    }

    /// Whether nothing came after it that may have removed it, and its time is not over by now.
    private boolean isStillThere(IndexGeneration generation, IndexChange change) {
      try (Snapshot fresh = store.snapshot()) {
        VersionTuple newest =
            generations.newest(fresh, generation, List.of(change.pk())).get(change.pk());
        return newest != null
            && newest.compareTo(change.tuple()) <= 0
            && isThere(change, fresh.now()).isPresent();
      }
    }

    private static Optional<IndexChange.Entry> isThere(IndexChange change, Instant now) {
      return change
          .entry()
          .filter(each -> each.expiresAt().map(end -> end.isAfter(now)).orElse(true));
    }

    private static boolean isSame(
        Schema schema, Optional<IndexChange.Entry> entry, IndexView.StoredEntry held) {
      return entry
          .filter(
              each ->
                  stored(schema, each.document()).equals(held.document())
                      && each.resources().equals(held.resources())
                      && each.expiresAt().equals(held.expiresAt()))
          .isPresent();
    }

    private static RawDocument stored(Schema schema, RawDocument document) {
      RawDocument.Builder stored = document.toBuilder().clearFields();
      document.getFieldsList().stream()
          .filter(
              field ->
                  Optional.ofNullable(schema.fields().get(field.getName()))
                      .map(Schema.Field::stored)
                      .orElse(false))
          .forEach(stored::addFields);
      return stored.build();
    }

    /// Finds documents that the index holds and the registry does not.
    private void superfluous(IndexGeneration generation, IndexView view, Instant now) {
      List<IndexView.StoredEntry> some = new ArrayList<>();
      view.each(
          now,
          held -> {
            some.add(held);
            if (some.size() == SOME) {
              superfluous(generation, some);
              some.clear();
            }
          });
      superfluous(generation, some);
    }

    private void superfluous(IndexGeneration generation, List<IndexView.StoredEntry> some) {
      try (Snapshot fresh = store.snapshot()) {
        if (generations.find(fresh, generation).isEmpty()) {
          // It has gone away meanwhile, and with it what it is compared with.
          return;
        }
        Map<String, VersionTuple> newest =
            generations.newest(
                fresh, generation, some.stream().map(IndexView.StoredEntry::pk).toList());
        for (IndexView.StoredEntry held : some) {
          VersionTuple known = newest.get(held.pk());
          if (known == null || known.compareTo(held.tuple()) < 0) {
            tell(generation, "it has %s, which was never accepted".formatted(held.pk()));
          }
        }
      }
      looked(some.size());
    }
  }
}
