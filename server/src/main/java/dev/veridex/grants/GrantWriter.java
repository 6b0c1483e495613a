package dev.veridex.grants;

import dev.veridex.access.GrantedRights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Instants;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.common.TtlPolicy;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Token;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.IncarnationRecords;
import dev.veridex.tenancy.TtlPolicies;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/// Gives, extends and takes back grants: each decided, written and noted in the audit log in one
/// transaction.
public final class GrantWriter {
  private final GrantCommits commits;
  private final GrantRecords records;
  private final IdempotentRequests requests;
  private final IncarnationRecords incarnations;
  private final GrantRules rules;
  private final AuditLog audit;

  /// @param rights counts in decisions what is given here
  public GrantWriter(
      Store store,
      IncarnationRecords incarnations,
      GrantRules rules,
      AuditLog audit,
      GrantedRights rights) {
    this.records = new GrantRecords(incarnations);
    this.commits = new GrantCommits(store, records, rights);
    this.requests = new IdempotentRequests(records);
    this.incarnations = incarnations;
    this.rules = rules;
    this.audit = audit;
  }

  /// A written grant.
  ///
  /// @param created whether there was none before
  /// @param outOfBounds whether its life is not one that the policy of its scope advises
  public record Written(Grant grant, boolean created, boolean outOfBounds, Revision revision) {}

  /// A change of the life of a grant.
  ///
  /// @param unchangedSince refuses if it was written after this revision
  public record Extension(
      Scope scope,
      GrantKey key,
      GrantRequest.WantedLife wanted,
      Optional<Revision> unchangedSince) {}

  /// @param repeated whether it was decided for an earlier request with the same idempotency key
  private record Decided(Grant grant, boolean created, boolean outOfBounds, boolean repeated) {
    Decided(Grant grant, boolean created, boolean outOfBounds) {
      this(grant, created, outOfBounds, false);
    }
  }

  /// Gives something to somebody. Over a live grant this is a change of it; where that makes it
  /// longer, it is an extension.
  public Written give(Token caller, GrantRequest request) {
    // Before anything is waited for: who may not hears so at once.
    rules.requireMayGive(caller, request.scope(), request.key());
    return written(
        commits.transact(
            request.scope(),
            counts(request.key(), request.type()),
            changes ->
                request
                    .idempotencyKey()
                    .flatMap(key -> requests.first(changes.transaction(), caller, request, key))
                    .map(
                        first ->
                            new Decided(first.grant(), first.created(), first.outOfBounds(), true))
                    .orElseGet(() -> give(changes, caller, request))));
  }

  /// Whether a grant is likely to count in decisions: what it is now, only its record says.
  private static boolean counts(GrantKey key, Optional<RelationType> type) {
    return switch (key.kind()) {
      case APPROVAL -> Grant.right(key.third()).isPresent();
      case RELATIONSHIP -> type.filter(RelationType::isMembership).isPresent();
    };
  }

  private static Written written(CommitResult<Decided> committed) {
    Decided decided = committed.result();
    Revision revision = committed.revision();
    return new Written(
        decided.grant,
        decided.created,
        decided.outOfBounds,
        // Of what was written then: others may have changed it since.
        decided.repeated ? decided.grant.revision(revision.storeId()) : revision);
  }

  private Decided give(GrantCommits.Changes changes, Token caller, GrantRequest request) {
    Transaction transaction = changes.transaction();
    Instant now = now(transaction);
    // Read, so that the start of a deletion and this never pass each other.
    Optional<byte[]> _ =
        transaction.get(ScopeWork.mark(transaction, incarnations, request.scope()));
    Optional<Grant> before = records.find(transaction, request.scope(), request.key());
    TtlPolicy policy = policy(transaction, request.scope());
    Settled settled = settled(policy, now, request.wanted());
    Optional<Grant> extended = before.filter(grant -> settled.life.isLongerThan(grant.life()));
    extended.ifPresent(grant -> rules.requireMayExtend(caller, grant));
    Instant since =
        before
            .map(grant -> grant.origin().since())
            .or(() -> rememberedSince(transaction, caller, request))
            .orElse(now);
    if (extended.isPresent() || (before.isEmpty() && since.isBefore(now))) {
      requireWithinMax(caller, request.scope(), policy, since, settled.life, request.wanted());
    }
    Grant grant =
        new Grant(
            request.scope(),
            request.key(),
            request.key().kind() == GrantKind.RELATIONSHIP
                ? Optional.of(request.type().orElse(RelationType.ROLE))
                : Optional.empty(),
            new Grant.Origin(
                by(caller, request, before, extended.isPresent()),
                since,
                request.unscoped() && before.map(each -> each.origin().unscoped()).orElse(true)),
            settled.life,
            request.metadata(),
            before.map(Grant::created).orElse(transaction.revision().sequence()),
            transaction.revision().sequence());
    changes.put(before, grant, extended.isPresent());
    String operation =
        before.isEmpty() ? given(grant) : extended.isPresent() ? extension(grant) : changed(grant);
    note(transaction, caller, operation, grant, before, typeChange(before, grant));
    Decided decided = new Decided(grant, before.isEmpty(), settled.outOfBounds);
    request
        .idempotencyKey()
        .ifPresent(
            key ->
                requests.remember(
                    transaction,
                    caller,
                    request,
                    key,
                    new IdempotentRequests.RequestResult(
                        decided.grant, decided.created, decided.outOfBounds)));
    return decided;
  }

  /// The grantor of what is written. It stays who it is, but for an administrator who writes
  /// something else in its place: nobody takes a grant over by giving it again.
  private static String by(
      Token caller, GrantRequest request, Optional<Grant> before, boolean extended) {
    boolean stays = extended || !caller.administers(request.scope());
    return before
        .filter(_ -> stays)
        .map(each -> each.origin().by())
        .orElseGet(() -> GrantRules.grantor(caller, request.scope()));
  }

  private static String given(Grant grant) {
    return grant.key().kind() == GrantKind.APPROVAL ? "approval.grant" : "relationship.add";
  }

  private static String changed(Grant grant) {
    return grant.key().kind().text() + ".change";
  }

  private static String extension(Grant grant) {
    return grant.key().kind().text() + ".extend";
  }

  private static Optional<String> typeChange(Optional<Grant> before, Grant after) {
    return before
        .filter(grant -> !grant.type().equals(after.type()))
        .map(
            grant ->
                "type %s became %s"
                    .formatted(
                        grant.type().map(RelationType::text).orElse(""),
                        after.type().map(RelationType::text).orElse("")));
  }

  /// Changes the life of a live grant.
  ///
  /// @throws VeridexException `NOT_FOUND` if there is none, or it has expired
  public Written extend(Token caller, Extension extension) {
    rules.requireMayGive(caller, extension.scope, extension.key);
    return written(
        commits.transact(
            extension.scope,
            counts(extension.key, Optional.empty()),
            changes -> {
              Transaction transaction = changes.transaction();
              Grant before =
                  records
                      .find(transaction, extension.scope, extension.key)
                      .orElseThrow(() -> new VeridexException(nothing(extension.key.kind())));
              rules.requireMayExtend(caller, before);
              Optional<byte[]> _ =
                  transaction.get(ScopeWork.mark(transaction, incarnations, extension.scope));
              if (extension
                  .unchangedSince
                  .filter(revision -> before.sequence() >= revision.sequence())
                  .isPresent()) {
                throw new VeridexException(
                    Problem.of(
                            ErrorCode.PRECONDITION_FAILED,
                            "It was changed after the given revision: read it again.")
                        .at("/revision"));
              }
              TtlPolicy policy = policy(transaction, extension.scope);
              requireEnd(policy, extension.wanted);
              Settled settled = settled(policy, now(transaction), extension.wanted);
              requireWithinMax(
                  caller,
                  extension.scope,
                  policy,
                  before.origin().since(),
                  settled.life,
                  extension.wanted);
              Grant grant = before.living(settled.life, transaction.revision().sequence());
              changes.put(Optional.of(before), grant, settled.life.isLongerThan(before.life()));
              note(
                  transaction,
                  caller,
                  extension(grant),
                  grant,
                  Optional.of(before),
                  Optional.empty());
              return new Decided(grant, false, settled.outOfBounds);
            }));
  }

  /// Extending says until when: what is extended by mistake must not last for ever.
  private static void requireEnd(TtlPolicy policy, GrantRequest.WantedLife wanted) {
    if (wanted.equals(GrantRequest.WantedLife.USUAL) && policy.defaultTtl().isEmpty()) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "The new end is missing, and the scope's TTL policy has no default: give"
                      + " ttlSeconds or expiresAt.")
              .at("/ttlSeconds"));
    }
  }

  /// Takes a grant back. That there is none is no error.
  ///
  /// @return whether there was one, and from when on it is gone
  public CommitResult<Boolean> revoke(Token caller, Scope scope, GrantKey key) {
    return commits.transact(
        scope,
        counts(key, Optional.empty()),
        changes -> {
          Transaction transaction = changes.transaction();
          Optional<Grant> before = records.find(transaction, scope, key);
          rules.requireMayRevoke(caller, scope, key, before);
          if (before.isEmpty()) {
            return false;
          }
          Grant grant = before.get();
          changes.delete(grant);
          rememberSince(transaction, grant);
          String operation =
              key.kind() == GrantKind.APPROVAL ? "approval.revoke" : "relationship.remove";
          audit.append(
              transaction,
              AuditEntry.of(transaction.now(), caller, operation, scope, key.parts())
                  .withOldExpiry(grant.life().expiresAt()));
          return true;
        });
  }

  static Problem nothing(GrantKind kind) {
    return Problem.of(
        ErrorCode.NOT_FOUND,
        kind == GrantKind.APPROVAL
            ? "There is no such approval, or it has expired."
            : "There is no such relationship, or it has expired.");
  }

  private static Instant now(Transaction transaction) {
    return transaction.now().truncatedTo(ChronoUnit.MICROS);
  }

  private TtlPolicy policy(Transaction transaction, Scope scope) {
    return TtlPolicies.effective(transaction, incarnations, scope).policy();
  }

  private record Settled(Grant.Life life, boolean outOfBounds) {}

  private static Settled settled(TtlPolicy policy, Instant now, GrantRequest.WantedLife wanted) {
    return switch (policy.settle(now, wanted.ttl(), wanted.expiresAt())) {
      case TtlPolicy.Life.Forever() -> new Settled(Grant.Life.FOREVER, false);
      case TtlPolicy.Life.Until(Instant end, boolean outOfBounds) ->
          new Settled(
              new Grant.Life(
                  Optional.of(end), wanted.ttl().or(() -> Optional.of(Duration.between(now, end)))),
              outOfBounds);
      case TtlPolicy.Life.Refused(Problem problem) ->
          throw new VeridexException(problem.at(pointer(wanted)));
    };
  }

  private static String pointer(GrantRequest.WantedLife wanted) {
    return wanted.expiresAt().isPresent() ? "/expiresAt" : "/ttlSeconds";
  }

  /// The whole life of a grant is at most the largest TTL, unless an administrator says otherwise.
  private static void requireWithinMax(
      Token caller,
      Scope scope,
      TtlPolicy policy,
      Instant since,
      Grant.Life life,
      GrantRequest.WantedLife wanted) {
    if (caller.administers(scope) || !policy.enforce()) {
      return;
    }
    Instant last = since.plus(policy.max());
    if (life.expiresAt().isEmpty() || life.expiresAt().get().isAfter(last)) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.INVALID_TTL,
                  "The whole life of a grant is at most the largest TTL; this one began at %s and"
                          .formatted(since)
                      + " ends at %s at the latest.".formatted(last))
              .at(pointer(wanted))
              .with("min", policy.min())
              .with("max", policy.max())
              .with(
                  "given",
                  life.expiresAt()
                      .map(end -> Duration.between(since, end).toString())
                      .orElse("for ever")));
    }
  }

  /// @param reason why it is worth noting, besides what the operation says
  private void note(
      Transaction transaction,
      Token caller,
      String operation,
      Grant grant,
      Optional<Grant> before,
      Optional<String> reason) {
    audit.append(
        transaction,
        AuditEntry.of(transaction.now(), caller, operation, grant.scope(), grant.key().parts())
            .withOldExpiry(before.flatMap(each -> each.life().expiresAt()))
            .withNewExpiry(grant.life().expiresAt())
            .withReason(reason));
  }

  private byte[] revokedKey(Transaction transaction, Scope scope, GrantKey key) {
    return KeyWriter.after(records.prefix(transaction, RecordKind.GRANT_REVOKED, scope))
        .string(key.kind().text())
        .string(key.first())
        .string(key.second())
        .string(key.third())
        .toKey();
  }

  /// Since when somebody had what was taken back: who gives it again does not begin anew by that.
  private void rememberSince(Transaction transaction, Grant grant) {
    Instant since = grant.origin().since();
    Instant until = since.plus(policy(transaction, grant.scope()).max());
    if (until.isAfter(transaction.now())) {
      transaction.put(
          revokedKey(transaction, grant.scope(), grant.key()),
          new KeyWriter().signed(Expiry.micros(since)).toKey(),
          Instants.earlier(until, Expiry.LATEST));
    }
  }

  private Optional<Instant> rememberedSince(
      Transaction transaction, Token caller, GrantRequest request) {
    return caller.administers(request.scope())
        ? Optional.empty()
        : transaction
            .get(revokedKey(transaction, request.scope(), request.key()))
            .map(bytes -> Expiry.instant(new KeyReader(bytes).signed()));
  }
}
