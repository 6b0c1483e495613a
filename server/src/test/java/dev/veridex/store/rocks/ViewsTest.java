package dev.veridex.store.rocks;

import static dev.veridex.store.StoreTesting.assertCode;

import dev.veridex.common.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A door that is wrongly open lets its callers spin for ever: that must fail, not hang.
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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
