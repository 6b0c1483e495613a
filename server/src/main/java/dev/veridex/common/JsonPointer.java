package dev.veridex.common;

/// JSON pointers (RFC 6901) as text.
public final class JsonPointer {
  private JsonPointer() {}

  /// The pointer to a member of what a pointer is at.
  public static String member(String parent, String name) {
    return parent + "/" + escape(name);
  }

  /// The pointer to an element of what a pointer is at.
  public static String element(String parent, int index) {
    return parent + "/" + index;
  }

  /// A name as a part of a pointer.
  public static String escape(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }
}
