package dev.veridex.objects;

import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights.Right;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.objects.catalogue.EventBatch;
import dev.veridex.objects.catalogue.ObjectRow;
import dev.veridex.objects.catalogue.ObjectScan;
import dev.veridex.objects.catalogue.ScanBudget;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Changes the attributes that people attach to rows: of one, or of all that a filter keeps, in one
/// transaction.
public final class AttributeWriter {
  private static final int MAX_ROWS = 1000;

  /// Rows times operations: a patch of many rows is short.
  private static final int MAX_WORK = 10_000;

  private final Store store;
  private final ResourceAccess access;
  private final Epochs.Store epochs;
  private final Consumer<BucketLookup.LocatedBucket> queued;
  private final Duration pastRetention;

  public AttributeWriter(
      Store store,
      ResourceAccess access,
      Epochs.Store epochs,
      Consumer<BucketLookup.LocatedBucket> queued,
      Duration pastRetention) {
    this.store = store;
    this.access = access;
    this.epochs = epochs;
    this.queued = queued;
    this.pastRetention = pastRetention;
  }

  /// The rows whose attributes were changed.
  public record PatchResult(List<UUID> ids, Revision revision) {}

  /// The rows that a patch is for.
  public sealed interface Target {
    record One(UUID id) implements Target {}

    record Many(ObjectQuery query) implements Target {}
  }

  /// Applies a patch to rows: to all of them, or to none.
  public PatchResult patch(ObjectReader.Request request, Target target, AttributePatch patch) {
    record Patched(EventBatch batch, List<UUID> ids) {}
    CommitResult<Patched> committed =
        store.transact(
            transaction -> {
              BucketLookup.LocatedBucket found =
                  access.find(transaction, request.actor(), request.namespace(), request.bucket());
              access.bucket(transaction, found, request.actor(), Action.WRITE);
              // Whoever tests values, or chooses rows by them, reads them.
              access.bucket(transaction, found, request.actor(), Action.READ);
              EventBatch batch = new EventBatch(transaction, found, pastRetention);
              List<ObjectNode> attributes = new ArrayList<>();
              List<UUID> ids = new ArrayList<>();
              List<ObjectRow> rows = rows(transaction, found, request, target);
              requireShort(rows.size(), patch);
              for (ObjectRow row : rows) {
                access.change(transaction, found, request.actor(), row.object().pk(), Right.UPDATE);
                ObjectNode next = patched(row, patch);
                batch.replaceAttributes(
                    row.event(),
                    row.event().with(Optional.of(next).filter(node -> !node.isEmpty())));
                attributes.add(next);
                ids.add(row.id());
              }
              batch.settle(epochs, attributes);
              batch.finish();
              return new Patched(batch, ids);
            });
    if (committed.result().batch.hasQueued()) {
      queued.accept(committed.result().batch.found());
    }
    return new PatchResult(committed.result().ids, committed.revision());
  }

  private static void requireShort(int rows, AttributePatch patch) {
    if ((long) rows * patch.operations().size() > MAX_WORK) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "A patch of %d rows has at most %d operations.".formatted(rows, MAX_WORK / rows))
              .with("max", MAX_WORK / rows));
    }
  }

  private List<ObjectRow> rows(
      Transaction transaction,
      BucketLookup.LocatedBucket found,
      ObjectReader.Request request,
      Target target) {
    ObjectScan scan = new ObjectScan(transaction, found, new ScanBudget(ScanBudget.USUAL, _ -> {}));
    return switch (target) {
      case Target.One(UUID id) ->
          List.of(
              scan.row(id)
                  .filter(row -> mayKnow(transaction, found, request, row))
                  .orElseThrow(() -> new RefusedException(ObjectReader.nothing())));
      case Target.Many(ObjectQuery query) -> {
        List<ObjectRow> rows = new ArrayList<>();
        ObjectScan.End end =
            scan.run(
                query.selection(),
                Optional.empty(),
                (row, _) -> {
                  // What the caller may not read is not there.
                  if (mayKnow(transaction, found, request, row)) {
                    rows.add(row);
                  }
                  return rows.size() <= MAX_ROWS;
                });
        if (end instanceof ObjectScan.End.UsedUp) {
          throw new VeridexException(
              Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "This filter would have to look at too many objects: begin the key with more"
                      + " letters before the first wildcard."));
        }
        if (!(end instanceof ObjectScan.End.Exhausted)) {
          throw new VeridexException(
              Problem.of(
                      ErrorCode.BAD_REQUEST,
                      "A patch changes at most %d rows at once: narrow the filter."
                          .formatted(MAX_ROWS))
                  .with("max", MAX_ROWS));
        }
        yield rows;
      }
    };
  }

  private boolean mayKnow(
      Transaction transaction,
      BucketLookup.LocatedBucket found,
      ObjectReader.Request request,
      ObjectRow row) {
    String resource = found.bucket().wanted().settings().resource(row.object().pk());
    return access.mayKnow(transaction, found, request.actor(), List.of(resource));
  }

  private static ObjectNode patched(ObjectRow row, AttributePatch patch) {
    JsonNode next = patch.apply(row.attributes().orElseGet(JsonNodeFactory.instance::objectNode));
    if (!(next instanceof ObjectNode object)) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "Attributes are a JSON object."));
    }
    return object;
  }
}
