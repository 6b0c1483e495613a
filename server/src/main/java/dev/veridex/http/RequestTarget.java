package dev.veridex.http;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The path and query of a request, percent-decoded exactly once.
///
/// The path is split before it is decoded, and nothing is normalised: `..`, an escaped slash or a
/// NUL are data like everything else. In a query, `+` is a space, as all that encode forms mean it.
///
/// @param segments the parts of the path between slashes
/// @param query the parameters by name
record RequestTarget(List<String> segments, Map<String, String> query) {

  /// @throws VeridexException `BAD_REQUEST` for broken escapes, what is not UTF-8 when decoded, and
  ///   parameters that come twice
  static RequestTarget parse(String given) {
    String raw = withoutHost(given);
    int mark = raw.indexOf('?');
    String path = mark < 0 ? raw : raw.substring(0, mark);
    if (!path.startsWith("/")) {
      throw wrong("a path begins with a slash");
    }
    List<String> segments = new ArrayList<>();
    for (String segment : path.substring(1).split("/", -1)) {
      segments.add(decode(segment, false));
    }
    return new RequestTarget(segments, mark < 0 ? Map.of() : query(raw.substring(mark + 1)));
  }

  /// A client may name the host in front of the path, as it does to a proxy.
  private static String withoutHost(String raw) {
    if (!raw.startsWith("http://") && !raw.startsWith("https://")) {
      return raw;
    }
    int host = raw.indexOf("//") + 2;
    int end = host;
    while (end < raw.length() && "/?#".indexOf(raw.charAt(end)) < 0) {
      end++;
    }
    String rest = raw.substring(end);
    return rest.startsWith("/") ? rest : "/" + rest;
  }

  /// What names end with that may come several times.
  private static final String LIST = "[]";

  private static Map<String, String> query(String raw) {
    Map<String, String> query = new LinkedHashMap<>();
    Map<String, Integer> numbers = new HashMap<>();
    for (String pair : raw.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals), true);
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1), true);
      if (name.endsWith(LIST)) {
        // One of several: each gets a number, which no name of anything looks like.
        int number = numbers.merge(name, 1, Integer::sum) - 1;
        query.put(name.substring(0, name.length() - 1) + "#" + number + "]", value);
      } else if (!pair.isEmpty() && query.put(name, value) != null) {
        throw new VeridexException(
            Problem.of(ErrorCode.BAD_REQUEST, "a parameter comes twice").with("parameter", name));
      }
    }
    return query;
  }

  static String decode(String raw, boolean plusIsSpace) {
    if (raw.indexOf('%') < 0 && (!plusIsSpace || raw.indexOf('+') < 0) && isPlain(raw)) {
      return raw;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length());
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c == '%') {
        bytes.write(escaped(raw, i));
        i += 2;
      } else if (c <= ' ' || c > '~') {
        throw wrong("this character has to be percent-escaped");
      } else {
        bytes.write(c == '+' && plusIsSpace ? ' ' : c);
      }
    }
    try {
      ByteBuffer encoded = ByteBuffer.wrap(bytes.toByteArray());
      return StandardCharsets.UTF_8.newDecoder().decode(encoded).toString();
    } catch (CharacterCodingException e) {
      throw wrong("percent escapes are not UTF-8");
    }
  }

  private static boolean isPlain(String raw) {
    return raw.chars().allMatch(c -> c > ' ' && c <= '~');
  }

  private static int escaped(String raw, int at) {
    int high = at + 2 < raw.length() ? Character.digit(raw.charAt(at + 1), 16) : -1;
    int low = at + 2 < raw.length() ? Character.digit(raw.charAt(at + 2), 16) : -1;
    if (high < 0 || low < 0) {
      throw wrong("a percent escape is broken");
    }
    return high << 4 | low;
  }

  private static VeridexException wrong(String detail) {
    return new VeridexException(Problem.of(ErrorCode.BAD_REQUEST, detail));
  }
}
