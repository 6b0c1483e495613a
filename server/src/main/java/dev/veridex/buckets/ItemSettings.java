package dev.veridex.buckets;

/// What a bucket of items settles for itself.
///
/// @param itemAccess whether each item is shown and changed by the rights that the subject has on
///   it
/// @param resourcePrefix what stands before an item's key in the id of its resource
public record ItemSettings(boolean itemAccess, String resourcePrefix, Retention retention) {
  /// The most characters of a prefix.
  public static final int MAX_PREFIX = 256;

  /// Whether the id of a resource stands for something else than an item.
  public static boolean isReserved(String resource) {
    return resource.startsWith("bucket:") || resource.startsWith("s3://");
  }

  public static final ItemSettings USUAL = new ItemSettings(false, "", new Retention.All());
}
