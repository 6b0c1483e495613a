package dev.veridex.documents;

import dev.veridex.accounts.Quota;
import dev.veridex.accounts.Usage;
import dev.veridex.buckets.ContentCheck.Contents;
import dev.veridex.buckets.DataPlace;
import dev.veridex.buckets.Directory;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.VeridexException;
import dev.veridex.protocol.RawDocument;
import dev.veridex.queue.Group;
import dev.veridex.queue.Queue;
import dev.veridex.store.Reader;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Checks that every live row of the registry has its body, that the body is the one that was
/// accepted, and that nobody has read further than a queue goes.
public final class DocumentContents implements Contents {
  private static final int AT_ONCE = 500;

  @Override
  public void look(
      Reader reader,
      Directory.Found found,
      Usage.Delta held,
      Consumer<String> drift,
      Runnable looked) {
    DataPlace place = found.data(found.bucket().side());
    Epochs epochs = new Epochs.Store().read(reader, place);
    Registry registry = new Registry(place);
    byte[] after = new byte[0];
    while (true) {
      Registry.Walked walked = registry.walk(reader, after, AT_ONCE);
      for (Registry.Known document : walked.documents()) {
        looked.run();
        for (Row row : document.rows().values()) {
          if (row.isAlive(reader.now())) {
            held.add(Quota.DOCUMENTS, row.expiresAt(), 1);
            held.add(Quota.BYTES, row.expiresAt(), row.bodyBytes());
            wrong(reader, registry, epochs, document.pk(), row)
                .ifPresent(what -> drift.accept(tell(found, what)));
          }
        }
      }
      if (walked.next().isEmpty()) {
        break;
      }
      after = walked.next().get();
    }
    queues(reader, found, drift);
  }

  private static String tell(Directory.Found found, String what) {
    return "%s, %s: %s"
        .formatted(found.bucket().place().scope().text(), found.bucket().name(), what);
  }

  private static Optional<String> wrong(
      Reader reader, Registry registry, Epochs epochs, String pk, Row row) {
    long epoch = row.tuple().epoch();
    Optional<byte[]> body =
        registry.bodies(reader, List.of(new Registry.BodyOf(pk, epoch))).getFirst();
    if (body.isEmpty() || body.get().length != row.bodyBytes()) {
      return Optional.of("a document of epoch %d lacks its body".formatted(epoch));
    }
    try {
      RawDocument document = Registry.unpack(body.get());
      Optional<byte[]> hash =
          epochs.find(epoch).map(known -> Conversion.settling(document, known.schema()).hash());
      return hash.filter(bytes -> !Arrays.equals(bytes, row.hash())).isPresent()
          ? Optional.of("the body of a document of epoch %d is another one".formatted(epoch))
          : Optional.empty();
    } catch (VeridexException e) {
      return Optional.of(e.problem().detail());
    }
  }

  private static void queues(Reader reader, Directory.Found found, Consumer<String> drift) {
    DataPlace place = found.data(found.bucket().side());
    int shards = DocumentSettings.of(found.bucket()).shardCount();
    for (String name : List.of(Queues.MAIN, Queues.EMERGENCY)) {
      Queue queue = new Queue(place, name);
      for (int shard = 0; shard < shards; shard++) {
        Group group = new Group(queue, Queues.INDEXERS);
        long passed = group.position(reader, shard).passed();
        if (passed > queue.appended(reader, shard)) {
          drift.accept(
              tell(
                  found,
                  "more elements of shard %d of %s are done than there were"
                      .formatted(shard, name)));
        }
      }
    }
  }
}
