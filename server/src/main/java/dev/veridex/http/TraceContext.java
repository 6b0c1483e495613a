package dev.veridex.http;

import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A request's place in a distributed trace, after the W3C's Trace Context.
///
/// @param traceId of the whole trace, 32 hexadecimal digits
/// @param spanId of our part of it, 16 hexadecimal digits
/// @param flags as the caller set them
record TraceContext(String traceId, String spanId, String flags) {
  private static final Pattern PARENT =
      Pattern.compile(
          "(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?");

  /// Goes on with the caller's trace, or begins one if there is none that makes sense.
  static TraceContext of(Optional<String> parent, RandomGenerator random) {
    String spanId = hex(random);
    if (parent.isPresent()) {
      Matcher matcher = PARENT.matcher(parent.get());
      boolean sane = matcher.matches();
      boolean extended = sane && matcher.group(3) != null;
      if (sane && !(extended && parent.get().startsWith("00"))) {
        return new TraceContext(matcher.group(1), spanId, matcher.group(2));
      }
    }
    return new TraceContext(hex(random) + hex(random), spanId, "00");
  }

  private static String hex(RandomGenerator random) {
    return HexFormat.of().toHexDigits(random.nextLong(1, Long.MAX_VALUE));
  }

  /// The value of the header `traceparent` for whoever comes after us.
  String header() {
    return "00-" + traceId + "-" + spanId + "-" + flags;
  }
}
