package dev.veridex.grants;

import dev.veridex.access.GrantSource;
import dev.veridex.access.GrantedRights;
import dev.veridex.common.IntegrityScan;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.common.TtlPolicy;
import dev.veridex.common.VeridexException;
import dev.veridex.records.Incarnations;
import dev.veridex.records.JsonRecord;
import dev.veridex.records.TtlPolicyRecord;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;

/// Integrity scan of grants: each has one record in the reverse index, which ends when it does, and
/// counts in decisions just as it says; and of the TTL policies of scopes.
public final class GrantIntegrity implements IntegrityScan {
  private final Store store;
  private final Incarnations incarnations;
  private final GrantRecords records;
  private final GrantSource grants;
  private final GrantedRights rights;

  /// @param rights by which they count in decisions
  public GrantIntegrity(Store store, Incarnations incarnations, GrantedRights rights) {
    this.store = store;
    this.incarnations = incarnations;
    this.records = new GrantRecords(incarnations);
    this.grants = new StoredGrants(incarnations);
    this.rights = rights;
  }

  @Override
  public String name() {
    return "grants";
  }

  @Override
  public Outcome run(LongConsumer progress) {
    Run run = new Run(progress);
    try (Snapshot snapshot = store.snapshot()) {
      for (GrantKind kind : GrantKind.values()) {
        run.grants(snapshot, kind);
        run.reverse(snapshot, kind);
      }
      run.counted(snapshot);
      run.policies(snapshot);
    }
    return new Outcome(run.examined, run.drift);
  }

  private final class Run {
    private final LongConsumer progress;
    private final List<String> drift = new ArrayList<>();
    private long examined;

    private Run(LongConsumer progress) {
      this.progress = progress;
    }

    private void grants(Snapshot snapshot, GrantKind kind) {
      each(
          snapshot,
          kind.records(),
          (scope, in, value) -> {
            GrantKey key = new GrantKey(kind, in.string(), in.string(), in.string());
            Grant grant = GrantRecords.decode(scope, key, value);
            if (!records.isIndexed(snapshot, grant)) {
              tell(
                  "%s %s of %s is not in the reverse index"
                      .formatted(kind.text(), key.parts(), scope.text()));
            }
            if (GrantedRights.hasIndex(scope)
                && grant.granted().filter(each -> !rights.has(snapshot, scope, each)).isPresent()) {
              tell(
                  "%s %s of %s does not count in decisions as it says"
                      .formatted(kind.text(), key.parts(), scope.text()));
            }
          });
    }

    private void reverse(Snapshot snapshot, GrantKind kind) {
      each(
          snapshot,
          kind.reverse(),
          (scope, in, _) -> {
            GrantKey key = GrantRecords.ofReverse(kind, in);
            if (records.find(snapshot, scope, key).isEmpty()) {
              tell(
                  "the reverse index has %s %s of %s, which is not there"
                      .formatted(kind.text(), key.parts(), scope.text()));
            }
          });
    }

    /// What counts in decisions is what a grant gives.
    private void counted(Snapshot snapshot) {
      Set<Scope> seen = new HashSet<>();
      each(snapshot, RecordKind.ACCESS_GRANT, (scope, _, _) -> seen.add(scope));
      for (Scope scope : seen) {
        rights.eachLive(
            snapshot,
            scope,
            right -> {
              if (!grants.gives(snapshot, scope, right)) {
                tell(
                    "%s %s counts in decisions in %s, and no grant gives it"
                        .formatted(right.id(), right.name(), scope.text()));
              }
            });
      }
    }

    /// Each policy can be read, and does not contradict itself.
    private void policies(Snapshot snapshot) {
      each(
          snapshot,
          RecordKind.TTL_POLICY,
          (_, _, value) -> {
            TtlPolicy _ = TtlPolicyRecord.read(JsonRecord.read(value));
          });
    }

    private void each(Snapshot snapshot, RecordKind kind, Visitor visitor) {
      KeyRange all = KeyRange.prefix(new KeyWriter().octet(kind.code()).toKey());
      try (Cursor cursor = snapshot.scan(all, Direction.FORWARD)) {
        while (cursor.next()) {
          KeyReader in = new KeyReader(cursor.key());
          KeyReader.ScopePrefix scope = in.scope();
          if (incarnations.of(snapshot, scope.scope()) == scope.incarnation()) {
            try {
              visitor.visit(scope.scope(), in, cursor.value());
            } catch (VeridexException e) {
              tell(
                  "a record of %s cannot be read: %s"
                      .formatted(scope.scope().text(), e.getMessage()));
            }
          }
          examined++;
          progress.accept(examined);
        }
      }
    }

    private void tell(String what) {
      if (drift.size() < Outcome.MAX_DRIFT) {
        drift.add(what);
      }
    }
  }

  @FunctionalInterface
  private interface Visitor {
    void visit(Scope scope, KeyReader key, byte[] value);
  }
}
