package dev.veridex.documents.publish;

import static java.lang.System.Logger.Level.DEBUG;

import dev.veridex.buckets.IndexedSettings;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.publish.ShardPublisher.Tools;
import dev.veridex.documents.publish.ShardPublisher.Work;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registry;
import dev.veridex.documents.registry.RegistryRow;
import dev.veridex.protocol.IndexMessage;
import dev.veridex.queue.Queue;
import dev.veridex.store.Snapshot;
import dev.veridex.topic.Topics;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Elements of a queue, joined with what the registry knows of them.
///
/// @param previous the offset before them
/// @param offset that of the last of them
/// @param messages what they come to, by the epoch of the generation
/// @param failed those that cannot be sent
/// @param superseded how many there are of which something newer is known
record PublishBatch(
    long previous,
    long offset,
    List<PublishTask> elements,
    Map<Long, List<Topics.Outgoing>> messages,
    List<PublishTask> failed,
    int superseded) {
  private static final System.Logger LOG = System.getLogger(PublishBatch.class.getName());

  /// Of all messages together, as they are sent. The first document may be larger.
  private static final long MAX_BYTES = 16L << 20;

  /// Loads as many elements as are not too large.
  static PublishBatch load(
      Tools tools, Work work, Snapshot snapshot, long previous, List<Queue.Element> elements) {
    return new Loader(tools, work, snapshot).batch(previous, elements);
  }

  /// The same, none of which can be sent: what was there before is sent as gone.
  PublishBatch refused(Tools tools, Work work, Snapshot snapshot, Problem problem) {
    return new Loader(tools, work, snapshot).refused(this, problem);
  }

  /// The same without any message.
  PublishBatch unsent() {
    return new PublishBatch(previous, offset, elements, Map.of(), failed, superseded);
  }

  private static final class Loader {
    private final Tools tools;
    private final Work work;
    private final Snapshot snapshot;
    private final Epochs epochs;
    private final Registry registry;
    private final IndexMessageBuilder texts;
    private final Map<Long, List<Topics.Outgoing>> messages = new TreeMap<>();
    private final List<PublishTask> failed = new ArrayList<>();
    private int superseded;

    private Loader(Tools tools, Work work, Snapshot snapshot) {
      this.tools = tools;
      this.work = work;
      this.snapshot = snapshot;
      this.epochs = tools.registries().epochs(tools.epochs(), snapshot, work.location());
      this.registry = tools.registries().at(snapshot, work.location());
      this.texts =
          new IndexMessageBuilder(
              snapshot,
              registry,
              tools.converter(),
              IndexedSettings.in(tools.registries().lookup(), snapshot, work.location()));
    }

    private PublishBatch batch(long previous, List<Queue.Element> elements) {
      List<PublishTask> decoded =
          elements.stream().map(element -> PublishTask.decode(element.payload())).toList();
      List<Registry.DocumentRows> known =
          registry.find(snapshot, decoded.stream().map(PublishTask::pk).toList(), epochs.numbers());
      int taken = fitting(known);
      Map<Registry.BodyId, Optional<Registry.Body>> bodies = texts.bodies(known.subList(0, taken));
      Map<String, VersionTuple> newest = new HashMap<>();
      known.subList(0, taken).stream()
          .filter(each -> each.newest().isPresent())
          .forEach(each -> newest.put(each.pk(), each.newest().orElseThrow().tuple()));
      // What is sent on behalf of those whose own element comes later.
      decoded.subList(0, taken).stream()
          .filter(each -> each.tuple().equals(newest.get(each.pk())))
          .forEach(each -> newest.remove(each.pk()));
      for (int i = 0; i < taken; i++) {
        PublishTask element = decoded.get(i);
        if (known.get(i).newest().filter(row -> row.tuple().equals(element.tuple())).isEmpty()) {
          superseded++;
          if (newest.remove(element.pk()) != null) {
            // This was accepted and is passed here: without its successor the index would show
            // neither of them until the successor's own turn.
            ahead(known.get(i), bodies);
          }
          LOG.log(
              DEBUG,
              () ->
                  "superseded, not sent: %s, epoch %d, version %d"
                      .formatted(element.pk(), element.tuple().epoch(), element.tuple().version()));
        } else {
          one(element, known.get(i), bodies);
        }
      }
      return new PublishBatch(
          previous,
          elements.get(taken - 1).idx(),
          decoded.subList(0, taken),
          messages,
          failed,
          superseded);
    }

    private PublishBatch refused(PublishBatch batch, Problem problem) {
      List<Registry.DocumentRows> known =
          registry.find(
              snapshot, batch.elements.stream().map(PublishTask::pk).toList(), epochs.numbers());
      for (int i = 0; i < known.size(); i++) {
        if (known.get(i).newest().isPresent()) {
          fail(batch.elements.get(i), known.get(i), problem);
        } else {
          superseded++;
        }
      }
      return new PublishBatch(
          batch.previous, batch.offset, batch.elements, messages, failed, superseded);
    }

    /// How many of the first documents are not too much, as they will be sent: unpacked, to every
    /// generation.
    private int fitting(List<Registry.DocumentRows> known) {
      long bytes = 0;
      for (int i = 0; i < known.size(); i++) {
        long largest =
            known.get(i).rows().values().stream()
                .mapToLong(RegistryRow::documentBytes)
                .max()
                .orElse(0);
        bytes += largest * epochs.open().size();
        if (i > 0 && bytes > MAX_BYTES) {
          return i;
        }
      }
      return known.size();
    }

    /// What every generation is to hold of a document. One that cannot be told leaves the others
    /// alone, whatever is the matter with it.
    private void one(
        PublishTask element,
        Registry.DocumentRows document,
        Map<Registry.BodyId, Optional<Registry.Body>> bodies) {
      try {
        tell(document, element.trouble().attempts(), bodies);
      } catch (VeridexException e) {
        fail(element, document, e.problem());
      } catch (RuntimeException e) {
        fail(element, document, Problem.of(ErrorCode.INTERNAL, e.toString()));
      }
    }

    /// Sends a state before its own element is there. If that does not work, the element says so.
    private void ahead(
        Registry.DocumentRows document, Map<Registry.BodyId, Optional<Registry.Body>> bodies) {
      try {
        tell(document, 0, bodies);
      } catch (RuntimeException e) {
        gone(document);
        LOG.log(DEBUG, () -> "not sent ahead: " + document.pk(), e);
      }
    }

    private void tell(
        Registry.DocumentRows document,
        int attempts,
        Map<Registry.BodyId, Optional<Registry.Body>> bodies) {
      Map<Long, IndexMessage> told = new TreeMap<>();
      RegistryRow newest = document.newest().orElseThrow();
      boolean alive = newest.isAlive(snapshot.now());
      for (Epochs.Epoch generation : epochs.open().values()) {
        if (!alive || generation.number() <= newest.tuple().epoch()) {
          told.put(
              generation.number(),
              texts.of(document, generation, bodies).toBuilder().setAttempts(attempts).build());
        }
      }
      told.forEach(this::send);
    }

    private void gone(Registry.DocumentRows document) {
      for (long epoch : epochs.open().keySet()) {
        send(epoch, texts.gone(document));
      }
    }

    private void send(long epoch, IndexMessage message) {
      messages
          .computeIfAbsent(epoch, _ -> new ArrayList<>())
          .add(new Topics.Outgoing(message.getPk(), message.toByteArray()));
    }

    /// What was there before must not be taken for the state that cannot be told: no index shows it
    /// any more.
    private void fail(PublishTask element, Registry.DocumentRows document, Problem problem) {
      gone(document);
      Instant next =
          RetrySchedule.next(snapshot.now(), element.trouble().attempts(), tools.random());
      failed.add(element.failed(problem, next, work.queue()));
    }
  }
}
