package dev.veridex.objects.event;

import java.util.Arrays;
import java.util.Optional;

/// The reason of an event. Reasons are ordered by name, as ties between events are.
public enum EventReason {
  CRAWL(1, "Crawl"),
  /// Created, and nobody said how.
  CREATED(2, "Created"),
  CREATED_COMPLETE_MULTIPART_UPLOAD(3, "CreatedCompleteMultipartUpload"),
  CREATED_COPY(4, "CreatedCopy"),
  CREATED_POST(5, "CreatedPost"),
  CREATED_PUT(6, "CreatedPut"),
  DELETED(7, "Deleted"),
  DELETED_LIFECYCLE(8, "DeletedLifecycle"),
  INVENTORY(9, "Inventory"),
  RESTORE_EXPIRED(10, "RestoreExpired"),
  RESTORED(11, "Restored"),
  STORAGE_CLASS_CHANGED(12, "StorageClassChanged");

  private final int code;
  private final String text;

  EventReason(int code, String text) {
    this.code = code;
    this.text = text;
  }

  /// Its mark in stored keys, never given to another. Marks are in the order of names.
  public int code() {
    return code;
  }

  /// Its name in answers.
  public String text() {
    return text;
  }

  /// Whether it tells of where the bytes of an object lie, and not that there is another object.
  /// Such an event never brings back what was deleted.
  public boolean isTransition() {
    return this == RESTORE_EXPIRED || this == RESTORED || this == STORAGE_CLASS_CHANGED;
  }

  /// The reason of one event that is told twice: one that says more beats one that says less, of
  /// two the smaller counts.
  EventReason merged(EventReason other) {
    if (this == CREATED || other == CREATED) {
      return this == CREATED ? other : this;
    }
    return compareTo(other) <= 0 ? this : other;
  }

  /// The reason with a mark.
  public static Optional<EventReason> of(int code) {
    return Arrays.stream(values()).filter(each -> each.code == code).findAny();
  }
}
