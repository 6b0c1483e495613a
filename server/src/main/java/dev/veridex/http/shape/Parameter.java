package dev.veridex.http.shape;

/// A value in the path or the query of a request.
public record Parameter<T>(String name, In in, Type<T> type, boolean required, String description) {

  /// The part of a request that a parameter is in.
  public enum In {
    PATH("path"),
    QUERY("query"),
    /// A part of the query under a name and, in brackets after it, whatever follows from it: as
    /// `size`, `size[gte]`, `size[]`.
    FAMILY("query"),
    HEADER("header");

    private final String text;

    In(String text) {
      this.text = text;
    }

    /// Its name in the API's description.
    public String text() {
      return text;
    }
  }

  /// A segment of the path.
  public static <T> Parameter<T> path(String name, Type<T> type, String description) {
    return new Parameter<>(name, In.PATH, type, true, description);
  }

  /// A header that may be absent.
  public static <T> Parameter<T> header(String name, Type<T> type, String description) {
    return new Parameter<>(name, In.HEADER, type, false, description);
  }

  /// Parts of the query under one name, with brackets after it.
  public static Parameter<String> family(String name, String description) {
    return new Parameter<>(name, In.FAMILY, Type.TEXT, false, description);
  }

  /// A part of the query that may be absent.
  public static <T> Parameter<T> query(String name, Type<T> type, String description) {
    return new Parameter<>(name, In.QUERY, type, false, description);
  }
}
