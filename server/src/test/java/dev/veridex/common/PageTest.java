package dev.veridex.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PageTest {
  @Test
  void hasACursorExactlyWhenMoreMayFollow() {
    assertThat(Page.last(List.of(1)).cursor()).isEmpty();
    assertThat(Page.until(List.of(1), "c", Page.End.LIMIT).cursor()).contains("c");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Page<>(List.of(), Optional.empty(), Page.End.LIMIT));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Page<>(List.of(), Optional.of("c"), Page.End.EXHAUSTED));
  }

  @Test
  void mapsItsItems() {
    Page<String> page = Page.until(List.of(1, 2), "c", Page.End.SIZE).map(String::valueOf);
    assertThat(page).isEqualTo(Page.until(List.of("1", "2"), "c", Page.End.SIZE));
  }
}
