package dev.veridex.index.lucene;

import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.index.Ask;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.SortedSetSelector;
import org.apache.lucene.search.SortedSetSortField;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/// The order of hits, and places in it.
final class Sorting {
  private static final int NONE = 0;
  private static final int SCORE = 1;
  private static final int KEY = 2;

  private Sorting() {}

  static Sort of(Ask ask) {
    List<SortField> fields = new ArrayList<>();
    boolean scored = false;
    for (Ask.Order order : ask.sort()) {
      switch (order) {
        case Ask.Order.ByScore(boolean descending) -> {
          scored = true;
          fields.add(new SortField(null, SortField.Type.SCORE, !descending));
        }
        case Ask.Order.ByKey(boolean descending) ->
            fields.add(new SortField(Names.KEY, SortField.Type.STRING, descending));
        case Ask.Order.ByField(String field, boolean descending) ->
            fields.add(by(field, descending));
      }
    }
    fields.add(new SortField(Names.KEY, SortField.Type.STRING));
    if (!scored) {
      // Not for the order, which is settled by then, but to be told.
      fields.add(SortField.FIELD_SCORE);
    }
    return new Sort(fields.toArray(SortField[]::new));
  }

  /// The best first.
  static Sort byScore() {
    return new Sort(SortField.FIELD_SCORE, new SortField(Names.KEY, SortField.Type.STRING));
  }

  private static SortField by(String field, boolean descending) {
    return new SortedSetSortField(
        Names.values(field),
        descending,
        descending ? SortedSetSelector.Type.MAX : SortedSetSelector.Type.MIN,
        // What has no value is last, whichever way the others go.
        descending ? SortField.STRING_FIRST : SortField.STRING_LAST);
  }

  static float score(FieldDoc hit) {
    for (Object value : hit.fields) {
      if (value instanceof Float score) {
        return score;
      }
    }
    throw new IllegalStateException("every hit has a score");
  }

  /// A place as bytes: the document, and what it is sorted by.
  static byte[] place(FieldDoc hit) {
    KeyWriter writer = new KeyWriter().unsigned(hit.doc).unsigned(hit.fields.length);
    for (Object value : hit.fields) {
      switch (value) {
        case null -> writer.octet(NONE);
        case Float score -> writer.octet(SCORE).unsigned(Float.floatToIntBits(score) & 0xFFFFFFFFL);
        case BytesRef key ->
            writer
                .octet(KEY)
                .bytes(
                    ByteBuffer.allocate(key.length).put(key.bytes, key.offset, key.length).array());
        default -> throw new IllegalStateException("hits are sorted by scores and keys alone");
      }
    }
    return writer.toKey();
  }

  static FieldDoc place(byte[] bytes) {
    KeyReader reader = new KeyReader(bytes);
    int document = (int) reader.unsigned();
    @Nullable Object[] values = new @Nullable Object[(int) reader.unsigned()];
    for (int i = 0; i < values.length; i++) {
      values[i] =
          switch (reader.octet()) {
            case SCORE -> Float.intBitsToFloat((int) reader.unsigned());
            case KEY -> new BytesRef(reader.bytes());
            default -> null;
          };
    }
    return new FieldDoc(document, Float.NaN, values);
  }
}
