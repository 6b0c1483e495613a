package dev.veridex.objects.event;

import java.util.Optional;

/// The class of an event by its name: docs/objects.md has the table.
///
/// @param marker whether it made a delete marker
record EventClass(EventType type, EventReason reason, boolean marker) {
  private static EventClass created(EventReason reason) {
    return new EventClass(EventType.CREATED, reason, false);
  }

  private static EventClass deleted(EventReason reason, boolean marker) {
    return new EventClass(EventType.DELETED, reason, marker);
  }

  /// The class of an S3 notification; absent if it does not concern the catalogue.
  static Optional<EventClass> ofNotification(String name) {
    return Optional.ofNullable(
        switch (name) {
          case "ObjectCreated:Put" -> created(EventReason.CREATED_PUT);
          case "ObjectCreated:Post" -> created(EventReason.CREATED_POST);
          case "ObjectCreated:Copy" -> created(EventReason.CREATED_COPY);
          case "ObjectCreated:CompleteMultipartUpload" ->
              created(EventReason.CREATED_COMPLETE_MULTIPART_UPLOAD);
          case "ObjectRestore:Completed" -> created(EventReason.RESTORED);
          case "ObjectRestore:Delete" -> created(EventReason.RESTORE_EXPIRED);
          case "LifecycleTransition", "IntelligentTiering" ->
              created(EventReason.STORAGE_CLASS_CHANGED);
          case "ObjectRemoved:DeleteMarkerCreated" -> deleted(EventReason.DELETED, true);
          case "LifecycleExpiration:DeleteMarkerCreated" ->
              deleted(EventReason.DELETED_LIFECYCLE, true);
          case "ObjectRemoved:Delete" -> deleted(EventReason.DELETED, false);
          case "LifecycleExpiration:Delete" -> deleted(EventReason.DELETED_LIFECYCLE, false);
          default -> null;
        });
  }

  /// The class of an EventBridge event; absent if it does not concern the catalogue.
  static Optional<EventClass> ofEventBridge(String name, String reason, String deletion) {
    return Optional.ofNullable(
        switch (name) {
          case "Object Created" ->
              created(
                  switch (reason) {
                    case "PutObject" -> EventReason.CREATED_PUT;
                    case "POST Object" -> EventReason.CREATED_POST;
                    case "CopyObject" -> EventReason.CREATED_COPY;
                    case "CompleteMultipartUpload" -> EventReason.CREATED_COMPLETE_MULTIPART_UPLOAD;
                    default -> EventReason.CREATED;
                  });
          case "Object Restore Completed" -> created(EventReason.RESTORED);
          case "Object Restore Expired" -> created(EventReason.RESTORE_EXPIRED);
          case "Object Storage Class Changed", "Object Access Tier Changed" ->
              created(EventReason.STORAGE_CLASS_CHANGED);
          case "Object Deleted" ->
              deleted(
                  reason.equals("Lifecycle Expiration")
                      ? EventReason.DELETED_LIFECYCLE
                      : EventReason.DELETED,
                  deletion.equals("Delete Marker Created"));
          default -> null;
        });
  }
}
