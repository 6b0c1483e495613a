package dev.veridex.index.lucene;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.lucene.store.ByteArrayDataInput;
import org.apache.lucene.store.ByteBuffersDataOutput;
import org.apache.lucene.util.BytesRef;

/// The resources of a document and their numbers, as one value.
final class ResourceOrdinalCodec {
  private ResourceOrdinalCodec() {}

  static byte[] write(List<String> resources, List<Long> ordinals) {
    ByteBuffersDataOutput out = new ByteBuffersDataOutput();
    try {
      for (int i = 0; i < resources.size(); i++) {
        out.writeString(resources.get(i));
        out.writeVLong(ordinals.get(i));
      }
    } catch (IOException e) {
      throw new IllegalStateException("nothing is written but memory", e);
    }
    return out.toArrayCopy();
  }

  /// Hears of a resource and its number.
  @FunctionalInterface
  interface Visitor {
    void accept(String resource, long ordinal);
  }

  static void each(BytesRef numbered, Visitor visitor) throws IOException {
    ByteArrayDataInput in =
        new ByteArrayDataInput(numbered.bytes, numbered.offset, numbered.length);
    while (!in.eof()) {
      visitor.accept(in.readString(), in.readVLong());
    }
  }

  /// The number of one of them.
  static Optional<Long> find(BytesRef numbered, String resource) throws IOException {
    List<Long> found = new ArrayList<>(1);
    each(
        numbered,
        (each, ordinal) -> {
          if (each.equals(resource)) {
            found.add(ordinal);
          }
        });
    return found.stream().findFirst();
  }
}
