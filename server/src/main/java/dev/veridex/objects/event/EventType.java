package dev.veridex.objects.event;

/// The type of an event: the creation or the deletion of a version of an object.
public enum EventType {
  CREATED(0, "Created"),
  DELETED(1, "Deleted");

  private final int code;
  private final String text;

  EventType(int code, String text) {
    this.code = code;
    this.text = text;
  }

  /// Its mark in stored keys. Of two events in the same place the deletion is later.
  public int code() {
    return code;
  }

  /// Its name in answers.
  public String text() {
    return text;
  }

  /// The type with a mark.
  public static EventType of(int code) {
    return code == CREATED.code ? CREATED : DELETED;
  }
}
