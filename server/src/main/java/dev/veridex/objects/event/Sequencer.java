package dev.veridex.objects.event;

import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import java.util.Locale;
import java.util.Optional;

/// A sequencer of an object store: hexadecimal digits that order the events of one key. Of two that
/// differ in zeros at the end alone, the shorter is earlier.
///
/// @param text in capital letters
public record Sequencer(String text) implements Comparable<Sequencer> {
  /// The most digits.
  public static final int MAX_DIGITS = 30;

  /// Before all others: what has no sequencer of its own and nothing to come after.
  public static final Sequencer NONE = new Sequencer("");

  private static final int HIGH_DIGITS = 16;
  private static final int HEX = 16;

  /// A sequencer as it came; absent if it is none.
  public static Optional<Sequencer> of(String given) {
    boolean good =
        !given.isEmpty()
            && given.length() <= MAX_DIGITS
            && given.chars().allMatch(c -> c < 128 && Character.digit(c, HEX) >= 0);
    return good ? Optional.of(new Sequencer(given.toUpperCase(Locale.ROOT))) : Optional.empty();
  }

  /// All 30 digits.
  public String padded() {
    return text + "0".repeat(MAX_DIGITS - text.length());
  }

  /// Writes it as 16 bytes in the order of sequencers: 15 of digits, one of their number.
  public KeyWriter write(KeyWriter out) {
    String digits = padded();
    long high = Long.parseUnsignedLong(digits, 0, HIGH_DIGITS, HEX);
    long low = Long.parseUnsignedLong(digits, HIGH_DIGITS, MAX_DIGITS, HEX);
    return out.unsigned(high).unsigned(low << Byte.SIZE | text.length());
  }

  /// Reads what was written.
  public static Sequencer read(KeyReader in) {
    long high = in.unsigned();
    long low = in.unsigned();
    String digits = "%016X%014X".formatted(high, low >>> Byte.SIZE);
    return new Sequencer(digits.substring(0, (int) low & 0xFF));
  }

  @Override
  public int compareTo(Sequencer other) {
    int longest = Math.max(text.length(), other.text.length());
    for (int i = 0; i < longest; i++) {
      char one = i < text.length() ? text.charAt(i) : '0';
      char two = i < other.text.length() ? other.text.charAt(i) : '0';
      if (one != two) {
        return Character.compare(one, two);
      }
    }
    return Integer.compare(text.length(), other.text.length());
  }
}
