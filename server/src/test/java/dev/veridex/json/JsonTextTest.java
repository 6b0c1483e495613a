package dev.veridex.json;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.VeridexException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JsonTextTest {
  @Test
  void readsOneValue() {
    assertThat(JsonText.read(" {\"a\": [1, \"é\", null]} ".getBytes(UTF_8)).toString())
        .isEqualTo("{\"a\":[1,\"é\",null]}");
  }

  @Test
  void refusesWhatIsNotOneValue() {
    for (String text :
        List.of(
            "",
            "  ",
            "{",
            "{\"a\":1} {}",
            "{\"a\":1}]",
            "{\"a\":1,\"a\":2}",
            "{'a':1}",
            "{a:1}",
            "[1,]",
            "[01]",
            "NaN",
            "// comment\n1",
            "\u0000",
            "[".repeat(100_000))) {
      refused(text.getBytes(UTF_8));
    }
  }

  @Test
  void refusesOtherEncodings() {
    refused("{\"a\":1}".getBytes(UTF_16));
    refused(new byte[] {'"', (byte) 0xff, '"'});
    refused(new byte[] {'"', (byte) 0xc0, (byte) 0xaf, '"'});
    refused(new byte[] {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'});
    refused(new byte[] {'"', (byte) 0xe2, (byte) 0x82});
  }

  @Test
  void refusesWhatWouldFillTheMemory() {
    refused(("[" + "0,".repeat(3_000_000) + "0]").getBytes(UTF_8));
  }

  private static void refused(byte[] bytes) {
    assertThatThrownBy(() -> JsonText.read(bytes))
        .isInstanceOfSatisfying(
            VeridexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST));
  }
}
