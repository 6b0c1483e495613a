package dev.veridex.objects.event;

import java.util.Comparator;
import java.util.Optional;

/// The place of an event among those of its object: the sequencer of the store, or a generated one,
/// which comes after a sequencer and before the next.
///
/// Its text is the sequencer; or the sequencer with all 30 digits, a hyphen and the rank as 16
/// hexadecimal digits, the least significant byte first. Ranks are compared as numbers.
///
/// @param base the sequencer that it is, or comes after
/// @param rank from 1 on; 0 for a sequencer of the store
public record EventPlace(Sequencer base, long rank) implements Comparable<EventPlace> {
  private static final Comparator<EventPlace> ORDER =
      Comparator.comparing(EventPlace::base)
          .thenComparing((one, other) -> Long.compareUnsigned(one.rank, other.rank));
  private static final int RANK_DIGITS = 16;
  private static final int HEX = 16;

  /// Its text in answers.
  public String text() {
    return rank == 0 ? base.text() : "%s-%016x".formatted(base.padded(), Long.reverseBytes(rank));
  }

  /// The generated one that comes next.
  public EventPlace next() {
    return new EventPlace(base, rank + 1);
  }

  /// The place of a text; absent if it is none.
  public static Optional<EventPlace> of(String text) {
    int hyphen = text.indexOf('-');
    if (hyphen < 0) {
      return Sequencer.of(text).map(base -> new EventPlace(base, 0));
    }
    String rank = text.substring(hyphen + 1);
    boolean good =
        rank.length() == RANK_DIGITS && rank.chars().allMatch(c -> Character.digit(c, HEX) >= 0);
    return good
        ? Sequencer.of(text.substring(0, hyphen))
            .map(base -> new EventPlace(base, Long.reverseBytes(Long.parseUnsignedLong(rank, HEX))))
        : Optional.empty();
  }

  @Override
  public int compareTo(EventPlace other) {
    return ORDER.compare(this, other);
  }
}
