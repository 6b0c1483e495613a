package dev.veridex.documents;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ContentIntegrity.Contents;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.DocumentQueues;
import dev.veridex.documents.registry.DocumentConversion;
import dev.veridex.documents.registry.DocumentRegistry;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registry;
import dev.veridex.documents.registry.RegistryRow;
import dev.veridex.protocol.RawDocument;
import dev.veridex.queue.Queue;
import dev.veridex.queue.ReaderGroup;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Reader;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Integrity scan of documents: every live row of the registry has its body, that the body is the
/// one that was accepted, and that nobody has read further than a queue goes.
public final class DocumentIntegrity implements Contents {
  private static final int AT_ONCE = 500;

  @Override
  public void look(
      Reader reader,
      BucketLookup.LocatedBucket found,
      UsageCounters.Delta held,
      Consumer<String> drift,
      Runnable looked) {
    BucketLocation location = found.data(found.bucket().side());
    Epochs epochs = new Epochs.Store().read(reader, location);
    DocumentRegistry registry = new DocumentRegistry(location);
    byte[] after = new byte[0];
    while (true) {
      Registry.WalkPage walked = registry.walk(reader, after, AT_ONCE);
      for (Registry.DocumentRows document : walked.documents()) {
        looked.run();
        for (RegistryRow row : document.rows().values()) {
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

  private static String tell(BucketLookup.LocatedBucket found, String what) {
    return "%s, %s: %s"
        .formatted(found.bucket().namespace().scope().text(), found.bucket().name(), what);
  }

  private static Optional<String> wrong(
      Reader reader, DocumentRegistry registry, Epochs epochs, String pk, RegistryRow row) {
    long epoch = row.tuple().epoch();
    Optional<byte[]> body =
        registry.packed(reader, List.of(new Registry.BodyId(pk, epoch))).getFirst();
    if (body.isEmpty() || body.get().length != row.bodyBytes()) {
      return Optional.of("a document of epoch %d lacks its body".formatted(epoch));
    }
    try {
      RawDocument document = DocumentRegistry.unpack(body.get());
      Optional<byte[]> hash =
          epochs
              .find(epoch)
              .map(known -> DocumentConversion.settling(document, known.schema()).hash());
      return hash.filter(bytes -> !Arrays.equals(bytes, row.hash())).isPresent()
          ? Optional.of("the body of a document of epoch %d is another one".formatted(epoch))
          : Optional.empty();
    } catch (VeridexException e) {
      return Optional.of(e.problem().detail());
    }
  }

  private static void queues(
      Reader reader, BucketLookup.LocatedBucket found, Consumer<String> drift) {
    BucketLocation location = found.data(found.bucket().side());
    int shards = DocumentSettings.of(found.bucket()).shardCount();
    for (String name : List.of(DocumentQueues.MAIN, DocumentQueues.EMERGENCY)) {
      Queue queue = new Queue(location, name);
      for (int shard = 0; shard < shards; shard++) {
        ReaderGroup group = new ReaderGroup(queue, DocumentQueues.PUBLISHERS);
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
