package dev.veridex.http.routes.items;

import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.items.ItemRevision;
import dev.veridex.items.ItemStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// JSON shapes of items and their revisions.
final class ItemShapes {
  private static final Member<String> KEY = Member.required("key", Type.ID, "its key");
  private static final Member<String> REV =
      Member.required("rev", Type.TEXT, "the id of the revision, ordered by time");
  private static final Member<Instant> TIME =
      Member.required("time", Type.TIME, "when it was written");
  private static final Member<Boolean> DELETED =
      Member.required("deleted", Type.BOOLEAN, "whether it says that the item is gone");
  private static final Member<String> CONTENT_TYPE =
      Member.optional("contentType", Type.TEXT, "the type of its bytes");
  private static final Member<Long> BYTES =
      Member.required("bytes", Type.whole(0, Integer.MAX_VALUE), "how many");
  private static final Member<Instant> EXPIRES_AT =
      Member.optional("expiresAt", Type.TIME, "when it will be forgotten");

  /// A write that was made.
  record WriteAnswer(String key, ItemRevision item, String revision) {}

  static final Shape<WriteAnswer> WRITTEN =
      Shape.out(
          "ItemWritten",
          List.of(KEY, REV, EXPIRES_AT, WriteReceipt.REVISION),
          (written, out) ->
              out.put(KEY, written.key)
                  .put(REV, written.item.id().toString())
                  .put(EXPIRES_AT, written.item.expiresAt())
                  .put(WriteReceipt.REVISION, written.revision));

  static final Shape<ItemStore.KeyedRevision> ITEM =
      Shape.out(
          "Item",
          List.of(KEY, REV, TIME, CONTENT_TYPE, BYTES, EXPIRES_AT),
          (listed, out) ->
              out.put(KEY, listed.key())
                  .put(REV, listed.current().id().toString())
                  .put(TIME, listed.current().time())
                  .put(CONTENT_TYPE, listed.current().contentType())
                  .put(BYTES, (long) listed.current().bytes())
                  .put(EXPIRES_AT, listed.current().expiresAt()));

  static final Shape<ItemRevision> REVISION =
      Shape.out(
          "ItemRevision",
          List.of(REV, TIME, DELETED, CONTENT_TYPE, BYTES, EXPIRES_AT),
          (item, out) ->
              out.put(REV, item.id().toString())
                  .put(TIME, item.time())
                  .put(DELETED, item.deleted())
                  .put(
                      CONTENT_TYPE, Optional.of(item.contentType()).filter(type -> !type.isEmpty()))
                  .put(BYTES, (long) item.bytes())
                  .put(EXPIRES_AT, item.expiresAt()));

  private ItemShapes() {}
}
