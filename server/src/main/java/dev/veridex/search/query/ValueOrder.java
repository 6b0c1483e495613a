package dev.veridex.search.query;

import com.google.protobuf.ByteString;
import dev.veridex.common.Utf8Order;
import dev.veridex.protocol.Value;
import java.math.BigDecimal;
import java.time.Instant;

/// The order of numbers and times.
final class ValueOrder {
  private ValueOrder() {}

  /// The order of two values of a field.
  static int compare(Value one, Value other) {
    return switch (one.getKindCase()) {
      case TIMESTAMP -> time(one).compareTo(time(other));
      case BOOLEAN -> Boolean.compare(one.getBoolean(), other.getBoolean());
      case TEXT -> Utf8Order.INSTANCE.compare(one.getText(), other.getText());
      case BYTES ->
          ByteString.unsignedLexicographicalComparator().compare(one.getBytes(), other.getBytes());
      case INTEGER, DECIMAL -> number(one).compareTo(number(other));
      case GEO, KIND_NOT_SET -> throw new IllegalArgumentException("this has no order");
    };
  }

  private static Instant time(Value value) {
    return Instant.ofEpochSecond(
        value.getTimestamp().getSeconds(), value.getTimestamp().getNanos());
  }

  private static BigDecimal number(Value value) {
    return value.hasInteger()
        ? BigDecimal.valueOf(value.getInteger())
        : new BigDecimal(value.getDecimal());
  }
}
