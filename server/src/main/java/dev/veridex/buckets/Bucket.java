package dev.veridex.buckets;

import dev.veridex.acl.Acl;
import dev.veridex.common.Namespace;
import dev.veridex.common.TtlPolicy;
import dev.veridex.quota.Quota;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// A named, typed unit of storage inside an account or one of its environments.
///
/// @param incarnation tells it from those that had its name before
/// @param version counts its changes
/// @param side where its records are
/// @param upgrade the side that will take the place of this one, while it is being filled
public record Bucket(
    Namespace namespace,
    String name,
    long incarnation,
    long version,
    Side side,
    Definition wanted,
    Optional<Upgrade> upgrade,
    Instant createdAt) {

  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");

  /// The records of a bucket in one version of its type.
  ///
  /// @param number part of their keys, never used again for a bucket of this name
  public record Side(BucketType type, long number) {}

  /// A change to another version of the type that is under way: writes go to both sides, reads to
  /// the old one.
  ///
  /// @param filled whether everything that was there before was copied
  public record Upgrade(Side to, Instant startedAt, boolean filled) {}

  /// The placement of a bucket's records, for engines that can choose.
  public enum Placement {
    SHARED("shared"),
    DEDICATED("dedicated");

    private final String text;

    Placement(String text) {
      this.text = text;
    }

    /// Its name in requests, answers and records.
    public String text() {
      return text;
    }
  }

  /// The definition of a bucket, besides its type.
  ///
  /// @param acl who may do what; absent: what the account says
  /// @param owner the subject who may do everything to it
  /// @param replication how many copies are kept, for engines that keep several
  public record Definition(
      Optional<Acl> acl,
      Optional<TtlPolicy> ttl,
      Optional<String> owner,
      Map<Quota, Long> quotas,
      Optional<Integer> replication,
      Placement placement,
      BucketSettings settings) {

    /// A bucket about which nothing is said.
    public static final Definition PLAIN =
        new Definition(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            Optional.empty(),
            Placement.SHARED,
            ItemSettings.USUAL);

    public Definition {
      quotas = Collections.unmodifiableMap(new TreeMap<>(quotas));
    }

    /// The same with another owner.
    public Definition ownedBy(Optional<String> other) {
      return new Definition(acl, ttl, other, quotas, replication, placement, settings);
    }

    /// The same with other settings.
    public Definition settling(BucketSettings other) {
      return new Definition(acl, ttl, owner, quotas, replication, placement, other);
    }
  }

  /// Whether a text can name a bucket.
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  public BucketType type() {
    return side.type;
  }

  /// Changes with every change, and is never the same for two incarnations.
  public String etag() {
    return incarnation + "." + version;
  }

  /// The same after a change.
  Bucket changed(Side newSide, Definition newWanted, Optional<Upgrade> newUpgrade) {
    return new Bucket(
        namespace, name, incarnation, version + 1, newSide, newWanted, newUpgrade, createdAt);
  }
}
