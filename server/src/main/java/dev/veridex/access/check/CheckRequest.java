package dev.veridex.access.check;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The subject, resource and filter of a check.
///
/// @param filter the name under which it is asked
/// @param implicit the groups that the resource is in without any statement
public record CheckRequest(
    String subject, String resource, Optional<String> filter, List<String> implicit) {
  private static final String OBJECTS = "s3://";
  private static final String BUCKET = "bucket:";

  public CheckRequest {
    Set<String> others = new LinkedHashSet<>(implicit);
    others.remove(resource);
    implicit = List.copyOf(others);
  }

  /// A question about an id, which may tell of its groups by itself.
  ///
  /// @param bucket in which the resource is
  public static CheckRequest of(
      String subject, String resource, Optional<String> filter, Optional<String> bucket) {
    List<String> implicit = new ArrayList<>(folders(resource));
    bucket.ifPresent(name -> implicit.add(BUCKET + name));
    return new CheckRequest(subject, resource, filter.filter(name -> !name.isEmpty()), implicit);
  }

  /// A question about what lies in a bucket. Only objects of an object store have ids that tell of
  /// folders: other things are refused such ids.
  public static CheckRequest inBucket(String subject, String resource, String bucket) {
    return of(subject, resource, Optional.empty(), Optional.of(bucket));
  }

  /// Whether resources may be in something without any statement, by their ids alone.
  public static boolean isFolder(String id) {
    return id.startsWith(OBJECTS) && id.endsWith("/");
  }

  /// The bucket and the folders of an object of an object store.
  public static List<String> folders(String resource) {
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
