package dev.veridex.items;

import dev.veridex.accounts.Cleaner;
import dev.veridex.accounts.Place;
import dev.veridex.accounts.Quota;
import dev.veridex.accounts.Usage;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.DataPlace;
import dev.veridex.buckets.Directory;
import dev.veridex.common.SelfCheck;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;

/// Checks that every revision of every item has its bytes, and that what is counted for quotas is
/// what is there.
public final class ItemCheck implements SelfCheck {
  private static final int KEYS_AT_ONCE = 1000;

  private final Store store;
  private final ItemVersions versions;

  public ItemCheck(Store store, ItemVersions versions) {
    this.store = store;
    this.versions = versions;
  }

  @Override
  public String name() {
    return "items";
  }

  @Override
  public Outcome run(LongConsumer progress) {
    try (Snapshot snapshot = store.snapshot()) {
      return run(snapshot, versions, progress);
    }
  }

  /// Looks at the items that a reader sees.
  public static Outcome run(Reader reader, ItemVersions versions, LongConsumer progress) {
    Run run = new Run(reader, versions, progress);
    Buckets.each(reader, run::bucket);
    run.accounts();
    return new Outcome(run.items, run.drift);
  }

  private static final class Run {
    private final Reader reader;
    private final ItemVersions versions;
    private final LongConsumer progress;
    private final List<String> drift = new ArrayList<>();
    private final Map<String, Usage.Delta> byAccount = new HashMap<>();
    private final Map<String, Usage.Holder> holders = new HashMap<>();
    private long items;

    private Run(Reader reader, ItemVersions versions, LongConsumer progress) {
      this.reader = reader;
      this.versions = versions;
      this.progress = progress;
    }

    private void bucket(Directory.Found found) {
      Bucket bucket = found.bucket();
      Usage.Delta held = new Usage.Delta().add(Quota.BUCKETS, Optional.empty(), 1);
      ItemStore store = versions.of(bucket.side());
      DataPlace place = found.data(bucket.side());
      Optional<String> after = Optional.empty();
      List<String> keys;
      do {
        keys = store.keys(reader, place, after, KEYS_AT_ONCE);
        for (String key : keys) {
          item(store, place, key, held);
          after = Optional.of(key);
        }
        progress.accept(items);
      } while (keys.size() == KEYS_AT_ONCE);
      tell(
          Usage.differences(reader, found.holder().bucket(), held, true),
          bucket.place(),
          bucket.name());
      String account = bucket.place().account();
      byAccount.computeIfAbsent(account, _ -> new Usage.Delta()).addAll(held);
      holders.put(account, found.holder());
    }

    private void item(ItemStore store, DataPlace place, String key, Usage.Delta held) {
      items++;
      Optional<UUID> before = Optional.empty();
      List<ItemRevision> revisions;
      do {
        revisions = store.revisions(reader, place, key, before, KEYS_AT_ONCE);
        for (ItemRevision revision : revisions) {
          before = Optional.of(revision.id());
          revision(store, place, key, revision, held);
        }
      } while (revisions.size() == KEYS_AT_ONCE);
    }

    private void revision(
        ItemStore store, DataPlace place, String key, ItemRevision revision, Usage.Delta held) {
      if (revision.deleted()) {
        return;
      }
      if (revision.replacedAt().isEmpty()) {
        held.add(Quota.ITEMS, revision.expiresAt(), 1);
      }
      held.add(Quota.BYTES, revision.expiresAt(), revision.held());
      int length = store.value(reader, place, key, revision.id()).map(v -> v.length).orElse(-1);
      if (length != revision.bytes()) {
        add(
            "revision %s of an item in bucket %s of %s has %d bytes instead of %d"
                .formatted(
                    revision.id(), place.bucket(), place.scope().text(), length, revision.bytes()));
      }
    }

    private void accounts() {
      // What is still to be given back is counted for the account, and for no bucket.
      boolean exact = !Cleaner.isBusy(reader);
      holders.forEach(
          (account, holder) ->
              tell(
                  Usage.differences(
                      reader,
                      holder.account(),
                      byAccount.getOrDefault(account, new Usage.Delta()),
                      exact),
                  new Place(account, Optional.empty()),
                  "all buckets"));
    }

    private void tell(List<String> differences, Place place, String what) {
      differences.forEach(
          difference -> add(place.scope().text() + ", " + what + ": " + difference));
    }

    private void add(String difference) {
      if (drift.size() < Outcome.MAX_DRIFT) {
        drift.add(difference);
      }
    }
  }
}
