package dev.veridex.tenancy;

import dev.veridex.acl.Acl;
import dev.veridex.common.Scope;
import dev.veridex.quota.Quota;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// A tenant: it owns buckets, access data and quotas.
///
/// @param incarnation tells it from those that had its name before
/// @param version counts its changes
public record Account(
    String name, long incarnation, long version, Definition wanted, Instant createdAt) {

  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9.-]{0,63}");

  /// The definition of an account.
  ///
  /// @param owner the subject who may change and delete it
  /// @param acl who may do what to those of its buckets that do not say so themselves
  /// @param creators who may make buckets, besides the owner and administrators
  /// @param quotas how much of what it may hold; what is absent is unlimited
  public record Definition(
      Optional<String> description,
      Optional<String> owner,
      Optional<Acl> acl,
      Optional<BucketCreators> creators,
      Map<Quota, Long> quotas) {

    /// An account about which nothing is said.
    public static final Definition PLAIN =
        new Definition(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Map.of());

    /// The same with another owner.
    public Definition ownedBy(Optional<String> other) {
      return new Definition(description, other, acl, creators, quotas);
    }

    public Definition {
      quotas = Collections.unmodifiableMap(new TreeMap<>(quotas));
    }
  }

  /// Whether a text can name an account: no underscore, so that names joined by one stay apart.
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  public Scope scope() {
    return new Scope.Tenant(name);
  }

  public Optional<String> owner() {
    return wanted.owner;
  }

  public Map<Quota, Long> quotas() {
    return wanted.quotas;
  }

  /// Changes with every change, and is never the same for two incarnations.
  public String etag() {
    return incarnation + "." + version;
  }
}
