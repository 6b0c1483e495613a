package dev.veridex.buckets;

import dev.veridex.common.Agent;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.Arrays;

/// Takes what has expired off the counts of all accounts and buckets, one after the other, so that
/// the counters of hours that are over do not pile up.
public final class UsageSweeper implements Agent {
  private final Store store;

  public UsageSweeper(Store store) {
    this.store = store;
  }

  @Override
  public boolean runOnce() {
    Run run = new Run();
    try (Snapshot snapshot = store.snapshot()) {
      Buckets.each(snapshot, found -> run.holder(snapshot, found.holder()));
    }
    return run.any;
  }

  private final class Run {
    private byte[] lastAccount = new byte[0];
    private boolean any;

    /// Buckets come account by account, so an account is looked at about once.
    private void holder(Snapshot snapshot, UsageCounters.Holder holder) {
      if (!Arrays.equals(lastAccount, holder.account())) {
        lastAccount = holder.account();
        sweep(snapshot, holder.account());
      }
      sweep(snapshot, holder.bucket());
    }

    private void sweep(Snapshot snapshot, byte[] prefix) {
      if (UsageCounters.needsSweep(snapshot, prefix)) {
        any |= store.transact(transaction -> UsageCounters.sweep(transaction, prefix)).result();
      }
    }
  }
}
