package dev.veridex.index.lucene;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.veridex.common.Digests;
import dev.veridex.common.Expiry;
import dev.veridex.index.FieldKind;
import dev.veridex.protocol.Value;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.NumericUtils;

/// Values as bytes whose order is the order of the values: filters, sorting and facets of all types
/// are the same thing on them.
final class SortableBytes {
  static final int NUMBER_BYTES = Double.BYTES + Short.BYTES;
  static final int TIME_BYTES = Long.BYTES;

  /// Longer texts are told apart by a hash of the rest: no term of Lucene may be longer than 32 KB,
  /// and nobody sorts by what comes that late.
  static final int MAX_TEXT_BYTES = 8000;

  private SortableBytes() {}

  static byte[] of(Value value) {
    return switch (value.getKindCase()) {
      case BOOLEAN -> new byte[] {(byte) (value.getBoolean() ? 1 : 0)};
      case INTEGER -> whole(value.getInteger());
      case DECIMAL -> number(value.getDecimal(), 0);
      case TEXT -> cut(value.getText().getBytes(StandardCharsets.UTF_8));
      case BYTES -> cut(value.getBytes().toByteArray());
      case TIMESTAMP -> time(micros(value.getTimestamp()));
      case GEO, KIND_NOT_SET -> throw new IllegalArgumentException("this has no order");
    };
  }

  /// Whole numbers and doubles in one order: the nearest double, then how far it is off. Rounding
  /// keeps the order, and what is rounded to the same double differs by the rest.
  private static byte[] whole(long number) {
    double nearest = (double) number;
    long rest = new BigDecimal(number).subtract(new BigDecimal(nearest)).longValueExact();
    return number(nearest, rest);
  }

  private static byte[] number(double nearest, long rest) {
    byte[] key = new byte[NUMBER_BYTES];
    NumericUtils.longToSortableBytes(NumericUtils.doubleToSortableLong(nearest + 0.0), key, 0);
    ByteBuffer.wrap(key).putShort(Double.BYTES, (short) (rest ^ Short.MIN_VALUE));
    return key;
  }

  static byte[] time(long micros) {
    byte[] key = new byte[TIME_BYTES];
    NumericUtils.longToSortableBytes(micros, key, 0);
    return key;
  }

  static long micros(BytesRef key) {
    return NumericUtils.sortableBytesToLong(key.bytes, key.offset);
  }

  private static long micros(Timestamp time) {
    return Expiry.micros(Instant.ofEpochSecond(time.getSeconds(), time.getNanos()));
  }

  private static byte[] cut(byte[] bytes) {
    if (bytes.length <= MAX_TEXT_BYTES) {
      return bytes;
    }
    byte[] hash = Digests.sha256(bytes);
    return ByteBuffer.allocate(MAX_TEXT_BYTES + hash.length)
        .put(bytes, 0, MAX_TEXT_BYTES)
        .put(hash)
        .array();
  }

  /// The value of a key; of what was cut, its beginning.
  static Value value(FieldKind type, BytesRef key) {
    Value.Builder value = Value.newBuilder();
    return switch (type) {
      case BOOL -> value.setBoolean(key.bytes[key.offset] == 1).build();
      case NUMBER -> number(key);
      case KEYWORD, TEXT, STRING -> value.setText(text(key)).build();
      case TIMESTAMP -> time(Expiry.instant(micros(key)));
      case BYTES ->
          value
              .setBytes(
                  ByteString.copyFrom(key.bytes, key.offset, Math.min(key.length, MAX_TEXT_BYTES)))
              .build();
      case GEO -> throw new IllegalArgumentException("points have no keys");
    };
  }

  static Value time(Instant instant) {
    return Value.newBuilder()
        .setTimestamp(
            Timestamp.newBuilder().setSeconds(instant.getEpochSecond()).setNanos(instant.getNano()))
        .build();
  }

  private static String text(BytesRef key) {
    return new String(
        key.bytes, key.offset, Math.min(key.length, MAX_TEXT_BYTES), StandardCharsets.UTF_8);
  }

  private static Value number(BytesRef key) {
    double nearest =
        NumericUtils.sortableLongToDouble(NumericUtils.sortableBytesToLong(key.bytes, key.offset));
    int rest =
        (short)
            (ByteBuffer.wrap(key.bytes, key.offset, key.length).getShort(key.offset + Double.BYTES)
                ^ Short.MIN_VALUE);
    boolean whole = nearest == Math.rint(nearest) && Math.abs(nearest) <= 0x1p63;
    if (!whole || (nearest == 0x1p63 && rest >= 0)) {
      return Value.newBuilder().setDecimal(nearest).build();
    }
    return Value.newBuilder()
        .setInteger(new BigDecimal(nearest).add(BigDecimal.valueOf(rest)).longValueExact())
        .build();
  }
}
