package dev.veridex.settings;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Numbers, sizes and durations as people write them.
public final class Numbers {
  private static final Pattern WITH_UNIT = Pattern.compile("(\\d{1,18}) ?([a-zA-Z]*)");
  private static final Map<String, Long> SIZES =
      Map.of("", 1L, "B", 1L, "KIB", 1L << 10, "MIB", 1L << 20, "GIB", 1L << 30, "TIB", 1L << 40);
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  private Numbers() {}

  static Optional<Long> parse(String text) {
    return text.matches("-?\\d{1,18}") ? Optional.of(Long.parseLong(text)) : Optional.empty();
  }

  static Optional<Long> bytes(String text) {
    Matcher matcher = WITH_UNIT.matcher(text);
    return matcher.matches()
        ? product(
            matcher.group(1), SIZES.getOrDefault(matcher.group(2).toUpperCase(Locale.ROOT), 0L))
        : Optional.empty();
  }

  /// A duration such as `90s`, `1h` or `PT1H30M`.
  public static Optional<Duration> duration(String text) {
    Matcher matcher = WITH_UNIT.matcher(text);
    if (matcher.matches()) {
      return product(matcher.group(1), MILLIS.getOrDefault(matcher.group(2), 0L))
          .map(Duration::ofMillis);
    }
    try {
      return Optional.of(Duration.parse(text));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /// The shortest form that [#duration] reads.
  static String text(Duration duration) {
    long millis = duration.toMillis();
    return MILLIS.entrySet().stream()
        .filter(unit -> millis >= unit.getValue() && millis % unit.getValue() == 0)
        .max(Map.Entry.comparingByValue())
        .map(unit -> millis / unit.getValue() + unit.getKey())
        .orElse(millis + "ms");
  }

  /// @param unit 0 if it is none that we know
  private static Optional<Long> product(String number, long unit) {
    long count = Long.parseLong(number);
    return unit == 0 || count > Long.MAX_VALUE / unit
        ? Optional.empty()
        : Optional.of(count * unit);
  }
}
