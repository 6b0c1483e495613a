package dev.veridex.index.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.index.VisibleResources;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.Test;

/// What is known of resources does not grow with all that ever was.
final class OrdinalTableTest {
  private static final int PAGE = 4096;

  private static void add(IndexWriter writer, int from, int to) throws IOException {
    for (int n = from; n < to; n++) {
      String key = String.valueOf(n);
      Document document = new Document();
      document.add(new StringField(FieldNames.ID, key, Field.Store.NO));
      document.add(new SortedDocValuesField(FieldNames.KEY, new BytesRef(key)));
      document.add(new SortedNumericDocValuesField(FieldNames.ORDINAL, n));
      if (n % 2 == 1) {
        // It has a resource besides that of the document before.
        document.add(new SortedNumericDocValuesField(FieldNames.ORDINAL, n - 1));
        List<String> resources = List.of(key, String.valueOf(n - 1));
        byte[] numbered = ResourceOrdinalCodec.write(resources, List.of((long) n, n - 1L));
        document.add(new BinaryDocValuesField(FieldNames.NUMBERED, new BytesRef(numbered)));
      }
      writer.addDocument(document);
    }
  }

  private static void agree(
      OrdinalTable resources, VisibleResources visible, List<LeafReaderContext> leaves)
      throws IOException {
    for (LeafReaderContext leaf : leaves) {
      OrdinalTable.SegmentNumbers known = resources.of(leaf, visible);
      SortedDocValues keys = leaf.reader().getSortedDocValues(FieldNames.KEY);
      for (int document = keys.nextDoc();
          document < known.numbers().length;
          document = keys.nextDoc()) {
        int number = Integer.parseInt(keys.lookupOrd(keys.ordValue()).utf8ToString());
        if (number % 2 == 0) {
          assertThat(known.numbers()[document]).isEqualTo(number);
        } else {
          assertThat(known.numbers()[document]).isEqualTo(OrdinalTable.SEVERAL);
          assertThat(known.number(number)).isEqualTo(number);
          assertThat(known.number(number - 1)).isEqualTo(number - 1);
        }
      }
    }
  }

  @Test
  void whatIsGoneTakesNoRoom() throws IOException {
    OrdinalTable resources = new OrdinalTable(2);
    List<String> names = IntStream.range(0, 20 * PAGE).mapToObj(String::valueOf).toList();
    VisibleResources visible = new KnownResources(names, Set.of(), true);
    try (ByteBuffersDirectory directory = new ByteBuffersDirectory();
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
      add(writer, 0, PAGE);
      try (DirectoryReader before = DirectoryReader.open(writer)) {
        agree(resources, visible, before.leaves());
        for (int page = 1; page < 20; page++) {
          add(writer, page * PAGE, (page + 1) * PAGE);
          for (int n = (page - 1) * PAGE; n < page * PAGE; n++) {
            writer.deleteDocuments(new Term(FieldNames.ID, String.valueOf(n)));
          }
          writer.forceMerge(1);
          try (DirectoryReader reader = DirectoryReader.open(writer)) {
            resources.prepare(reader.leaves());
            agree(resources, visible, reader.leaves());
            assertThat(resources.pages())
                .as("after page %d", page)
                .isLessThanOrEqualTo(2 + 2 * 2 + 1);
          }
        }
        // Somebody still looks at what is gone.
        agree(resources, visible, before.leaves());
      }
    }
  }
}
