package dev.veridex.grants;

import dev.veridex.common.Scope;
import dev.veridex.identity.AuditLog;
import dev.veridex.jobs.HeldJob;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.JobKind;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.Transaction;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The deletion of the grants of scopes: those that were there at its start, and nothing else.
final class ScopeDeletion implements JobKind {
  static final String NAME = "scope.delete";
  private static final int GRANTS_AT_A_TIME = 500;
  private static final HexFormat HEX = HexFormat.of();

  private final GrantCommits commits;
  private final GrantReader reader;
  private final AuditLog audit;

  ScopeDeletion(GrantCommits commits, GrantReader reader, AuditLog audit) {
    this.commits = commits;
    this.reader = reader;
    this.audit = audit;
  }

  @Override
  public String name() {
    return NAME;
  }

  private static ObjectNode result(ObjectNode position) {
    long approvals = position.path("approvals").asLong();
    long relationships = position.path("relationships").asLong();
    return JsonRecord.object()
        .put("deleted", approvals + relationships)
        .put("approvals", approvals)
        .put("relationships", relationships);
  }

  @Override
  public void work(HeldJob held) {
    JsonNode scopes = held.found().request().get("scopes");
    int number = held.found().work().position().path("scope").asInt(0);
    commits.step(
        held,
        number < scopes.size() ? Scope.parse(scopes.get(number).asString()) : held.found().scope(),
        this::step);
  }

  private Step step(GrantCommits.Changes changes, Job job) {
    JsonNode scopes = job.request().get("scopes");
    ObjectNode position = job.work().position().deepCopy();
    int number = position.path("scope").asInt(0);
    GrantKind kind = GrantKind.of(position.path("kind").asString(GrantKind.APPROVAL.text()));
    if (number < scopes.size()) {
      Scope scope = Scope.parse(scopes.get(number).asString());
      long counted = position.path(kind.text() + "s").asLong();
      position.put(kind.text() + "s", counted + deleteSome(changes, job, scope, kind, position));
      if (!position.has("after")) {
        switch (kind) {
          case APPROVAL -> position.put("kind", GrantKind.RELATIONSHIP.text());
          case RELATIONSHIP ->
              position.put("kind", GrantKind.APPROVAL.text()).put("scope", number + 1);
        }
      }
    }
    boolean over = position.path("scope").asInt(0) >= scopes.size();
    ObjectNode result = result(position);
    if (over) {
      ScopeWork.note(changes.transaction(), audit, job, job.scope(), result);
    }
    return Step.of(
        new Job.Work(result.get("deleted").asLong(), job.work().total(), position, result), over);
  }

  /// Deletes some, and leaves `after` in the position if there may be more.
  ///
  /// @return how many were alive
  private long deleteSome(
      GrantCommits.Changes changes, Job job, Scope scope, GrantKind kind, ObjectNode position) {
    Transaction transaction = changes.transaction();
    long start = job.request().get("sequence").asLong();
    Optional<byte[]> after =
        Optional.ofNullable(position.get("after")).map(text -> HEX.parseHex(text.asString()));
    position.remove("after");
    List<Grant> some = new ArrayList<>();
    Optional<byte[]> more =
        reader.each(
            transaction,
            GrantSelection.all(kind, GrantScopes.exactly(scope)).withExpired(),
            after,
            found -> {
              some.add(found.bare());
              return some.size() < GRANTS_AT_A_TIME;
            });
    long deleted = 0;
    for (Grant grant : some) {
      if (grant.created() <= start) {
        changes.delete(grant);
        deleted += grant.isExpired(transaction.now()) ? 0 : 1;
      }
    }
    more.ifPresent(key -> position.put("after", HEX.formatHex(key)));
    return deleted;
  }
}
