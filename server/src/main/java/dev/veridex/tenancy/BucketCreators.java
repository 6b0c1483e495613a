package dev.veridex.tenancy;

import dev.veridex.acl.Acl;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The callers who may make buckets in an account, besides its owner and its administrators.
///
/// @param everyType for types that have no entries of their own
/// @param byType for buckets of one type
public record BucketCreators(
    Optional<List<Acl.Entry>> everyType, Map<String, List<Acl.Entry>> byType) {

  /// The name of every type.
  public static final String EVERY_TYPE = "*";

  public BucketCreators {
    everyType = everyType.map(List::copyOf);
    TreeMap<String, List<Acl.Entry>> copy = new TreeMap<>();
    byType.forEach((type, entries) -> copy.put(type, List.copyOf(entries)));
    byType = Collections.unmodifiableMap(copy);
  }

  /// The entries that decide on buckets of a type; none: nobody.
  public List<Acl.Entry> of(String type) {
    List<Acl.Entry> own = byType.get(type);
    return own == null ? everyType.orElse(List.of()) : own;
  }
}
