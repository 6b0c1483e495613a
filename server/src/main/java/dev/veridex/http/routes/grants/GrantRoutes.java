package dev.veridex.http.routes.grants;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.grants.Grant;
import dev.veridex.grants.GrantKey;
import dev.veridex.grants.GrantKind;
import dev.veridex.grants.GrantReader;
import dev.veridex.grants.GrantRequest;
import dev.veridex.grants.GrantScopes;
import dev.veridex.grants.GrantSelection;
import dev.veridex.grants.GrantWriter;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.routes.grants.GrantShapes.CheckAnswer;
import dev.veridex.http.routes.grants.GrantShapes.CheckBody;
import dev.veridex.http.routes.grants.GrantShapes.ChecksAnswer;
import dev.veridex.http.routes.grants.GrantShapes.ExtendBody;
import dev.veridex.http.routes.grants.GrantShapes.GiveBody;
import dev.veridex.http.routes.grants.GrantShapes.GrantAnswer;
import dev.veridex.http.routes.grants.GrantShapes.Parts;
import dev.veridex.http.routes.grants.GrantShapes.QueryAnswer;
import dev.veridex.http.routes.grants.GrantShapes.QueryBody;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import dev.veridex.store.CommitResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Grants of one kind: give, look at, take back, check, list, count, extend.
public final class GrantRoutes {
  private static final int USUAL_LIMIT = 100;
  private static final String GRANTOR = "scope admin, or a token with the flag grantor";
  private static final String ADMIN = "scope admin";
  private static final String READER =
      "a user for oneself; scope admin, or an impersonating service";
  private static final Parameter<String> IDEMPOTENCY_KEY =
      Parameter.header(
          "Idempotency-Key", Type.TEXT, "makes a retry return the first result for 24 hours");

  private final GrantKind kind;
  private final GrantShapes shapes;
  private final GrantWriter writer;
  private final GrantReader reader;
  private final RevisionSeal seal;
  private final String path;
  private final List<Parameter<String>> key;

  public GrantRoutes(GrantKind kind, GrantWriter writer, GrantReader reader, RevisionSeal seal) {
    this.kind = kind;
    this.shapes = new GrantShapes(kind);
    this.writer = writer;
    this.reader = reader;
    this.seal = seal;
    this.path = "/v1/" + kind.text() + "s";
    List<Parameter<String>> parameters = new ArrayList<>();
    for (int i = 0; i < kind.parts().size(); i++) {
      parameters.add(Parameter.query(kind.parts().get(i), Type.TEXT, shapes.description(i)));
    }
    this.key = List.copyOf(parameters);
  }

  private String operation(String what) {
    return kind.text() + "." + what;
  }

  public List<Route<?, ?>> routes() {
    boolean approval = kind == GrantKind.APPROVAL;
    String what = approval ? "an approval" : "a relationship";
    return List.of(
        Route.of(
                Method.PUT,
                path,
                operation(approval ? "grant" : "add"),
                approval ? "Grant an approval, or change one" : "Add a relationship, or change one")
            .reads(shapes.give(), shapes.example())
            .needs(
                new RequiredRight.Owns<>(
                    new ScopeSource.Named<>(GiveBody::scope), approval ? GRANTOR : ADMIN))
            .takes(key.get(0), key.get(1), key.get(2), IDEMPOTENCY_KEY)
            .answers(Reply.json(200, shapes.grant()).or(201), this::give),
        Route.of(
                Method.GET,
                path,
                operation("read"),
                "Read " + what + ", also one that has just expired")
            .needs(new RequiredRight.Owns<>(new ScopeSource.Query<>(), READER))
            .takes(key.get(0), key.get(1), key.get(2))
            .answers(Reply.json(200, shapes.grant()), this::read),
        Route.of(
                Method.DELETE,
                path,
                operation(approval ? "revoke" : "remove"),
                (approval ? "Revoke " : "Remove ") + what + "; that there is none is no error")
            .needs(
                new RequiredRight.Owns<>(
                    new ScopeSource.Query<>(), approval ? "its grantor or scope admin" : ADMIN))
            .takes(key.get(0), key.get(1), key.get(2))
            .answers(Reply.json(200, WriteReceipt.SHAPE), this::revoke),
        Route.of(Method.GET, path + "/check", operation("check"), "Whether there is " + what)
            .needs(new RequiredRight.Owns<>(new ScopeSource.Query<>(), READER))
            .takes(key.get(0), key.get(1), key.get(2))
            .answers(Reply.json(200, shapes.checked()), this::check),
        Route.of(Method.POST, path + "/check", operation("checkAll"), "Many checks in one scope")
            .reads(shapes.checks(), shapes.checksExample())
            .needs(new RequiredRight.Owns<>(new ScopeSource.Named<>(CheckBody::scope), READER))
            .answers(Reply.json(200, shapes.checkedAll()), this::checkAll),
        Route.of(
                Method.POST,
                path + "/query",
                operation("query"),
                "List or count " + kind.text() + "s")
            .reads(shapes.query(), shapes.queryExample())
            .needs(new RequiredRight.Owns<>(new ScopeSource.Named<>(QueryBody::scope), READER))
            .answers(Reply.json(200, shapes.queried()), this::query),
        Route.of(
                Method.POST,
                path + "/extend",
                operation("extend"),
                "Change the end of " + what + " that is there")
            .reads(shapes.extend(), shapes.extendExample())
            .needs(
                new RequiredRight.Owns<>(
                    new ScopeSource.Named<>(ExtendBody::scope),
                    approval ? "its grantor or scope admin, never for oneself" : ADMIN))
            .answers(Reply.json(200, shapes.grant()), this::extend));
  }

  private Answer<GrantAnswer> give(Call<GiveBody> call) {
    GiveBody body = call.body();
    boolean unscoped = body.scope().isEmpty() && !call.values().containsKey(Route.SCOPE.name());
    return written(
        writer.give(
            call.caller(),
            new GrantRequest(
                call.scope(),
                unscoped,
                key(call, Optional.of(body.parts())),
                body.type(),
                new GrantRequest.WantedLife(body.ttl(), body.expiresAt()),
                body.metadata(),
                call.find(IDEMPOTENCY_KEY))));
  }

  private Answer<GrantAnswer> written(GrantWriter.Written written) {
    String sealed = seal.seal(written.revision());
    Answer<GrantAnswer> answer =
        Answer.at(sealed, new GrantAnswer(written.grant(), false, sealed))
            .status(written.created() ? 201 : 200);
    return written.outOfBounds()
        ? answer.with("Veridex-Warning", "the TTL lies outside the bounds of the scope's policy")
        : answer;
  }

  /// The key of a request, in its query or its body.
  private GrantKey key(Call<?> call, Optional<Parts> body) {
    List<Optional<String>> given =
        body.map(parts -> List.of(parts.first(), parts.second(), parts.third()))
            .orElse(List.of(Optional.empty(), Optional.empty(), Optional.empty()));
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < key.size(); i++) {
      String name = key.get(i).name();
      Optional<String> inQuery = call.find(key.get(i));
      Optional<String> inBody = given.get(i);
      if (inQuery.isPresent() && inBody.isPresent() && !inQuery.equals(inBody)) {
        throw wrong("The %s in the query and in the body differ.".formatted(name), name);
      }
      parts.add(
          inBody
              .or(() -> inQuery)
              .orElseThrow(() -> wrong("The %s is missing.".formatted(name), name)));
    }
    return new GrantKey(kind, parts.get(0), parts.get(1), parts.get(2));
  }

  private static VeridexException wrong(String detail, String part) {
    return new VeridexException(
        Problem.of(ErrorCode.BAD_REQUEST, detail).at("/" + part).with("parameter", part));
  }

  private Answer<GrantAnswer> read(Call<NoBody> call) {
    GrantReader.Seen seen = reader.get(call.caller(), call.scope(), key(call, Optional.empty()));
    return Answer.of(answer(seen));
  }

  /// Its revision is one that lies before whatever was written to it later.
  private GrantAnswer answer(GrantReader.Seen seen) {
    Grant grant = seen.grant();
    return new GrantAnswer(grant, seen.expired(), seal.seal(reader.revisionOf(grant)));
  }

  private Answer<WriteReceipt> revoke(Call<NoBody> call) {
    CommitResult<Boolean> revoked =
        writer.revoke(call.caller(), call.scope(), key(call, Optional.empty()));
    String sealed = seal.seal(revoked.revision());
    return Answer.at(sealed, new WriteReceipt(sealed));
  }

  private Answer<CheckAnswer> check(Call<NoBody> call) {
    GrantReader.Answered<List<Optional<Grant>>> found =
        reader.find(call.caller(), call.scope(), List.of(key(call, Optional.empty())));
    String sealed = seal.seal(found.revision());
    return Answer.at(sealed, new CheckAnswer(found.value().getFirst(), sealed));
  }

  private Answer<ChecksAnswer> checkAll(Call<CheckBody> call) {
    if (call.body().checks().size() > GrantReader.MAX_CHECKS) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "A batch has at most %d checks, not %d."
                      .formatted(GrantReader.MAX_CHECKS, call.body().checks().size()))
              .at("/checks"));
    }
    List<GrantKey> keys = new ArrayList<>();
    for (Parts parts : call.body().checks()) {
      keys.add(checked(parts, "/checks/" + keys.size()));
    }
    GrantReader.Answered<List<Optional<Grant>>> found =
        reader.find(call.caller(), call.scope(), keys);
    String sealed = seal.seal(found.revision());
    return Answer.at(sealed, new ChecksAnswer(found, sealed));
  }

  /// The key of one check of many.
  private GrantKey checked(Parts parts, String pointer) {
    try {
      return new GrantKey(
          kind,
          parts.first().orElseThrow(),
          parts.second().orElseThrow(),
          parts.third().orElseThrow());
    } catch (VeridexException e) {
      throw new VeridexException(e.problem().at(pointer + e.problem().pointer().orElse("")), e);
    }
  }

  private Answer<QueryAnswer> query(Call<QueryBody> call) {
    QueryBody body = call.body();
    Parts parts = body.parts();
    boolean approval = kind == GrantKind.APPROVAL;
    Scope scope = call.scope();
    GrantSelection selection =
        new GrantSelection(
            kind,
            GrantScopes.of(scope, body.within().environments(), body.within().descendants()),
            parts.first(),
            approval ? parts.second() : parts.third(),
            body.targetPrefix(),
            approval ? parts.third() : parts.second(),
            body.includeExpired());
    if (body.count()) {
      GrantReader.Answered<Long> counted = reader.count(call.caller(), selection);
      String sealed = seal.seal(counted.revision());
      return Answer.at(
          sealed,
          new QueryAnswer(
              Optional.empty(), Optional.empty(), Optional.of(counted.value()), sealed));
    }
    int limit = body.paging().limit().map(Math::toIntExact).orElse(USUAL_LIMIT);
    var page = reader.list(call.caller(), selection, body.paging().cursor(), limit);
    String sealed = seal.seal(page.revision());
    return Answer.at(
        sealed,
        new QueryAnswer(
            Optional.of(page.value().items().stream().map(this::answer).toList()),
            page.value().cursor(),
            Optional.empty(),
            sealed));
  }

  private Answer<GrantAnswer> extend(Call<ExtendBody> call) {
    ExtendBody body = call.body();
    Optional<Revision> since = body.revision().map(this::revision);
    return written(
        writer.extend(
            call.caller(),
            new GrantWriter.Extension(
                call.scope(),
                key(call, Optional.of(body.parts())),
                new GrantRequest.WantedLife(body.ttl(), body.expiresAt()),
                since)));
  }

  private Revision revision(String text) {
    try {
      return seal.open(text);
    } catch (VeridexException e) {
      throw new VeridexException(e.problem().at("/revision"), e);
    }
  }
}
