package dev.veridex;

import dev.veridex.access.AccessSettings;

/// How tests keep access indexes: they are in memory as soon as somebody has asked once.
public final class TestAccess {
  public static final AccessSettings SETTINGS =
      new AccessSettings(1L << 30, AccessSettings.PAST_RETENTION, Runnable::run);

  private TestAccess() {}
}
