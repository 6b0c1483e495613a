package dev.veridex.index.lucene;

import java.io.IOException;
import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.codecs.KnnVectorsReader;
import org.apache.lucene.codecs.KnnVectorsWriter;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.apache.lucene.codecs.lucene104.Lucene104HnswScalarQuantizedVectorsFormat;
import org.apache.lucene.codecs.lucene99.Lucene99HnswVectorsFormat;
import org.apache.lucene.index.SegmentReadState;
import org.apache.lucene.index.SegmentWriteState;

/// Lucene's own formats, with longer embeddings than it allows by itself.
final class LongVectorCodec extends Lucene104Codec {
  private static final int MAX_DIMENSIONS = 4096;

  private final KnnVectorsFormat graph = new LongVectorsFormat(new Lucene99HnswVectorsFormat());
  private final KnnVectorsFormat quantized =
      new LongVectorsFormat(new Lucene104HnswScalarQuantizedVectorsFormat());

  @Override
  public KnnVectorsFormat getKnnVectorsFormatForField(String field) {
    return FieldNames.isQuantized(field) ? quantized : graph;
  }

  /// The same format under the same name, so that readers find it.
  private static final class LongVectorsFormat extends KnnVectorsFormat {
    private final KnnVectorsFormat format;

    private LongVectorsFormat(KnnVectorsFormat format) {
      super(format.getName());
      this.format = format;
    }

    @Override
    public KnnVectorsWriter fieldsWriter(SegmentWriteState state) throws IOException {
      return format.fieldsWriter(state);
    }

    @Override
    public KnnVectorsReader fieldsReader(SegmentReadState state) throws IOException {
      return format.fieldsReader(state);
    }

    @Override
    public int getMaxDimensions(String fieldName) {
      return MAX_DIMENSIONS;
    }
  }
}
