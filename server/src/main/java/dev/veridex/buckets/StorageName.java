package dev.veridex.buckets;

import dev.veridex.common.Digests;
import dev.veridex.common.Namespace;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/// The name that a bucket has outside, in an engine whose names are short.
///
/// @param full the name in full, which an engine keeps to tell whose the short one is
public record StorageName(String full) {

  /// The name of one side of a bucket.
  public static StorageName of(Bucket bucket, Bucket.Side side) {
    StringBuilder full = new StringBuilder();
    Namespace namespace = bucket.namespace();
    // An account's name has no underscore, so nothing else reads the same.
    full.append('B').append(namespace.account()).append('_').append(bucket.name());
    namespace.environment().ifPresent(environment -> full.append('@').append(environment));
    if (side.type().version() > 1) {
      full.append('#').append(side.type().version());
    }
    if (side.number() != 0) {
      full.append('~').append(side.number());
    }
    return new StorageName(full.toString());
  }

  /// 28 characters of letters, digits and underscores, beginning with `B`.
  public String keyspace() {
    byte[] hash = Digests.sha1(full.getBytes(StandardCharsets.UTF_8));
    String text = Base64.getEncoder().withoutPadding().encodeToString(hash);
    return "B" + text.replace('+', '_').replace('/', '_');
  }
}
