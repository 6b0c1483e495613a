package dev.veridex.grants;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.AuditLog;
import dev.veridex.jobs.HeldJob;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.JobKind;
import dev.veridex.records.Incarnations;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.Transaction;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The migration of grants that were written without a scope into one: each is moved as it is, with
/// its beginning, its end and its metadata. What was written with a scope is never touched.
final class ScopeMigration implements JobKind {
  static final String NAME = "scope.migrate";
  private static final int GRANTS_AT_A_TIME = 500;
  private static final long BYTES_AT_A_TIME = 16L << 20;
  private static final int MAX_TOLD = 100;
  private static final HexFormat HEX = HexFormat.of();
  private static final Scope GLOBAL = new Scope.Global();

  private final Incarnations incarnations;
  private final GrantRecords records;
  private final GrantCommits commits;
  private final GrantReader reader;
  private final AuditLog audit;

  ScopeMigration(
      Incarnations incarnations, GrantCommits commits, GrantReader reader, AuditLog audit) {
    this.incarnations = incarnations;
    this.records = new GrantRecords(incarnations);
    this.commits = commits;
    this.reader = reader;
    this.audit = audit;
  }

  @Override
  public String name() {
    return NAME;
  }

  private static ObjectNode result(ObjectNode position) {
    ObjectNode result = JsonRecord.object();
    for (String name :
        List.of("migrated", "alreadyDone", "skippedExpired", "conflicts", "failed")) {
      result.put(name, position.path(name).asLong());
    }
    ArrayNode told = result.putArray("conflicting");
    position.path("conflicting").forEach(told::add);
    return result;
  }

  @Override
  public void work(HeldJob held) {
    commits.step(held, Scope.parse(held.found().request().get("target").asString()), this::step);
  }

  private Step step(GrantCommits.Changes changes, Job job) {
    Transaction transaction = changes.transaction();
    ObjectNode position = job.work().position().deepCopy();
    GrantKind kind = GrantKind.of(position.path("kind").asString(GrantKind.APPROVAL.text()));
    Scope target = Scope.parse(job.request().get("target").asString());
    requireSame(transaction, job, target);
    // Read, so that the start of a deletion there and this never pass each other.
    Optional<byte[]> _ = transaction.get(ScopeWork.mark(transaction, incarnations, target));
    List<Grant> some = new ArrayList<>();
    long[] looked = {0, 0};
    Optional<byte[]> after =
        Optional.ofNullable(position.get("after")).map(text -> HEX.parseHex(text.asString()));
    long start = job.request().get("sequence").asLong();
    Optional<byte[]> more =
        reader.each(
            transaction,
            GrantSelection.all(kind, GrantScopes.exactly(GLOBAL)).withExpired(),
            after,
            found -> {
              looked[0]++;
              Grant bare = found.bare();
              if (bare.origin().unscoped() && bare.created() <= start) {
                some.add(found.whole());
                looked[1] += found.value().length;
              }
              return looked[0] < GRANTS_AT_A_TIME && looked[1] < BYTES_AT_A_TIME;
            });
    some.forEach(grant -> move(changes, grant, target, position));
    position.remove("after");
    boolean over = false;
    if (more.isPresent()) {
      position.put("after", HEX.formatHex(more.get()));
    } else {
      over = kind == GrantKind.RELATIONSHIP;
      position.put("kind", GrantKind.RELATIONSHIP.text());
    }
    long done = job.work().done() + looked[0];
    ObjectNode result = result(position);
    if (over) {
      ScopeWork.note(transaction, audit, job, GLOBAL, result);
      // The target hears how much came, and nothing of what else is in Global.
      ScopeWork.note(
          transaction,
          audit,
          job,
          target,
          JsonRecord.object().put("migrated", result.get("migrated").asLong()));
    }
    return Step.of(new Job.Work(done, job.work().total(), position, result), over);
  }

  private void requireSame(Transaction transaction, Job job, Scope target) {
    if (incarnations.of(transaction, target) != job.request().get("incarnation").asLong()) {
      throw new VeridexException(
          Problem.of(ErrorCode.GONE, "The scope to migrate into was deleted meanwhile."));
    }
  }

  private void move(GrantCommits.Changes changes, Grant grant, Scope target, ObjectNode position) {
    Transaction transaction = changes.transaction();
    if (grant.isExpired(transaction.now())) {
      add(position, "skippedExpired");
      return;
    }
    Grant moved =
        grant.in(
            target,
            new Grant.Origin(grant.origin().by(), grant.origin().since(), false),
            transaction.revision().sequence());
    Optional<Grant> there = records.find(transaction, target, grant.key());
    if (there.isEmpty()) {
      changes.put(Optional.empty(), moved, /* extended= */ false);
      changes.delete(grant);
      add(position, "migrated");
    } else if (isSame(there.get(), moved)) {
      changes.delete(grant);
      add(position, "alreadyDone");
    } else {
      add(position, "conflicts");
      ArrayNode told = position.withArray("conflicting");
      if (told.size() < MAX_TOLD) {
        ObjectNode key = told.addObject().put("kind", grant.key().kind().text());
        for (int i = 0; i < grant.key().parts().size(); i++) {
          key.put(grant.key().kind().parts().get(i), grant.key().parts().get(i));
        }
      }
    }
  }

  private static boolean isSame(Grant one, Grant other) {
    return one.origin().equals(other.origin())
        && one.type().equals(other.type())
        && one.life().equals(other.life())
        && one.metadata().equals(other.metadata());
  }

  private static void add(ObjectNode position, String name) {
    position.put(name, position.path(name).asLong() + 1);
  }
}
