package dev.veridex.index;

import dev.veridex.common.Utf8Order;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The schema of an epoch: the fields and embeddings of its documents.
///
/// @param dynamic whether names that are not in it are added when a document brings them
public record Schema(
    boolean dynamic, SortedMap<String, Field> fields, SortedMap<String, Embedding> embeddings) {
  /// The most names of fields and embeddings together.
  public static final int MAX_NAMES = 2000;

  /// The most bytes of a name.
  public static final int MAX_NAME_BYTES = 256;

  public static final int MAX_DIMENSIONS = 4096;

  /// How texts can be taken apart.
  public static final List<String> ANALYZERS =
      List.of("standard", "english", "russian", "path", "ngram");

  /// The schema of an epoch about which nothing was said.
  public static final Schema EMPTY = new Schema(true, new TreeMap<>(), new TreeMap<>());

  public Schema {
    fields = sorted(fields);
    embeddings = sorted(embeddings);
  }

  private static <T> SortedMap<String, T> sorted(Map<String, T> map) {
    SortedMap<String, T> sorted = new TreeMap<>(Utf8Order.INSTANCE);
    sorted.putAll(map);
    return Collections.unmodifiableSortedMap(sorted);
  }

  /// The settled type and options of a field.
  ///
  /// @param multi whether a document may have several values
  /// @param analyzer how its text is taken apart; absent: standard
  public record Field(
      FieldKind type,
      boolean multi,
      boolean filter,
      boolean sort,
      boolean facet,
      boolean stored,
      Optional<String> analyzer) {

    /// A field that nobody declared.
    public static Field found(FieldKind type, boolean multi) {
      return new Field(type, multi, true, true, true, true, Optional.empty());
    }

    /// The same, of which a document may have several values.
    public Field toMulti() {
      return new Field(type, true, filter, sort, facet, stored, analyzer);
    }
  }

  /// The similarity of two embeddings.
  public enum Similarity {
    COSINE,
    DOT,
    EUCLIDEAN;

    /// Its name in schemas.
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Similarity> of(String text) {
      return Arrays.stream(values()).filter(each -> each.text().equals(text)).findAny();
    }
  }

  /// The settled dimensions and similarity of an embedding.
  ///
  /// @param quantized whether the index keeps it in a smaller form, too
  public record Embedding(int dimensions, Similarity similarity, boolean quantized) {}

  /// How many names it has.
  public int names() {
    return fields.size() + embeddings.size();
  }

  /// The same with more or wider fields and embeddings.
  public Schema with(Map<String, Field> moreFields, Map<String, Embedding> moreEmbeddings) {
    SortedMap<String, Field> allFields = new TreeMap<>(fields);
    allFields.putAll(moreFields);
    SortedMap<String, Embedding> allEmbeddings = new TreeMap<>(embeddings);
    allEmbeddings.putAll(moreEmbeddings);
    return new Schema(dynamic, allFields, allEmbeddings);
  }

  /// Why a name cannot be one.
  public static Optional<String> badName(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > MAX_NAME_BYTES) {
      return Optional.of("a name has 1 to 256 bytes of UTF-8");
    }
    if (name.startsWith("_")) {
      return Optional.of("names that begin with an underscore are our own");
    }
    return name.chars().anyMatch(Character::isISOControl)
        ? Optional.of("a name has no control characters")
        : Optional.empty();
  }
}
