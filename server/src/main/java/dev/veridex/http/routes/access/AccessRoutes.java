package dev.veridex.http.routes.access;

import dev.veridex.access.AccessIndex;
import dev.veridex.access.AccessIndexRebuild;
import dev.veridex.access.AtRevision;
import dev.veridex.access.CompiledIndexes;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.TextFormat;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Payload;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.BulkInputs;
import dev.veridex.http.routes.BulkStream;
import dev.veridex.http.routes.JobReplies;
import dev.veridex.http.routes.JobReplies.JobEnd;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.Jobs;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// The access index: individuals in, records out.
public final class AccessRoutes {
  static final String ACCESS = "/v1/accounts/{account}/access";
  private static final Shape<JobEnd> REBUILT =
      JobReplies.shape("Rebuilt", List.of("individuals", "records"));
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String LOGIN_PREFIX = "_L:";

  /// About what a result, a record, or a part of a trace takes on its way out.
  public static final int PART_BYTES = 500;

  private static final Parameter<String> INDIVIDUAL =
      Parameter.path("individual", Type.ID, "the id of the individual");
  private static final Parameter<String> INDEX_KEY =
      Parameter.path(
          "indexKey", Type.TEXT, "prefix, filter and object run together, as Pd:document_123");
  private static final Parameter<String> LOGIN = Parameter.path("login", Type.TEXT, "in any case");
  private static final Parameter<Format> FORMAT =
      Parameter.query(
          "format",
          Type.choice(List.of(Format.values()), Format::text),
          "absent: the text that the server is configured for");
  private static final Parameter<String> KEY_FILTER =
      Parameter.query(
          "filter",
          Type.TEXT,
          "which of two keys is meant that read alike; empty: the one without");

  /// The format of a key's records.
  private enum Format {
    JSON("json"),
    V1("v1"),
    V2("v2");

    private final String text;

    Format(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  private final AccessIndex index;
  private final RightsChecker answers;
  private final AccessIndexRebuild rebuild;
  private final CompiledIndexes compiled;
  private final TextFormat usual;
  private final JobReplies replies;
  private final RevisionSeal seal;

  /// @param usual the text of records where none is asked for
  public AccessRoutes(
      AccessIndex index,
      RightsChecker answers,
      AccessIndexRebuild rebuild,
      CompiledIndexes compiled,
      TextFormat usual,
      Jobs jobs,
      RevisionSeal seal) {
    this.index = index;
    this.answers = answers;
    this.rebuild = rebuild;
    this.compiled = compiled;
    this.usual = usual;
    this.replies = new JobReplies(jobs, seal);
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.POST,
                ACCESS + "/individuals",
                "access.put",
                "State permissions, memberships, filters and logins")
            .readsBulk(AccessShapes.individualExample())
            .needs(new RequiredRight.Administers<>(new ScopeSource.Inside<>()))
            .takes(Route.ACCOUNT)
            .answers(Reply.progress(AccessShapes.APPLIED), this::put),
        Route.of(
                Method.GET,
                ACCESS + "/individuals/{individual}",
                "access.individual",
                "What is known of an individual")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Inside<>()))
            .takes(Route.ACCOUNT, INDIVIDUAL, AsOfParameter.AT, AsOfParameter.AT_LEAST)
            .answers(Reply.json(200, AccessShapes.INDIVIDUAL), this::individual),
        Route.of(
                Method.GET,
                ACCESS + "/index/{indexKey}",
                "access.index",
                "The records of a key, as text or JSON")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Inside<>()))
            .takes(Route.ACCOUNT, INDEX_KEY, FORMAT, KEY_FILTER)
            .answers(Reply.textOr(TEXT, AccessShapes.VALUE), this::value),
        Route.of(Method.GET, ACCESS + "/logins/{login}", "access.login", "The account with a login")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Inside<>()))
            .takes(Route.ACCOUNT, LOGIN)
            .answers(Reply.json(200, AccessShapes.LOGIN_SHAPE), this::login),
        Route.of(
                Method.GET,
                ACCESS + "/flow",
                "access.flow",
                "How far the flow of individuals has come")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Inside<>()))
            .takes(Route.ACCOUNT)
            .answers(Reply.json(200, AccessShapes.POSITION), this::flow),
        Route.of(
                Method.POST,
                ACCESS + "/rebuild",
                "access.rebuild",
                "Derive the index anew from its ledger")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Inside<>()))
            .takes(Route.ACCOUNT, JobReplies.WAIT)
            .answers(Reply.progress(REBUILT), this::rebuild));
  }

  private Answer<Payload> put(Call<Route.Inputs> call) {
    // Now, while there is a status to say that there is none.
    AccessIndex.Target target = index.target(Namespace.of(call.scope()));
    return new Statements(call, target)
        .handle(call, PART_BYTES, "so many inputs are sent as lines");
  }

  /// Statements in bulk.
  private final class Statements implements BulkInputs<MessageInput, AccessIndex.BatchResult> {
    private final Call<Route.Inputs> call;
    private final AccessIndex.Target target;

    private Statements(Call<Route.Inputs> call, AccessIndex.Target target) {
      this.call = call;
      this.target = target;
    }

    @Override
    public MessageInput ofJson(JsonNode value) {
      return MessageInput.of(value);
    }

    @Override
    public MessageInput ofPart(byte[] part, boolean protobuf) {
      try {
        return MessageInput.of(JsonText.read(part));
      } catch (VeridexException e) {
        return new MessageInput.Invalid(Optional.empty(), e.problem());
      }
    }

    @Override
    public AccessIndex.BatchResult take(List<MessageInput> inputs) {
      return index.put(call.caller(), target, inputs);
    }

    @Override
    public Answer<Payload> answer(AccessIndex.BatchResult applied, boolean single) {
      String revision = seal.seal(applied.revision());
      byte[] bytes =
          JsonText.write(
              Type.object(AccessShapes.APPLIED)
                  .writing()
                  .apply(new AccessShapes.BatchAnswer(applied.results(), revision)));
      return Answer.at(revision, new Payload.Bytes(Reply.JSON, bytes));
    }

    @Override
    public BulkStream.Results lines(AccessIndex.BatchResult applied) {
      return new BulkStream.Results(
          applied.results().stream().map(AccessShapes::line).toList(),
          seal.seal(applied.revision()));
    }
  }

  private Answer<AccessShapes.IndividualAnswer> individual(Call<NoBody> call) {
    String id = call.get(INDIVIDUAL);
    return answers
        .individual(
            Namespace.of(call.scope()), id, AccessShapes.MAX_NAMED, AsOfParameter.of(call, seal))
        .map(
            found -> {
              String revision = seal.seal(found.revision());
              return Answer.at(
                  revision, new AccessShapes.IndividualAnswer(id, found.value(), revision));
            })
        .orElseThrow(() -> nothing("there is no such individual"));
  }

  private Answer<Payload> value(Call<NoBody> call) {
    Namespace namespace = Namespace.of(call.scope());
    String key = call.get(INDEX_KEY);
    if (key.startsWith(LOGIN_PREFIX)) {
      return index
          .login(namespace, key.substring(LOGIN_PREFIX.length()))
          .map(found -> text(found.value(), seal.seal(found.revision())))
          .orElseThrow(() -> nothing("there is no record under this key"));
    }
    AtRevision<AccessIndex.Value> found =
        index
            .value(namespace, key, call.find(KEY_FILTER))
            .orElseThrow(() -> nothing("there is no record under this key"));
    call.room().accept((long) PART_BYTES * found.value().records().size());
    String revision = seal.seal(found.revision());
    return switch (call.find(FORMAT).orElse(usual == TextFormat.V1 ? Format.V1 : Format.V2)) {
      case V1 -> text(TextFormat.V1.encode(found.value().records()), revision);
      case V2 -> text(TextFormat.V2.encode(found.value().records()), revision);
      case JSON ->
          Answer.at(
              revision,
              new Payload.Bytes(
                  Reply.JSON,
                  JsonText.write(Type.object(AccessShapes.VALUE).writing().apply(found.value()))));
    };
  }

  private static Answer<Payload> text(String text, String revision) {
    return Answer.at(revision, new Payload.Bytes(TEXT, text.getBytes(StandardCharsets.UTF_8)));
  }

  private Answer<AccessShapes.Login> login(Call<NoBody> call) {
    String login = call.get(LOGIN);
    AtRevision<String> found =
        index
            .login(Namespace.of(call.scope()), login)
            .orElseThrow(() -> nothing("no account has this login"));
    String revision = seal.seal(found.revision());
    return Answer.at(revision, new AccessShapes.Login(login, found.value(), revision));
  }

  private Answer<AccessShapes.Position> flow(Call<NoBody> call) {
    var flow = index.flow(Namespace.of(call.scope()));
    String revision = seal.seal(flow.revision());
    return Answer.at(
        revision,
        new AccessShapes.Position(
            flow.value().largest(), flow.value().n(), compiled.status(call.scope()), revision));
  }

  private Answer<Payload> rebuild(Call<NoBody> call) {
    Job started = rebuild.start(call.caller(), Namespace.of(call.scope()));
    return replies.progress(call, started, REBUILT, "records");
  }

  private static VeridexException nothing(String detail) {
    return new VeridexException(Problem.of(ErrorCode.NOT_FOUND, detail));
  }
}
