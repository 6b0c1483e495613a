package dev.veridex.buckets;

import dev.veridex.common.IntegrityScan;
import dev.veridex.common.Namespace;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.tenancy.DeletionCleaner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// Integrity scan of buckets: what is in them is whole, and what is counted for quotas is what is
/// there.
public final class ContentIntegrity implements IntegrityScan {
  private final Store store;
  private final Map<String, Contents> types;

  /// @param types how to look at what is in buckets, by type
  public ContentIntegrity(Store store, Map<String, Contents> types) {
    this.store = store;
    this.types = types;
  }

  /// Looks at what is in the buckets of one type.
  @FunctionalInterface
  public interface Contents {
    /// Looks at a bucket.
    ///
    /// @param held is told what is there
    /// @param drift is told what is not whole
    /// @param looked is told of each thing that was looked at
    void look(
        Reader reader,
        BucketLookup.LocatedBucket found,
        UsageCounters.Delta held,
        Consumer<String> drift,
        Runnable looked);
  }

  @Override
  public String name() {
    return "buckets";
  }

  @Override
  public Outcome run(LongConsumer progress) {
    try (Snapshot snapshot = store.snapshot()) {
      return run(snapshot, types, progress);
    }
  }

  /// Looks at what a reader sees.
  public static Outcome run(Reader reader, Map<String, Contents> types, LongConsumer progress) {
    Run run = new Run(reader, types, progress);
    Buckets.each(reader, run::bucket);
    run.accounts();
    return new Outcome(run.looked, run.drift);
  }

  private static final class Run {
    private static final int TELL_EVERY = 1000;

    private final Reader reader;
    private final Map<String, Contents> types;
    private final LongConsumer progress;
    private final List<String> drift = new ArrayList<>();
    private final Map<String, UsageCounters.Delta> byAccount = new HashMap<>();
    private final Map<String, UsageCounters.Holder> holders = new HashMap<>();
    private long looked;

    private Run(Reader reader, Map<String, Contents> types, LongConsumer progress) {
      this.reader = reader;
      this.types = types;
      this.progress = progress;
    }

    private void bucket(BucketLookup.LocatedBucket found) {
      Bucket bucket = found.bucket();
      UsageCounters.Delta held = new UsageCounters.Delta().add(Quota.BUCKETS, Optional.empty(), 1);
      Contents contents = types.get(bucket.type().name());
      if (contents != null) {
        contents.look(reader, found, held, this::add, this::looked);
      }
      tell(
          UsageCounters.differences(reader, found.holder().bucket(), held, true),
          bucket.namespace(),
          bucket.name());
      String account = bucket.namespace().account();
      byAccount.computeIfAbsent(account, _ -> new UsageCounters.Delta()).addAll(held);
      holders.put(account, found.holder());
    }

    private void looked() {
      looked++;
      if (looked % TELL_EVERY == 0) {
        progress.accept(looked);
      }
    }

    private void accounts() {
      // What is still to be given back is counted for the account, and for no bucket.
      boolean exact = !DeletionCleaner.isBusy(reader);
      holders.forEach(
          (account, holder) ->
              tell(
                  UsageCounters.differences(
                      reader,
                      holder.account(),
                      byAccount.getOrDefault(account, new UsageCounters.Delta()),
                      exact),
                  new Namespace(account, Optional.empty()),
                  "all buckets"));
    }

    private void tell(List<String> differences, Namespace namespace, String what) {
      differences.forEach(
          difference -> add(namespace.scope().text() + ", " + what + ": " + difference));
    }

    private void add(String difference) {
      if (drift.size() < Outcome.MAX_DRIFT) {
        drift.add(difference);
      }
    }
  }
}
