package dev.veridex.index.lucene;

import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.index.IndexSearch;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.SortedSetSelector;
import org.apache.lucene.search.SortedSetSortField;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.NumericUtils;
import org.jspecify.annotations.Nullable;

/// The order of hits, and positions in it.
final class HitOrder {
  private static final int SOME = 0;
  private static final int NONE = 1;

  private HitOrder() {}

  static Sort of(IndexSearch ask) {
    List<SortField> fields = new ArrayList<>();
    boolean scored = false;
    for (IndexSearch.Order order : ask.sort()) {
      switch (order) {
        case IndexSearch.Order.ByScore(boolean descending) -> {
          scored = true;
          fields.add(new SortField(null, SortField.Type.SCORE, !descending));
        }
        case IndexSearch.Order.ByKey(boolean descending) ->
            fields.add(new SortField(FieldNames.KEY, SortField.Type.STRING, descending));
        case IndexSearch.Order.ByField(String field, boolean descending) ->
            fields.add(by(field, descending));
      }
    }
    fields.add(new SortField(FieldNames.KEY, SortField.Type.STRING));
    if (!scored) {
      // Not for the order, which is settled by then, but to be told.
      fields.add(SortField.FIELD_SCORE);
    }
    return new Sort(fields.toArray(SortField[]::new));
  }

  static boolean isByScore(IndexSearch ask) {
    return !ask.sort().isEmpty() && ask.sort().getFirst() instanceof IndexSearch.Order.ByScore;
  }

  /// The best first.
  static Sort byScore() {
    return new Sort(SortField.FIELD_SCORE, new SortField(FieldNames.KEY, SortField.Type.STRING));
  }

  private static SortField by(String field, boolean descending) {
    return new SortedSetSortField(
        FieldNames.values(field),
        descending,
        descending ? SortedSetSelector.Type.MAX : SortedSetSelector.Type.MIN,
        // What has no value is last, whichever way the others go.
        descending ? SortField.STRING_FIRST : SortField.STRING_LAST);
  }

  /// The key of a hit: hits are sorted by it in the end.
  static String key(Sort sort, FieldDoc hit) {
    for (int i = 0; i < hit.fields.length; i++) {
      if (FieldNames.KEY.equals(sort.getSort()[i].getField())
          && hit.fields[i] instanceof BytesRef key) {
        return key.utf8ToString();
      }
    }
    throw new IllegalStateException("every entry has a key");
  }

  static float score(FieldDoc hit) {
    for (Object value : hit.fields) {
      if (value instanceof Float score) {
        return score;
      }
    }
    throw new IllegalStateException("every hit has a score");
  }

  /// A position as bytes, whose order is that of hits: what a hit is sorted by, its key among it.
  static byte[] position(Sort sort, FieldDoc hit) {
    KeyWriter writer = new KeyWriter();
    for (int i = 0; i < hit.fields.length; i++) {
      Object value = hit.fields[i];
      // What has no value is last, whichever way the others go.
      writer.octet(value == null ? NONE : SOME);
      if (value != null && isDescending(sort.getSort()[i])) {
        writer.descending(each -> write(each, value));
      } else if (value != null) {
        write(writer, value);
      }
    }
    return writer.toKey();
  }

  /// Scores are the best first by nature.
  private static boolean isDescending(SortField field) {
    return (field.getType() == SortField.Type.SCORE) != field.getReverse();
  }

  private static void write(KeyWriter writer, Object value) {
    switch (value) {
      case Float score -> writer.signed(NumericUtils.floatToSortableInt(score));
      case BytesRef key -> writer.bytes(BytesRef.deepCopyOf(key).bytes);
      default -> throw new IllegalStateException("hits are sorted by scores and keys alone");
    }
  }

  /// As if the hit at a position were the last document there is, or stood before the first:
  /// whether an equal one comes after it is for Lucene a matter of their numbers.
  static FieldDoc after(Sort sort, IndexSearch.After after) {
    KeyReader reader = new KeyReader(after.position());
    @Nullable Object[] values = new @Nullable Object[sort.getSort().length];
    for (int i = 0; i < values.length; i++) {
      SortField field = sort.getSort()[i];
      if (reader.octet() == SOME) {
        values[i] =
            isDescending(field)
                ? reader.descending(each -> read(field, each))
                : read(field, reader);
      }
    }
    return new FieldDoc(after.withEqual() ? -1 : Integer.MAX_VALUE, Float.NaN, values);
  }

  private static Object read(SortField field, KeyReader reader) {
    return field.getType() == SortField.Type.SCORE
        ? (Object) NumericUtils.sortableIntToFloat((int) reader.signed())
        : new BytesRef(reader.bytes());
  }
}
