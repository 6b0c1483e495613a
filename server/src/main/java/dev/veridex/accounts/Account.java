package dev.veridex.accounts;

import dev.veridex.common.Scope;
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
/// @param owner the subject who may change and delete it
/// @param quotas how much of what it may hold; what is absent is unlimited
public record Account(
    String name,
    long incarnation,
    long version,
    Optional<String> description,
    Optional<String> owner,
    Map<Quota, Long> quotas,
    Instant createdAt) {

  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9.-]{0,63}");

  /// What a quota limits.
  public enum Quota {
    BUCKETS("buckets"),
    DOCUMENTS("documents"),
    OBJECTS("objects"),
    ITEMS("items"),
    BYTES("bytes");

    private final String text;

    Quota(String text) {
      this.text = text;
    }

    /// Its name in requests, answers and records.
    public String text() {
      return text;
    }
  }

  public Account {
    quotas = Collections.unmodifiableMap(new TreeMap<>(quotas));
  }

  /// What somebody wants an account to be.
  public record Wanted(
      Optional<String> description, Optional<String> owner, Map<Quota, Long> quotas) {
    public Wanted {
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

  /// Changes with every change, and is never the same for two incarnations.
  public String etag() {
    return incarnation + "." + version;
  }
}
