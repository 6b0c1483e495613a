package dev.veridex.objects.catalogue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.common.MutableClock;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.json.JsonText;
import dev.veridex.objects.event.EventParser;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ParsedRecord;
import dev.veridex.quota.Quota;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.tenancy.Account;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;

/// A store with catalogues, one for each mode, which can be closed and opened again.
final class CatalogueWorld implements AutoCloseable {
  static final String ROOT = "the root secret of this test";

  private final Function<MutableClock, Store> stores;
  final MutableClock clock = MutableClock.daysAgo(0);
  private Store store;
  private Domain domain;
  private Token root;

  CatalogueWorld(Function<MutableClock, Store> stores) {
    this.stores = stores;
    this.store = stores.apply(clock);
    this.domain = domain();
    this.root = domain.tenancy().tokens().adoptRoot(ROOT);
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    for (ObjectSettings.Mode mode : ObjectSettings.Mode.values()) {
      bucket(mode.text(), mode, Map.of());
    }
  }

  private Domain domain() {
    Random random = new Random(2);
    return Domain.on(
        store,
        new Domain.Parts(random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
  }

  void bucket(String name, ObjectSettings.Mode mode, Map<Quota, Long> quotas) {
    domain
        .buckets()
        .buckets()
        .put(
            Caller.of(root),
            TestDomain.ACME,
            name,
            ObjectSettings.TYPE,
            new Bucket.Definition(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                quotas,
                Optional.empty(),
                Bucket.Placement.SHARED,
                new ObjectSettings(true, Optional.of(1), Optional.of(mode))),
            Optional.empty(),
            Optional.empty());
  }

  /// Closes the store in good order and opens it again.
  void reopen() {
    store.close();
    store = stores.apply(clock);
    domain = domain();
    root = domain.tenancy().tokens().adoptRoot(ROOT);
  }

  List<EventResult> receive(String bucket, List<ParsedRecord> records) {
    return domain
        .objects()
        .receiver()
        .receive(
            new ActingCaller(Caller.of(root), Optional.empty()), TestDomain.ACME, bucket, records)
        .results();
  }

  List<EventResult> receive(ObjectSettings.Mode mode, List<ObjectEvent> events) {
    return receive(
        mode.text(), events.stream().<ParsedRecord>map(ParsedRecord.Event::new).toList());
  }

  /// The events of a message, with single quotes.
  static List<ParsedRecord> parse(String json) {
    return EventParser.parse(JsonText.read(json.replace('\'', '"').getBytes(UTF_8)));
  }

  /// The rows of a catalogue that a selection keeps.
  List<ObjectRow> rows(String bucket, ObjectSelection selection) {
    List<ObjectRow> rows = new ArrayList<>();
    try (Snapshot snapshot = store.snapshot()) {
      ObjectScan.End end =
          new ObjectScan(snapshot, found(snapshot, bucket), new ScanBudget(Long.MAX_VALUE, _ -> {}))
              .run(
                  selection,
                  Optional.empty(),
                  (row, _) -> {
                    rows.add(row);
                    return true;
                  });
      if (!(end instanceof ObjectScan.End.Exhausted)) {
        throw new AssertionError(end);
      }
    }
    return rows;
  }

  List<ObjectRow> rows(ObjectSettings.Mode mode, ObjectSelection.State state) {
    ObjectSelection all = ObjectSelection.all();
    return rows(
        mode.text(),
        new ObjectSelection(all.bucket(), all.prefix(), false, all.objects(), state, all.rows()));
  }

  private BucketLookup.LocatedBucket found(Snapshot snapshot, String bucket) {
    return domain.buckets().lookup().find(snapshot, TestDomain.ACME, bucket).orElseThrow();
  }

  List<ObjectCount> counts(String bucket) {
    try (Snapshot snapshot = store.snapshot()) {
      return new ObjectScan(snapshot, found(snapshot, bucket), new ScanBudget(0, _ -> {}))
          .counts(Optional.empty());
    }
  }

  Domain parts() {
    return domain;
  }

  Store store() {
    return store;
  }

  @Override
  public void close() {
    store.close();
  }
}
