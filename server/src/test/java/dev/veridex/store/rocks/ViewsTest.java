package dev.veridex.store.rocks;

import static dev.veridex.store.StoreTesting.assertCode;

import dev.veridex.common.ErrorCode;
import org.junit.jupiter.api.Test;

final class ViewsTest {
  private final Views views = new Views();

  @Test
  void aDoorWithoutADatabaseSaysSo() {
    views.down();
    assertCode(ErrorCode.UNAVAILABLE, views::hold);
  }

  @Test
  void aClosedDoorStaysClosed() {
    views.close();
    views.open();
    assertCode(ErrorCode.CLOSED, views::hold);
    views.pause();
    assertCode(ErrorCode.CLOSED, views::hold);
    views.down();
    assertCode(ErrorCode.CLOSED, views::hold);
  }
}
