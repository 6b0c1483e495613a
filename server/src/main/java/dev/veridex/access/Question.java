package dev.veridex.access;

import dev.veridex.access.compiled.CompiledCheck;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a check is about.
///
/// @param filter the name under which it is asked
/// @param implicit the groups that the resource is in without any statement
public record Question(
    String subject, String resource, Optional<String> filter, List<String> implicit) {
  private static final String OBJECTS = "s3://";
  private static final String BUCKET = "bucket:";

  public Question {
    Set<String> others = new LinkedHashSet<>(implicit);
    others.remove(resource);
    implicit = List.copyOf(others);
  }

  /// A question about an id, which may tell of its groups by itself.
  ///
  /// @param bucket in which the resource is
  public static Question of(
      String subject, String resource, Optional<String> filter, Optional<String> bucket) {
    List<String> implicit = new ArrayList<>(folders(resource));
    bucket.ifPresent(name -> implicit.add(BUCKET + name));
    return new Question(subject, resource, filter.filter(name -> !name.isEmpty()), implicit);
  }

  /// The rights that a compiled index answers with.
  int rights(CompiledCheck check) {
    check.subject(subject);
    check.filter(filter.orElse(""));
    check.implicit(implicit);
    return check.rights(resource);
  }

  /// A question about what lies in a bucket: the id alone tells nothing.
  public static Question inBucket(String subject, String resource, String bucket) {
    return new Question(subject, resource, Optional.empty(), List.of(BUCKET + bucket));
  }

  /// Whether resources may be in something without any statement, by their ids alone.
  static boolean isFolder(String id) {
    return id.startsWith(OBJECTS) && id.endsWith("/");
  }

  /// The bucket and the folders of an object of an object store.
  static List<String> folders(String resource) {
    if (!resource.startsWith(OBJECTS)) {
      return List.of();
    }
    List<String> folders = new ArrayList<>();
    int slash = resource.indexOf('/', OBJECTS.length());
    while (slash >= 0) {
      folders.add(resource.substring(0, slash + 1));
      slash = resource.indexOf('/', slash + 1);
    }
    return folders;
  }
}
