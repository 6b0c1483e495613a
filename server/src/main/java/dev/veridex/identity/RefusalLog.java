package dev.veridex.identity;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Scope;
import dev.veridex.identity.AuditEntry.Outcome;
import dev.veridex.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Audit entries for denied requests.
public final class RefusalLog {
  private static final String NOBODY = "unknown";

  private final Store store;
  private final AuditLog audit;

  public RefusalLog(Store store, AuditLog audit) {
    this.store = store;
    this.audit = audit;
  }

  /// Somebody we know tried what they may not do.
  ///
  /// It stands in the log of the scope they tried it in, if they reach it; else in that of their
  /// own scope: nobody's log tells of other tenants, or is filled by them.
  public void refused(
      Token actor, String operation, Scope scope, List<String> key, ErrorCode reason) {
    boolean reached = actor.reaches(scope);
    List<String> what = new ArrayList<>(key);
    if (!reached) {
      what.add(scope.text());
    }
    store.transact(
        transaction -> {
          audit.append(
              transaction,
              AuditEntry.of(
                      transaction.now(), actor, operation, reached ? scope : actor.scope(), what)
                  .withOutcome(Outcome.REFUSED, reason.name()));
          return true;
        });
  }

  /// Somebody we do not know tried it. It stands in the log of Global.
  ///
  /// @param failures how often they have tried of late
  public void unknown(String address, String operation, long failures) {
    store.transact(
        transaction -> {
          audit.append(
              transaction,
              new AuditEntry(
                  transaction.now(),
                  NOBODY,
                  Optional.empty(),
                  operation,
                  new Scope.Global(),
                  List.of(address, String.valueOf(failures)),
                  Optional.empty(),
                  Optional.empty(),
                  Optional.of(ErrorCode.UNAUTHENTICATED.name()),
                  Outcome.REFUSED));
          return true;
        });
  }
}
