package dev.veridex.search;

import dev.veridex.protocol.Value;
import java.math.BigDecimal;
import java.time.Instant;

/// The order of numbers and times.
final class Values {
  private Values() {}

  static int compare(Value one, Value other) {
    if (one.hasTimestamp()) {
      return time(one).compareTo(time(other));
    }
    return number(one).compareTo(number(other));
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
