package dev.veridex.items;

import dev.veridex.acl.Acl.Action;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketAccess;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.BucketSettings;
import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.common.Utf8Order;
import dev.veridex.identity.Caller;
import dev.veridex.store.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Lists items by the ids that they have as resources of the access index.
public final class ItemResources {
  /// A page reads about as many items as from this many buckets, however many there are.
  private static final int FULL_BUCKETS = 8;

  private static final int LEAST_READ = 10;

  private final BucketLookup lookup;
  private final BucketAccess access;
  private final ItemVersions versions;

  public ItemResources(BucketLookup lookup, BucketAccess access, ItemVersions versions) {
    this.lookup = lookup;
    this.access = access;
    this.versions = versions;
  }

  /// The items of each bucket that asks the access index and that the caller may read.
  ///
  /// @param bucket the only one that counts; absent for all of the namespace
  /// @param after only ids that come after this one, by their bytes
  /// @return for each bucket the next ids in their order, and the one to go on after; few or none
  ///   may be there and still more follow
  public List<Page<String>> list(
      Reader reader,
      Caller caller,
      Namespace namespace,
      Optional<String> bucket,
      String after,
      int limit) {
    List<BucketLookup.LocatedBucket> buckets =
        bucket
            .map(name -> lookup.find(reader, namespace, name).stream().toList())
            .orElseGet(() -> lookup.all(reader, namespace))
            .stream()
            .filter(found -> found.bucket().type().name().equals(ItemVersions.TYPE))
            .filter(found -> found.bucket().wanted().settings().itemAccess())
            .filter(found -> access.allows(reader, found, caller, Action.READ))
            .toList();
    int each =
        buckets.size() <= FULL_BUCKETS
            ? limit
            : Math.max(LEAST_READ, FULL_BUCKETS * limit / buckets.size());
    return buckets.stream().map(found -> page(reader, found, after, each)).toList();
  }

  private Page<String> page(
      Reader reader, BucketLookup.LocatedBucket found, String after, int limit) {
    Bucket bucket = found.bucket();
    String prefix = bucket.wanted().settings().resourcePrefix();
    boolean inside = after.startsWith(prefix);
    if (!inside && Utf8Order.INSTANCE.compare(after, prefix) > 0) {
      return Page.last(List.of());
    }
    Optional<String> key =
        inside ? Optional.of(after.substring(prefix.length())) : Optional.empty();
    List<ItemStore.KeyedRevision> items =
        versions
            .of(bucket.side())
            .list(
                reader, found.data(bucket.side()), "", key.filter(text -> !text.isEmpty()), limit);
    List<String> ids = new ArrayList<>();
    for (ItemStore.KeyedRevision item : items) {
      String id = prefix + item.key();
      // A prefix that was changed may make ids that stand for something else.
      if (!item.current().deleted() && !BucketSettings.isReserved(id)) {
        ids.add(id);
      }
    }
    return items.size() < limit
        ? Page.last(ids)
        : Page.until(ids, prefix + items.getLast().key(), Page.End.LIMIT);
  }
}
