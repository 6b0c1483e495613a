package dev.veridex.grants;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.AuditLog;
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
final class ScopeMigration implements JobKind.Stepwise {
  static final String NAME = "scope.migrate";
  private static final int GRANTS_AT_A_TIME = 500;
  private static final int MAX_TOLD = 100;
  private static final HexFormat HEX = HexFormat.of();
  private static final Scope GLOBAL = new Scope.Global();

  private final Incarnations incarnations;
  private final GrantRecords records;
  private final GrantReader reader;
  private final AuditLog audit;

  ScopeMigration(Incarnations incarnations, GrantReader reader, AuditLog audit) {
    this.incarnations = incarnations;
    this.records = new GrantRecords(incarnations);
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
  public Step step(Transaction transaction, Job job, int attempt) {
    if (incarnations.of(transaction, job.scope()) != job.origin().incarnation()) {
      throw new VeridexException(
          Problem.of(ErrorCode.GONE, "The scope to migrate into was deleted meanwhile."));
    }
    ObjectNode position = job.work().position().deepCopy();
    GrantKind kind = GrantKind.of(position.path("kind").asString(GrantKind.APPROVAL.text()));
    Scope target = Scope.parse(job.request().get("target").asString());
    List<GrantReader.Found> some = new ArrayList<>();
    Optional<byte[]> after =
        Optional.ofNullable(position.get("after")).map(text -> HEX.parseHex(text.asString()));
    reader.each(
        transaction,
        GrantSelection.all(kind, GrantScopes.exactly(GLOBAL)).withExpired(),
        after,
        found -> {
          some.add(found);
          return some.size() < GRANTS_AT_A_TIME;
        });
    long start = job.request().get("sequence").asLong();
    for (GrantReader.Found found : some) {
      Grant grant = found.grant();
      if (grant.origin().unscoped() && grant.sequence() <= start) {
        move(transaction, grant, target, position);
      }
    }
    position.remove("after");
    boolean over = false;
    if (some.size() == GRANTS_AT_A_TIME) {
      position.put("after", HEX.formatHex(some.getLast().key()));
    } else {
      over = kind == GrantKind.RELATIONSHIP;
      position.put("kind", GrantKind.RELATIONSHIP.text());
    }
    long done = job.work().done() + some.size();
    ObjectNode result = result(position);
    if (over) {
      ScopeWork.note(transaction, audit, job, target, result);
    }
    return Step.of(new Job.Work(done, job.work().total(), position, result), over);
  }

  private void move(Transaction transaction, Grant grant, Scope target, ObjectNode position) {
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
      records.put(transaction, moved);
      records.delete(transaction, GLOBAL, grant.key());
      add(position, "migrated");
    } else if (isSame(there.get(), moved)) {
      records.delete(transaction, GLOBAL, grant.key());
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
