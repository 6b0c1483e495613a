package dev.veridex.common;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// A generation of a bucket's index: its documents converted to the schema of one epoch.
///
/// @param epoch whose schema what is in it has
public record IndexGeneration(BucketLocation location, long epoch) {
  private static final int HASH_LETTERS = 8;
  private static final int STORAGE_LETTERS = 32;

  /// Its name in engines outside, for its topic as well as its index. What is deleted and made
  /// again has another one.
  public String name() {
    return name(HASH_LETTERS);
  }

  /// Its name where files are: no two have the same, whoever chose the names of their parts.
  public String storageName() {
    return name(STORAGE_LETTERS);
  }

  private String name(int letters) {
    String account =
        switch (location.scope()) {
          case Scope.Tenant(String tenant) -> tenant;
          case Scope.TenantEnvironment(String tenant, _) -> tenant;
          case Scope.Global _, Scope.Environment _, Scope.Custom _ ->
              throw new IllegalStateException("buckets are in accounts");
        };
    String full =
        String.join(
            "\n",
            location.scope().text(),
            Long.toUnsignedString(location.incarnation()),
            location.bucket(),
            Long.toUnsignedString(location.side()),
            Long.toString(epoch));
    return "veridex-%s-%s-e%d-%s"
        .formatted(account, location.bucket(), epoch, hash(full).substring(0, letters));
  }

  private static String hash(String full) {
    return HexFormat.of().formatHex(Digests.sha256(full.getBytes(StandardCharsets.UTF_8)));
  }
}
