package dev.veridex.items;

import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketType;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The versions of the type `items`, each with the store that keeps its layout.
public final class ItemVersions {
  /// The name of the type.
  public static final String TYPE = "items";

  private final SortedMap<Integer, ItemStore> stores;

  public ItemVersions(SortedMap<Integer, ItemStore> stores) {
    this.stores = new TreeMap<>(stores);
  }

  public SortedSet<Integer> versions() {
    return Collections.unmodifiableSortedSet(new TreeSet<>(stores.keySet()));
  }

  ItemStore of(Bucket.Side side) {
    BucketType type = side.type();
    ItemStore store = stores.get(type.version());
    if (store == null || !type.name().equals(TYPE)) {
      throw new IllegalStateException("no store keeps " + type.text());
    }
    return store;
  }
}
