package dev.veridex.http.routes.access;

import dev.veridex.access.AtRevision;
import dev.veridex.access.RightsLists;
import dev.veridex.access.RightsLists.ListRequest;
import dev.veridex.access.check.RightsPage;
import dev.veridex.common.CursorSeal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
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
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.identity.Caller;
import java.util.List;
import java.util.Optional;

/// Routes that list the resources of a subject and the subjects of a resource.
public final class AccessListRoutes {
  private static final int USUAL_LIMIT = 100;

  private static final Parameter<Long> LIMIT =
      Parameter.query("limit", Type.whole(1, 10_000), "how many ids at most; 100 if absent");
  private static final Parameter<Integer> RIGHT =
      new Parameter<>(
          "right",
          Parameter.In.QUERY,
          AccessTypes.RIGHTS,
          true,
          "the right, as R; of several, all have to be there");

  private final RightsLists lists;
  private final RevisionSeal seal;
  private final CursorSeal cursors;

  public AccessListRoutes(RightsLists lists, RevisionSeal seal) {
    this.lists = lists;
    this.seal = seal;
    this.cursors = seal.cursors();
  }

  /// A page of ids.
  private record ListAnswer(
      boolean all, List<String> ids, Optional<String> cursor, String revision) {}

  private static final Member<Boolean> ALL =
      Member.required("all", Type.BOOLEAN, "whether the rights are there on everything else");
  private static final Member<List<String>> ITEMS =
      Member.required("items", Type.list(Type.TEXT), "ids on which the rights are there");
  private static final Member<List<String>> EXCEPT =
      Member.optional(
          "except", Type.list(Type.TEXT), "if all: the ids on which the rights are not there");
  private static final Shape<ListAnswer> RESOURCES =
      Shape.out(
          "PermittedResources",
          List.of(ALL, ITEMS, EXCEPT, PageParameters.NEXT, WriteReceipt.REVISION),
          (listed, out) ->
              out.put(ALL, listed.all)
                  .put(ITEMS, listed.all ? List.of() : listed.ids)
                  .put(EXCEPT, Optional.of(listed.ids).filter(_ -> listed.all))
                  .put(PageParameters.NEXT, listed.cursor)
                  .put(WriteReceipt.REVISION, listed.revision));
  private static final Shape<ListAnswer> SUBJECTS =
      Shape.out(
          "PermittedSubjects",
          List.of(ITEMS, PageParameters.NEXT, WriteReceipt.REVISION),
          (listed, out) ->
              out.put(ITEMS, listed.ids)
                  .put(PageParameters.NEXT, listed.cursor)
                  .put(WriteReceipt.REVISION, listed.revision));

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.GET,
                AccessRoutes.ACCESS + "/resources",
                "access.resources",
                "On what does a subject have a right?")
            .needs(new RequiredRight.Owns<>(new ScopeSource.Inside<>(), CheckRoutes.WHO_MAY_ASK))
            .takes(
                Route.ACCOUNT,
                CheckRoutes.SUBJECT,
                RIGHT,
                CheckRoutes.BUCKET,
                AsOfParameter.AT,
                AsOfParameter.AT_LEAST,
                LIMIT,
                PageParameters.CURSOR)
            .answers(Reply.json(200, RESOURCES), this::resources),
        Route.of(
                Method.GET,
                AccessRoutes.ACCESS + "/subjects",
                "access.subjects",
                "Who has a right on a resource?")
            .needs(new RequiredRight.Owns<>(new ScopeSource.Inside<>(), CheckRoutes.WHO_MAY_ASK))
            .takes(
                Route.ACCOUNT,
                CheckRoutes.RESOURCE,
                RIGHT,
                CheckRoutes.BUCKET,
                AsOfParameter.AT,
                AsOfParameter.AT_LEAST,
                LIMIT,
                PageParameters.CURSOR)
            .answers(Reply.json(200, SUBJECTS), this::subjects));
  }

  private Answer<ListAnswer> resources(Call<NoBody> call) {
    String subject = CheckShapes.subject(call.find(CheckRoutes.SUBJECT), call.who().subject());
    return page(call, "resources", subject, lists::resources);
  }

  private Answer<ListAnswer> subjects(Call<NoBody> call) {
    String resource =
        call.find(CheckRoutes.RESOURCE)
            .orElseThrow(() -> CheckRoutes.required(CheckRoutes.RESOURCE));
    return page(call, "subjects", resource, lists::subjects);
  }

  /// A list in the domain.
  @FunctionalInterface
  interface Source {
    AtRevision<RightsPage> page(
        Caller caller, Namespace namespace, ListRequest wanted, String after, int limit);
  }

  private Answer<ListAnswer> page(Call<NoBody> call, String kind, String id, Source source) {
    int rights = call.find(RIGHT).orElseThrow(() -> CheckRoutes.required(RIGHT));
    ListRequest wanted =
        new ListRequest(
            id, rights, call.find(CheckRoutes.BUCKET), AsOfParameter.of(call, seal), false);
    byte[] list = list(call, kind, wanted);
    Optional<ListPosition> begun =
        call.find(PageParameters.CURSOR).map(text -> ListPosition.of(cursors.open(list, text)));
    int limit = call.find(LIMIT).map(Math::toIntExact).orElse(USUAL_LIMIT);
    AtRevision<RightsPage> found =
        source.page(
            call.who(),
            Namespace.of(call.scope()),
            wanted,
            begun.map(ListPosition::after).orElse(""),
            limit);
    RightsPage part = found.value();
    if (begun.filter(position -> position.all != part.all()).isPresent()) {
      throw new VeridexException(
          Problem.of(
              ErrorCode.CONFLICT,
              "a grant on everything came or went since this list was begun: begin again"));
    }
    String revision = seal.seal(found.revision());
    return Answer.at(
        revision,
        new ListAnswer(
            part.all(),
            part.ids(),
            part.next().map(next -> cursors.seal(list, new ListPosition(part.all(), next).bytes())),
            revision));
  }

  /// The position in a list.
  private record ListPosition(boolean all, String after) {
    private static ListPosition of(byte[] bytes) {
      KeyReader reader = new KeyReader(bytes);
      return new ListPosition(reader.octet() == 1, reader.string());
    }

    private byte[] bytes() {
      return new KeyWriter().octet(all ? 1 : 0).string(after).toKey();
    }
  }

  /// Cursors are good for the same list only.
  private byte[] list(Call<?> call, String kind, ListRequest wanted) {
    return new KeyWriter()
        .string(kind)
        .string(call.scope().text())
        .unsigned(lists.incarnation(Namespace.of(call.scope())))
        .string(wanted.id())
        .octet(wanted.rights())
        .string(wanted.bucket().orElse(""))
        .string(call.find(AsOfParameter.AT).orElse(""))
        .toKey();
  }
}
