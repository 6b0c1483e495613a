package dev.veridex.http.routes.admin;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditFilter;
import dev.veridex.identity.AuditLog;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The audit log of a scope.
public final class AuditRoutes {
  private static final Member<String> SEQUENCE =
      Member.required("sequence", Type.TEXT, "names its position in the log; also a cursor");
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

  private static final Shape<SealedEntry> ENTRY =
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

  /// An entry, and its number as outsiders see it: the plain one would tell every tenant how much
  /// all others write.
  private record SealedEntry(String sequence, AuditEntry entry) {}

  private static final Parameter<Instant> SINCE =
      Parameter.query("since", Type.TIME, "the earliest time of an entry");
  private static final Parameter<Instant> UNTIL =
      Parameter.query("until", Type.TIME, "the time before which entries are");
  private static final Parameter<String> BY =
      Parameter.query("actor", Type.TEXT, "the subject, or the id of the token, that did it");
  private static final Parameter<String> OF_OPERATION =
      Parameter.query("operation", Type.TEXT, "what was done, as approval.grant");
  private static final Parameter<AuditEntry.Outcome> OF_OUTCOME =
      Parameter.query(
          "outcome",
          Type.choice(Arrays.asList(AuditEntry.Outcome.values()), AuditEntry.Outcome::text),
          "done or refused");

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
            .needs(new RequiredRight.Administers<>(new ScopeSource.Query<>()))
            .takes(
                SINCE,
                UNTIL,
                BY,
                OF_OPERATION,
                OF_OUTCOME,
                PageParameters.LIMIT,
                PageParameters.CURSOR)
            .answers(Reply.json(200, PageParameters.of("AuditEntryList", ENTRY)), this::read));
  }

  private Answer<Page<SealedEntry>> read(Call<NoBody> call) {
    try (Snapshot snapshot = store.snapshot()) {
      Optional<Long> after = call.find(PageParameters.CURSOR).map(this::open);
      Page<AuditLog.NumberedEntry> page =
          audit.read(
              snapshot,
              call.scope(),
              new AuditFilter(
                  call.find(SINCE),
                  call.find(UNTIL),
                  call.find(BY),
                  call.find(OF_OPERATION),
                  call.find(OF_OUTCOME)),
              after,
              PageParameters.limit(call));
      Page<SealedEntry> sealed =
          page.map(numbered -> new SealedEntry(seal(numbered.number()), numbered.entry()));
      return Answer.of(
          new Page<>(
              sealed.items(), sealed.cursor().map(Long::parseLong).map(this::seal), sealed.end()));
    }
  }

  private String seal(long number) {
    return store.seal().seal(new Revision(store.revision().storeId(), number));
  }

  private long open(String cursor) {
    try {
      return store.seal().open(cursor).sequence();
    } catch (VeridexException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "this cursor was never given out")
              .with("parameter", PageParameters.CURSOR.name()));
    }
  }

  private static void write(SealedEntry sealed, AnswerObject out) {
    AuditEntry entry = sealed.entry();
    out.put(SEQUENCE, sealed.sequence())
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
