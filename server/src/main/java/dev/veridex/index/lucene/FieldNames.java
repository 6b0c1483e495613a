package dev.veridex.index.lucene;

import dev.veridex.index.FieldKind;
import dev.veridex.index.Schema;

/// Names of fields in Lucene: the use of the field, then its name. Our own begin with an
/// underscore.
final class FieldNames {
  static final String ID = "_id";

  /// The key again, to sort by.
  static final String KEY = "_key";

  /// The mark of documents with searchable content; the others only remember a tuple.
  static final String LIVE = "_live";

  static final String GUARD = "_guard";
  static final String EPOCH = "_epoch";
  static final String VERSION = "_version";
  static final String MODIFIED = "_modified";
  static final String EXPIRES = "_expires";
  static final String FORGOTTEN = "_forgotten";
  static final String SOURCE = "_source";
  static final String PRESENT = "_present";

  /// The resources of a document; none if its key is the only one.
  static final String RESOURCE = "_resource";

  /// The same with their numbers.
  static final String NUMBERED = "_numbered";

  static final String ORDINAL = "_ordinal";

  private static final String QUANTIZED = "q.";
  private static final String STANDARD = "standard";

  private FieldNames() {}

  /// The words of a field. The name tells how they were found, which never changes in an epoch.
  static String words(String field, Schema.Field settings) {
    return "t." + settings.analyzer().orElse(STANDARD) + "." + field;
  }

  /// The analyzer of a field of words.
  static String analyzer(String words) {
    int end = words.startsWith("t.") ? words.indexOf('.', 2) : -1;
    return end < 0 ? STANDARD : words.substring(2, end);
  }

  /// The values of a field as terms; fields with points have none.
  static String terms(String field) {
    return "k." + field;
  }

  /// The values of a field by document.
  static String values(String field) {
    return "d." + field;
  }

  /// The values of a field that are all equally long.
  static String points(String field) {
    return "p." + field;
  }

  /// The points on the globe of a field.
  static String locations(String field) {
    return "g." + field;
  }

  /// The name tells how they are kept.
  static String vectors(String embedding, Schema.Embedding settings) {
    return (settings.quantized() ? QUANTIZED : "v.") + embedding;
  }

  static boolean isQuantized(String vectors) {
    return vectors.startsWith(QUANTIZED);
  }

  static boolean hasWords(FieldKind type) {
    return type == FieldKind.TEXT || type == FieldKind.STRING;
  }

  static boolean hasKeys(FieldKind type) {
    return type != FieldKind.TEXT && type != FieldKind.GEO;
  }

  static boolean hasPoints(FieldKind type) {
    return type == FieldKind.NUMBER || type == FieldKind.TIMESTAMP;
  }
}
