package dev.veridex.http.routes;

import dev.veridex.accounts.AuditEntry;
import dev.veridex.accounts.AuditLog;
import dev.veridex.common.Page;
import dev.veridex.common.Scope;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.Right;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.Where;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.http.shape.Written;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Instant;
import java.util.List;

/// The audit log of a scope.
public final class AuditRoutes {
  private static final Member<Long> SEQUENCE =
      Member.required(
          "sequence", Type.whole(0, Long.MAX_VALUE), "its place in the order of all commits");
  private static final Member<Instant> TIME =
      Member.required("time", Type.TIME, "when, by the store's clock");
  private static final Member<String> ACTOR =
      Member.required("actor", Type.TEXT, "the id of the token that acted");
  private static final Member<String> SUBJECT =
      Member.optional("subject", Type.TEXT, "the person that token stands for");
  private static final Member<String> OPERATION =
      Member.required("operation", Type.TEXT, "what was done or tried");
  private static final Member<Scope> SCOPE =
      Member.required("scope", Type.SCOPE, "where it was done or tried");
  private static final Member<List<String>> KEY =
      Member.required("key", Type.list(Type.TEXT), "what it was done to");
  private static final Member<Instant> OLD_EXPIRY =
      Member.optional("oldExpiry", Type.TIME, "the end of its life before");
  private static final Member<Instant> NEW_EXPIRY =
      Member.optional("newExpiry", Type.TIME, "the end of its life after");
  private static final Member<String> REASON =
      Member.optional("reason", Type.TEXT, "why, or the code of the refusal");
  private static final Member<String> OUTCOME =
      Member.required("outcome", Type.TEXT, "done or refused");

  private static final Shape<AuditLog.Numbered> ENTRY =
      Shape.out(
          "AuditEntry",
          List.of(
              SEQUENCE,
              TIME,
              ACTOR,
              SUBJECT,
              OPERATION,
              SCOPE,
              KEY,
              OLD_EXPIRY,
              NEW_EXPIRY,
              REASON,
              OUTCOME),
          AuditRoutes::write);

  private final Store store;
  private final AuditLog audit;

  public AuditRoutes(Store store, AuditLog audit) {
    this.store = store;
    this.audit = audit;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.GET,
                "/v1/audit",
                "audit.read",
                "What was done and refused in a scope, oldest first")
            .needs(new Right.Administers<>(new Where.Query<>()))
            .takes(Lists.LIMIT, Lists.CURSOR)
            .answers(Reply.json(200, Lists.of("AuditEntryList", ENTRY)), this::read));
  }

  private Answer<Page<AuditLog.Numbered>> read(Call<NoBody> call) {
    try (Snapshot snapshot = store.snapshot()) {
      return Answer.of(
          audit.read(snapshot, call.scope(), call.find(Lists.CURSOR), Lists.limit(call)));
    }
  }

  private static void write(AuditLog.Numbered numbered, Written out) {
    AuditEntry entry = numbered.entry();
    out.put(SEQUENCE, numbered.number())
        .put(TIME, entry.time())
        .put(ACTOR, entry.actor())
        .put(SUBJECT, entry.subject())
        .put(OPERATION, entry.operation())
        .put(SCOPE, entry.scope())
        .put(KEY, entry.key())
        .put(OLD_EXPIRY, entry.oldExpiry())
        .put(NEW_EXPIRY, entry.newExpiry())
        .put(REASON, entry.reason())
        .put(OUTCOME, entry.outcome().text());
  }
}
