package dev.veridex.documents;

import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.documents.registry.DocumentRegistry;
import dev.veridex.documents.registry.DocumentResources;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registry;
import dev.veridex.documents.registry.RegistryRow;
import dev.veridex.protocol.RawDocument;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// Reads documents of a bucket.
public final class DocumentReader {
  private final Store store;
  private final ResourceAccess access;
  private final Epochs.Store epochs;

  public DocumentReader(Store store, ResourceAccess access, Epochs.Store epochs) {
    this.store = store;
    this.access = access;
    this.epochs = epochs;
  }

  /// A document as it is known.
  public record StoredDocument(
      RawDocument document, Instant acceptedAt, Optional<Instant> expiresAt) {
    /// The document as JSON.
    public ObjectNode json() {
      return DocumentJson.write(document);
    }
  }

  /// The newest state of a document.
  ///
  /// @throws VeridexException `NOT_FOUND`
  public StoredDocument read(ActingCaller actor, Namespace namespace, String bucket, String pk) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found = access.find(snapshot, actor, namespace, bucket);
      access.bucket(snapshot, found, actor, Action.READ);
      DocumentSettings settings = DocumentSettings.of(found.bucket());
      boolean byKey = settings.resourceField().isEmpty();
      // Whoever has to say for whom they read hears so whether the document is there or not.
      Optional<String> _ = access.reader(found, actor);
      if (byKey && !access.mayRead(snapshot, found, actor, pk)) {
        throw new RefusedException(nothing());
      }
      BucketLocation location = found.data(found.bucket().side());
      DocumentRegistry registry = new DocumentRegistry(location);
      RegistryRow row =
          registry
              .find(snapshot, List.of(pk), epochs.read(snapshot, location).numbers())
              .getFirst()
              .newest()
              .filter(newest -> newest.isAlive(snapshot.now()))
              .orElseThrow(() -> new VeridexException(nothing()));
      RawDocument document =
          registry
              .packed(snapshot, List.of(new Registry.BodyId(pk, row.tuple().epoch())))
              .getFirst()
              .map(DocumentRegistry::unpack)
              .orElseThrow(() -> new VeridexException(nothing()));
      if (!byKey
          && !access.mayRead(
              snapshot, found, actor, DocumentResources.of(settings, pk, document))) {
        throw new RefusedException(nothing());
      }
      return new StoredDocument(document, row.acceptedAt(), row.expiresAt());
    }
  }

  /// What whoever looks for a document hears that is not there.
  public static Problem nothing() {
    return Problem.of(ErrorCode.NOT_FOUND, "there is no such document");
  }
}
