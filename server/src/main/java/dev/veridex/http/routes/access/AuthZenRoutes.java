package dev.veridex.http.routes.access;

import dev.veridex.access.AsOf;
import dev.veridex.access.AtRevision;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.RightsLists;
import dev.veridex.access.RightsLists.ListRequest;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.RightsPage;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.CursorSeal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.access.AuthZenShapes.Decision;
import dev.veridex.http.routes.access.AuthZenShapes.Decisions;
import dev.veridex.http.routes.access.AuthZenShapes.Entity;
import dev.veridex.http.routes.access.AuthZenShapes.Evaluation;
import dev.veridex.http.routes.access.AuthZenShapes.Evaluations;
import dev.veridex.http.routes.access.AuthZenShapes.Search;
import dev.veridex.http.routes.access.AuthZenShapes.SearchAnswer;
import dev.veridex.http.shape.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The AuthZEN Authorization API 1.0. The account, or the environment, is the one that the token
/// belongs to.
public final class AuthZenRoutes {
  private static final String BASE = "/access/v1";
  private static final int MAX_EVALUATIONS = 1000;
  private static final int USUAL_LIMIT = 100;
  private static final int MAX_LIMIT = 10_000;

  private final RightsChecker answers;
  private final RightsLists lists;
  private final RevisionSeal seal;
  private final CursorSeal cursors;

  public AuthZenRoutes(RightsChecker answers, RightsLists lists, RevisionSeal seal) {
    this.answers = answers;
    this.lists = lists;
    this.seal = seal;
    this.cursors = seal.cursors();
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.POST, BASE + "/evaluation", "authzen.evaluation", "AuthZEN: one decision")
            .reads(AuthZenShapes.EVALUATION, example(true, true, true))
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Callers<>()))
            .takes()
            .answers(Reply.json(200, AuthZenShapes.DECIDED), this::evaluation),
        Route.of(
                Method.POST,
                BASE + "/evaluations",
                "authzen.evaluations",
                "AuthZEN: many decisions, from one state")
            .reads(AuthZenShapes.EVALUATIONS, example(true, true, true))
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Callers<>()))
            .takes()
            .answers(Reply.json(200, AuthZenShapes.ALL_DECIDED), this::evaluations),
        Route.of(
                Method.POST,
                BASE + "/search/subject",
                "authzen.subjects",
                "AuthZEN: who may do something to a resource")
            .reads(AuthZenShapes.SEARCH, example(false, true, true))
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Callers<>()))
            .takes()
            .answers(Reply.json(200, AuthZenShapes.FOUND), this::subjects),
        Route.of(
                Method.POST,
                BASE + "/search/resource",
                "authzen.resources",
                "AuthZEN: to what a subject may do something")
            .reads(AuthZenShapes.SEARCH, example(true, true, false))
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Callers<>()))
            .takes()
            .answers(Reply.json(200, AuthZenShapes.FOUND), this::resources),
        Route.of(
                Method.POST,
                BASE + "/search/action",
                "authzen.actions",
                "AuthZEN: what a subject may do to a resource")
            .reads(AuthZenShapes.SEARCH, example(true, false, true))
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Callers<>()))
            .takes()
            .answers(Reply.json(200, AuthZenShapes.FOUND), this::actions));
  }

  /// @param subject whether it says which one; else only its type
  private static JsonNode example(boolean subject, boolean action, boolean resource) {
    ObjectNode example = JsonNodeFactory.instance.objectNode();
    ObjectNode who = example.putObject("subject").put("type", "user");
    if (subject) {
      who.put("id", "d:user_alice");
    }
    if (action) {
      example.putObject("action").put("name", "can_read");
    }
    ObjectNode what = example.putObject("resource").put("type", "document");
    if (resource) {
      what.put("id", "d:document_123");
    }
    return example;
  }

  /// The index that a token is about.
  private static Namespace namespace(Call<?> call) {
    return switch (call.scope()) {
      case Scope.Tenant _, Scope.TenantEnvironment _ -> Namespace.of(call.scope());
      case Scope.Global _, Scope.Environment _, Scope.Custom _ ->
          throw new VeridexException(
              Problem.of(
                  ErrorCode.BAD_REQUEST, "this takes a token of an account or its environment"));
    };
  }

  private Answer<Decision> evaluation(Call<Evaluation> call) {
    AtRevision<List<Decision>> decided = decide(call, List.of(question(call.body())));
    return Answer.at(seal.seal(decided.revision()), decided.value().getFirst());
  }

  private Answer<Decisions> evaluations(Call<Evaluations> call) {
    Evaluations asked = call.body();
    boolean single = asked.each().isEmpty();
    if (asked.each().size() > MAX_EVALUATIONS) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "too many evaluations in one request")
              .at("/evaluations")
              .with("max", MAX_EVALUATIONS));
    }
    List<ActionCheck> questions = new ArrayList<>();
    if (single) {
      questions.add(question(asked.usual()));
    }
    for (JsonNode each : asked.each()) {
      questions.add(questionIfAny(each, asked.usual()));
    }
    AtRevision<List<Decision>> decided = decide(call, questions);
    List<Decision> told = new ArrayList<>();
    for (Decision each : decided.value()) {
      told.add(each);
      if (asked.semantic().endsWith(each.decision())) {
        break;
      }
    }
    return Answer.at(seal.seal(decided.revision()), new Decisions(told, single));
  }

  /// A question and the right that it takes.
  ///
  /// @param denied why it is denied without being asked
  private record ActionCheck(Optional<CheckRequest> question, int right, Optional<String> denied) {}

  private static ActionCheck question(Evaluation evaluation) {
    Entity subject = required(evaluation.subject(), "/subject");
    Entity resource = required(evaluation.resource(), "/resource");
    Optional<Integer> right = AuthZenShapes.right(required(evaluation.action(), "/action"));
    CheckRequest question =
        CheckRequest.of(
            subject.required("/subject"),
            resource.required("/resource"),
            evaluation.filter(),
            resource.bucket());
    return new ActionCheck(
        Optional.of(question),
        right.orElse(0),
        right.isPresent() ? Optional.empty() : Optional.of("there is no such action"));
  }

  /// One of many: what is wrong with it is its own affair.
  private static ActionCheck questionIfAny(JsonNode json, Evaluation usual) {
    try {
      return question(Type.object(AuthZenShapes.EVALUATION).reading().read(json, "").or(usual));
    } catch (VeridexException e) {
      return new ActionCheck(Optional.empty(), 0, Optional.of(e.problem().detail()));
    }
  }

  private static <T> T required(Optional<T> member, String pointer) {
    return member.orElseThrow(
        () ->
            new VeridexException(
                Problem.of(ErrorCode.BAD_REQUEST, "this member is required").at(pointer)));
  }

  private AtRevision<List<Decision>> decide(Call<?> call, List<ActionCheck> asked) {
    List<RightsChecker.Query> questions = new ArrayList<>();
    asked.forEach(
        each ->
            each.question.ifPresent(
                question -> questions.add(new RightsChecker.Query(question, false))));
    AtRevision<List<RightsChecker.Answer>> checked =
        answers.check(call.who(), namespace(call), questions, AsOf.now());
    List<Decision> decisions = new ArrayList<>();
    int next = 0;
    for (ActionCheck each : asked) {
      int rights = each.question.isPresent() ? checked.value().get(next++).rights() : 0;
      decisions.add(
          each.denied
              .map(Decision::denied)
              .orElseGet(() -> new Decision((rights & each.right) != 0, Optional.empty())));
    }
    return new AtRevision<>(decisions, checked.revision());
  }

  private Answer<SearchAnswer> subjects(Call<Search> call) {
    Evaluation about = call.body().about();
    Entity subject = required(about.subject(), "/subject");
    Entity resource = required(about.resource(), "/resource");
    return search(
        call,
        "subject",
        subject.type(),
        resource.required("/resource"),
        resource.bucket(),
        lists::subjects);
  }

  private Answer<SearchAnswer> resources(Call<Search> call) {
    Evaluation about = call.body().about();
    Entity subject = required(about.subject(), "/subject");
    Entity resource = required(about.resource(), "/resource");
    return search(
        call,
        "resource",
        resource.type(),
        subject.required("/subject"),
        resource.bucket(),
        lists::resources);
  }

  private Answer<SearchAnswer> search(
      Call<Search> call,
      String kind,
      String type,
      String id,
      Optional<String> bucket,
      AccessListRoutes.Source source) {
    String action = required(call.body().about().action(), "/action");
    Optional<Integer> right = AuthZenShapes.right(action);
    Namespace namespace = namespace(call);
    byte[] list =
        new KeyWriter()
            .string("authzen")
            .string(kind)
            .string(call.scope().text())
            .unsigned(lists.incarnation(namespace))
            .string(type)
            .string(id)
            .string(action)
            .string(bucket.orElse(""))
            .toKey();
    SearchPosition begun = begun(call.body().page(), list);
    // Without a right nobody is found; the question is asked all the same, for it may be refused.
    AtRevision<RightsPage> found =
        source.page(
            call.who(),
            namespace,
            new ListRequest(id, right.orElse(Rights.ALL), bucket, AsOf.now(), true),
            begun.after,
            Math.min(MAX_LIMIT, Math.max(1, begun.limit)));
    boolean none = right.isEmpty() || begun.limit == 0;
    List<ObjectNode> results = new ArrayList<>();
    for (String each : none ? List.<String>of() : found.value().ids()) {
      results.add(JsonNodeFactory.instance.objectNode().put("type", type).put("id", each));
    }
    Optional<String> next =
        begun.limit == 0 && right.isPresent()
            ? Optional.of(begun.after)
            : found.value().next().filter(_ -> right.isPresent());
    return Answer.at(
        seal.seal(found.revision()),
        new SearchAnswer(
            results,
            next.map(after -> cursors.seal(list, new SearchPosition(after, begun.limit).bytes()))
                .orElse("")));
  }

  /// The position in a search and its page size.
  private record SearchPosition(String after, int limit) {
    private byte[] bytes() {
      return new KeyWriter().string(after).unsigned(limit).toKey();
    }
  }

  private SearchPosition begun(AuthZenShapes.PageRequest page, byte[] list) {
    Optional<String> token = page.token().filter(text -> !text.isEmpty());
    if (token.isEmpty()) {
      return new SearchPosition("", page.limit().map(Math::toIntExact).orElse(USUAL_LIMIT));
    }
    KeyReader reader = new KeyReader(cursors.open(list, token.get()));
    SearchPosition begun = new SearchPosition(reader.string(), Math.toIntExact(reader.unsigned()));
    if (page.limit().filter(limit -> limit != begun.limit).isPresent()) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "the limit is the same for all pages")
              .at("/page/limit")
              .with("limit", begun.limit));
    }
    return begun;
  }

  private Answer<SearchAnswer> actions(Call<Search> call) {
    Evaluation about = call.body().about();
    Entity resource = required(about.resource(), "/resource");
    CheckRequest question =
        CheckRequest.of(
            required(about.subject(), "/subject").required("/subject"),
            resource.required("/resource"),
            about.filter(),
            resource.bucket());
    AtRevision<List<RightsChecker.Answer>> checked =
        answers.check(
            call.who(),
            namespace(call),
            List.of(new RightsChecker.Query(question, false)),
            AsOf.now());
    List<ObjectNode> results = new ArrayList<>();
    for (String name : AuthZenShapes.actions(checked.value().getFirst().rights())) {
      results.add(JsonNodeFactory.instance.objectNode().put("name", name));
    }
    return Answer.at(seal.seal(checked.revision()), new SearchAnswer(results, ""));
  }
}
