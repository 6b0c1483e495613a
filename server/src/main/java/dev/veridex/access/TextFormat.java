package dev.veridex.access;

import dev.veridex.access.ledger.AclRecord;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The texts in which the records of a key are written for people and other programs: `id;value;`
/// for each, in two versions.
public enum TextFormat {
  /// The bits as hexadecimal digits, the granted ones first.
  V1,
  /// A letter for each bit, with the number of those who say it.
  V2;

  /// The text of a key whose records have no bits.
  private static final String NOTHING = "X";

  private static final String LETTERS = "MRUPmrup";

  /// A date before the records says since when they are cached.
  private static final Pattern CACHED = Pattern.compile("^T\\d{6},");

  private static final Pattern V1_VALUE = Pattern.compile("([0-9A-F])([0-9A-F])?([XN])?");
  private static final Pattern V2_VALUE =
      Pattern.compile("((?:[MRUPmrup](?:[1-9]\\d{0,9})?)+)([XN])?");
  private static final Pattern V2_BIT = Pattern.compile("([MRUPmrup])(\\d*)");

  /// Its name in requests and settings.
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// A record read from the text of a key.
  ///
  /// @param counters of each bit; in the first version 1 for those that are set
  public record DecodedRecord(String subject, List<Integer> counters, Marker marker) {}

  /// Writes the records of a key.
  public String encode(List<SubjectRecord> records) {
    StringBuilder text = new StringBuilder();
    for (SubjectRecord each : records) {
      if (each.record().access() != 0) {
        text.append(escape(each.subject())).append(';').append(value(each.record())).append(';');
      }
    }
    return text.isEmpty() ? NOTHING : text.toString();
  }

  private String value(AclRecord record) {
    StringBuilder value = new StringBuilder();
    switch (this) {
      case V1 -> {
        value.append(hex(record.granted()));
        if (record.denied() != 0) {
          value.append(hex(record.denied()));
        }
      }
      case V2 -> {
        for (int bit = 0; bit < Rights.BITS; bit++) {
          int count = record.counter(bit);
          if (count > 0) {
            value.append(LETTERS.charAt(bit));
          }
          if (count > 1) {
            value.append(count);
          }
        }
      }
    }
    return value.append(record.marker().suffix()).toString();
  }

  private static char hex(int nibble) {
    return Character.toUpperCase(Character.forDigit(nibble, 16));
  }

  /// Reads either version, told apart value by value, with or without the date of a cache.
  ///
  /// @throws VeridexException `BAD_REQUEST` if it is neither
  public static List<DecodedRecord> decode(String text) {
    String records = CACHED.matcher(text).replaceFirst("");
    List<DecodedRecord> decoded = new ArrayList<>();
    if (records.equals(NOTHING) || records.isEmpty()) {
      return decoded;
    }
    if (!records.endsWith(";")) {
      throw malformed(records);
    }
    List<String> parts = List.of(records.substring(0, records.length() - 1).split(";", -1));
    if (parts.size() % 2 != 0) {
      throw malformed(records);
    }
    for (int i = 0; i < parts.size(); i += 2) {
      decoded.add(decode(unescape(parts.get(i)), parts.get(i + 1)));
    }
    return decoded;
  }

  private static DecodedRecord decode(String subject, String value) {
    int[] counters = new int[Rights.BITS];
    Matcher first = V1_VALUE.matcher(value);
    if (first.matches()) {
      int bits = Character.digit(first.group(1).charAt(0), 16);
      if (first.group(2) != null) {
        bits |= Rights.denial(Character.digit(first.group(2).charAt(0), 16));
      }
      for (int bit = 0; bit < counters.length; bit++) {
        counters[bit] = bits >> bit & 1;
      }
      return decoded(subject, counters, first.group(3));
    }
    Matcher second = V2_VALUE.matcher(value);
    if (!second.matches()) {
      throw malformed(value);
    }
    Matcher bits = V2_BIT.matcher(second.group(1));
    int before = -1;
    while (bits.find()) {
      int bit = LETTERS.indexOf(bits.group(1));
      long count = bits.group(2).isEmpty() ? 1 : Long.parseLong(bits.group(2));
      if (bit <= before || count > Integer.MAX_VALUE) {
        throw malformed(value);
      }
      before = bit;
      counters[bit] = (int) count;
    }
    return decoded(subject, counters, second.group(2));
  }

  private static DecodedRecord decoded(String subject, int[] counters, String marker) {
    List<Integer> list = new ArrayList<>();
    for (int counter : counters) {
      list.add(counter);
    }
    Marker found =
        marker == null
            ? Marker.NONE
            : marker.equals("X") ? Marker.EXCLUSIVE : Marker.IGNORES_EXCLUSIVE;
    return new DecodedRecord(subject, List.copyOf(list), found);
  }

  /// A semicolon would end the id; a percent sign is escaped only where it would be read as one.
  private static String escape(String id) {
    return id.replace("%25", "%2525").replace("%3B", "%253B").replace(";", "%3B");
  }

  private static String unescape(String text) {
    StringBuilder id = new StringBuilder();
    int i = 0;
    while (i < text.length()) {
      if (text.startsWith("%25", i) || text.startsWith("%3B", i)) {
        id.append(text.charAt(i + 1) == '2' ? '%' : ';');
        i += 3;
      } else {
        id.append(text.charAt(i));
        i++;
      }
    }
    return id.toString();
  }

  private static VeridexException malformed(String text) {
    return new VeridexException(
        Problem.of(ErrorCode.BAD_REQUEST, "these are no records of an index")
            .with("found", text.length() > 100 ? text.substring(0, 100) + "…" : text));
  }
}
