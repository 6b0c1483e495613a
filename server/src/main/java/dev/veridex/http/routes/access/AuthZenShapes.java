package dev.veridex.http.routes.access;

import dev.veridex.access.statement.Rights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Requests and answers of the AuthZEN Authorization API 1.0. It is a foreign format: what it does
/// not define is left alone.
final class AuthZenShapes {
  /// A subject or a resource. The type is not part of the id; it is given back where it is asked
  /// for.
  record Entity(String type, Optional<String> id, Optional<JsonNode> properties) {
    /// The id, where there has to be one.
    String required(String pointer) {
      return id.orElseThrow(
          () ->
              new VeridexException(
                  Problem.of(ErrorCode.BAD_REQUEST, "this member is required")
                      .at(pointer + "/id")));
    }

    /// The bucket that a resource is in.
    Optional<String> bucket() {
      return text(properties, "bucket", "/resource/properties/bucket");
    }
  }

  private static final Member<String> TYPE = Member.required("type", Type.TEXT, "what it is");
  private static final Member<String> ID = Member.optional("id", Type.ID, "its id");
  private static final Member<JsonNode> PROPERTIES =
      Member.optional(
          "properties", Type.FOREIGN, "of a resource, bucket: the bucket that it is in");
  static final Shape<Entity> ENTITY =
      Shape.of(
              "AuthZenEntity",
              List.of(TYPE, ID, PROPERTIES),
              given -> new Entity(given.get(TYPE), given.find(ID), given.find(PROPERTIES)),
              (entity, out) -> out.put(TYPE, entity.type).put(ID, entity.id))
          .foreign();

  private static final Member<String> NAME =
      Member.required(
          "name",
          Type.TEXT,
          "create, read, update (or write, edit) or delete, also with can_ before it, or the HTTP"
              + " method");
  static final Shape<String> ACTION =
      Shape.of(
              "AuthZenAction",
              List.of(NAME),
              given -> given.get(NAME),
              (name, out) -> out.put(NAME, name))
          .foreign();

  /// The right that an action takes; absent if it is none that we know.
  static Optional<Integer> right(String action) {
    String name = action.toLowerCase(Locale.ROOT);
    return switch (name.startsWith("can_") ? name.substring("can_".length()) : name) {
      case "create", "post" -> Optional.of(Rights.CREATE);
      case "read", "get" -> Optional.of(Rights.READ);
      case "update", "write", "edit", "put", "patch" -> Optional.of(Rights.UPDATE);
      case "delete" -> Optional.of(Rights.DELETE);
      default -> Optional.empty();
    };
  }

  /// The actions that rights allow.
  static List<String> actions(int rights) {
    return List.of("can_create", "can_read", "can_update", "can_delete").stream()
        .filter(name -> (right(name).orElseThrow() & rights) != 0)
        .toList();
  }

  /// A question, as far as it is given.
  record Evaluation(
      Optional<Entity> subject,
      Optional<String> action,
      Optional<Entity> resource,
      Optional<JsonNode> context) {

    /// What it does not say is as in another one.
    Evaluation or(Evaluation usual) {
      return new Evaluation(
          subject.or(usual::subject),
          action.or(usual::action),
          resource.or(usual::resource),
          context.or(usual::context));
    }

    /// The filter under which it is asked.
    Optional<String> filter() {
      return text(context, "filter", "/context/filter");
    }
  }

  static final Member<Entity> SUBJECT =
      Member.optional("subject", Type.object(ENTITY), "who would act");
  static final Member<String> DOES =
      Member.optional("action", Type.object(ACTION), "what would be done");
  static final Member<Entity> RESOURCE =
      Member.optional("resource", Type.object(ENTITY), "on what");
  private static final Member<JsonNode> CONTEXT =
      Member.optional("context", Type.FOREIGN, "filter: the filter under which it is asked");
  static final Shape<Evaluation> EVALUATION =
      Shape.in(
              "AuthZenEvaluation",
              List.of(SUBJECT, DOES, RESOURCE, CONTEXT),
              given ->
                  new Evaluation(
                      given.find(SUBJECT),
                      given.find(DOES),
                      given.find(RESOURCE),
                      given.find(CONTEXT)))
          .foreign();

  /// The evaluation order of a batch: all, or up to the first denial or permit.
  enum Semantic {
    EXECUTE_ALL("execute_all"),
    DENY_ON_FIRST_DENY("deny_on_first_deny"),
    PERMIT_ON_FIRST_PERMIT("permit_on_first_permit");

    private final String text;

    Semantic(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }

    /// Whether a decision is the last one.
    boolean endsWith(boolean decision) {
      return switch (this) {
        case EXECUTE_ALL -> false;
        case DENY_ON_FIRST_DENY -> !decision;
        case PERMIT_ON_FIRST_PERMIT -> decision;
      };
    }
  }

  /// Many questions.
  ///
  /// @param usual what those are like that do not say otherwise
  /// @param each as they came: a wrong one is denied, and costs its neighbours nothing
  record Evaluations(Evaluation usual, List<JsonNode> each, Semantic semantic) {}

  private static final Member<List<JsonNode>> EACH =
      Member.optional(
          "evaluations",
          Type.list(Type.FOREIGN),
          "at most 1000; what one does not say is as in the request around them");
  private static final Member<Semantic> SEMANTIC =
      Member.optional(
          "evaluations_semantic",
          Type.choice(List.of(Semantic.values()), Semantic::text),
          "after which decision to stop");
  private static final Shape<Semantic> OPTIONS =
      Shape.in(
              "AuthZenOptions",
              List.of(SEMANTIC),
              given -> given.find(SEMANTIC).orElse(Semantic.EXECUTE_ALL))
          .foreign();
  private static final Member<Semantic> OPTION =
      Member.optional("options", Type.object(OPTIONS), "how to evaluate");
  static final Shape<Evaluations> EVALUATIONS =
      Shape.in(
              "AuthZenEvaluations",
              List.of(SUBJECT, DOES, RESOURCE, CONTEXT, EACH, OPTION),
              given ->
                  new Evaluations(
                      new Evaluation(
                          given.find(SUBJECT),
                          given.find(DOES),
                          given.find(RESOURCE),
                          given.find(CONTEXT)),
                      given.find(EACH).orElse(List.of()),
                      given.find(OPTION).orElse(Semantic.EXECUTE_ALL)))
          .foreign();

  /// A decision.
  ///
  /// @param reason why it could not be granted, where it is not for lack of rights
  record Decision(boolean decision, Optional<String> reason) {
    static Decision denied(String reason) {
      return new Decision(false, Optional.of(reason));
    }
  }

  private static final Member<Boolean> DECISION =
      Member.required("decision", Type.BOOLEAN, "whether it may be done");
  private static final Member<JsonNode> WHY =
      Member.optional("context", Type.FOREIGN, "reason: what was wrong with the question");
  static final Shape<Decision> DECIDED =
      Shape.out(
          "AuthZenDecision",
          List.of(DECISION, WHY),
          (decided, out) ->
              out.put(DECISION, decided.decision)
                  .put(
                      WHY,
                      decided.reason.map(
                          text -> JsonNodeFactory.instance.objectNode().put("reason", text))));

  private static final Member<Boolean> SINGLE =
      Member.optional("decision", Type.BOOLEAN, "of a request without evaluations");
  private static final Member<List<Decision>> DECISIONS =
      Member.optional(
          "evaluations", Type.list(Type.object(DECIDED)), "one for each that was evaluated");

  /// Decisions.
  ///
  /// @param single whether there was one question, outside of any list
  record Decisions(List<Decision> all, boolean single) {}

  static final Shape<Decisions> ALL_DECIDED =
      Shape.out(
          "AuthZenDecisions",
          List.of(SINGLE, WHY, DECISIONS),
          (decided, out) -> {
            if (decided.single) {
              Decision only = decided.all.getFirst();
              out.put(SINGLE, Optional.of(only.decision))
                  .put(
                      WHY,
                      only.reason.map(
                          text -> JsonNodeFactory.instance.objectNode().put("reason", text)));
            } else {
              out.put(DECISIONS, Optional.of(decided.all));
            }
          });

  /// The requested page of a result.
  record PageRequest(Optional<String> token, Optional<Long> limit) {}

  private static final Member<String> TOKEN =
      Member.optional("token", Type.TEXT, "the next_token of the page before");
  private static final Member<Long> LIMIT =
      Member.optional(
          "limit", Type.whole(0, Integer.MAX_VALUE), "how many results at most; 100 if absent");
  private static final Shape<PageRequest> PAGE_WANTED =
      Shape.in(
              "AuthZenPageRequest",
              List.of(TOKEN, LIMIT),
              given -> new PageRequest(given.find(TOKEN), given.find(LIMIT)))
          .foreign();
  private static final Member<PageRequest> PAGE =
      Member.optional("page", Type.object(PAGE_WANTED), "which part of the result");

  /// A search: a question of which one part is what is searched for.
  record Search(Evaluation about, PageRequest page) {}

  static final Shape<Search> SEARCH =
      Shape.in(
              "AuthZenSearch",
              List.of(SUBJECT, DOES, RESOURCE, CONTEXT, PAGE),
              given ->
                  new Search(
                      new Evaluation(
                          given.find(SUBJECT),
                          given.find(DOES),
                          given.find(RESOURCE),
                          given.find(CONTEXT)),
                      given.find(PAGE).orElse(new PageRequest(Optional.empty(), Optional.empty()))))
          .foreign();

  /// A part of a result.
  ///
  /// @param next the token of the next part; empty at the end
  record SearchAnswer(List<ObjectNode> results, String next) {}

  private static final Member<String> NEXT =
      Member.required("next_token", Type.TEXT, "for the next page; empty at the end");
  private static final Member<Long> COUNT =
      Member.required("count", Type.whole(0, Long.MAX_VALUE), "how many results this page has");
  private static final Shape<SearchAnswer> PAGE_FOUND =
      Shape.out(
          "AuthZenPage",
          List.of(NEXT, COUNT),
          (found, out) -> out.put(NEXT, found.next).put(COUNT, (long) found.results.size()));
  private static final Member<SearchAnswer> PAGE_OF =
      Member.required("page", Type.object(PAGE_FOUND), "where to go on");
  private static final Member<List<JsonNode>> RESULTS =
      Member.required("results", Type.list(Type.FOREIGN), "what was found");
  static final Shape<SearchAnswer> FOUND =
      Shape.out(
          "AuthZenResults",
          List.of(PAGE_OF, RESULTS),
          (found, out) -> out.put(PAGE_OF, found).put(RESULTS, List.copyOf(found.results)));

  /// A member that counts here. What is no text is refused: to leave it alone could grant more.
  private static Optional<String> text(Optional<JsonNode> object, String member, String pointer) {
    return object
        .filter(all -> all.has(member))
        .map(all -> Type.TEXT.reading().read(all.get(member), pointer));
  }

  private AuthZenShapes() {}
}
