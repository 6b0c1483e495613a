package dev.veridex.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RevisionSealTest {
  private static final byte[] KEY = new byte[RevisionSeal.KEY_BYTES];
  private final RevisionSeal seal = new RevisionSeal(42, KEY);

  @Test
  void opensWhatItSealed() {
    for (long sequence : new long[] {0, 1, 1L << 40, Long.MAX_VALUE}) {
      Revision revision = new Revision(42, sequence);
      String text = seal.seal(revision);
      assertThat(text).matches("[A-Za-z0-9_-]{22}");
      assertThat(seal.open(text)).isEqualTo(revision);
    }
  }

  @Test
  void neighboursDoNotLookAlike() {
    String one = seal.seal(new Revision(42, 1));
    String two = seal.seal(new Revision(42, 2));
    assertThat(one.substring(0, 8)).isNotEqualTo(two.substring(0, 8));
  }

  @Test
  void everythingElseIsUnknown() {
    String text = seal.seal(new Revision(42, 7));
    for (int i = 0; i < text.length(); i++) {
      char other = text.charAt(i) == 'A' ? 'B' : 'A';
      assertUnknown(text.substring(0, i) + other + text.substring(i + 1));
    }
    String foreign = new RevisionSeal(43, KEY).seal(new Revision(43, 7));
    List.of("", "x", text + "A", text + "=", text.substring(1), "é".repeat(22), foreign)
        .forEach(this::assertUnknown);
  }

  private void assertUnknown(String text) {
    assertThatExceptionOfType(VeridexException.class)
        .isThrownBy(() -> seal.open(text))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_REVISION));
  }
}
