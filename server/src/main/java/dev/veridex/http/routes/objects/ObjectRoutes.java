package dev.veridex.http.routes.objects;

import dev.veridex.common.CursorSeal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
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
import dev.veridex.http.routes.admin.BucketRoutes;
import dev.veridex.http.routes.documents.DocumentRoutes;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import dev.veridex.objects.AttributePatch;
import dev.veridex.objects.AttributeWriter;
import dev.veridex.objects.ObjectQuery;
import dev.veridex.objects.ObjectReader;
import dev.veridex.objects.ObjectReader.Position;
import dev.veridex.objects.ObjectReader.Total;
import dev.veridex.objects.ObjectStats;
import dev.veridex.objects.catalogue.FailedEvent;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/// Objects of a catalogue: listed, counted, explained, and given attributes.
public final class ObjectRoutes {
  private static final String OBJECTS = DocumentRoutes.BUCKET + "/objects";
  private static final String RIGHT =
      ", and rights on the objects unless the bucket says otherwise";
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private static final Parameter<String> ID = Parameter.path("id", Type.TEXT, "the id of the row");
  private static final Parameter<Boolean> WHY =
      Parameter.query(
          "why",
          Type.BOOLEAN,
          "true to show the rows of the object as well, the last 1000 of them");
  private static final Parameter<String> DELIMITER =
      Parameter.query(
          "delimiter", Type.TEXT, "counts by prefix, too: up to the next delimiter in the key");

  private final ObjectReader reader;
  private final AttributeWriter attributes;
  private final RevisionSeal seal;
  private final CursorSeal cursors;

  public ObjectRoutes(ObjectReader reader, AttributeWriter attributes, RevisionSeal seal) {
    this.reader = reader;
    this.attributes = attributes;
    this.seal = seal;
    this.cursors = seal.cursors();
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.GET, OBJECTS, "object.list", "The objects of a catalogue, filtered")
            .needs(read())
            .takes(
                ObjectParameters.filters(
                    ObjectParameters.CURRENT,
                    ObjectParameters.AT,
                    ObjectParameters.EVENT_AT,
                    ObjectParameters.SORT,
                    PageParameters.LIMIT,
                    PageParameters.CURSOR))
            .answers(Reply.json(200, ObjectShapes.PAGE), this::list),
        Route.of(Method.GET, OBJECTS + "/count", "object.count", "How many objects there are")
            .needs(read())
            .takes(
                ObjectParameters.filters(
                    ObjectParameters.CURRENT, ObjectParameters.AT, ObjectParameters.EVENT_AT))
            .answers(Reply.json(200, ObjectShapes.COUNTED), this::count),
        Route.of(
                Method.GET,
                OBJECTS + "/stats",
                "object.stats",
                "How many objects and bytes there are, by storage class, reason and prefix")
            .needs(read())
            .takes(
                ObjectParameters.filters(
                    DELIMITER,
                    ObjectParameters.CURRENT,
                    ObjectParameters.AT,
                    ObjectParameters.EVENT_AT))
            .answers(Reply.json(200, ObjectShapes.STATS), this::stats),
        Route.of(
                Method.GET,
                OBJECTS + "/history",
                "object.history",
                "All rows of a key in their order")
            .needs(read())
            .takes(ObjectParameters.filters(PageParameters.LIMIT, PageParameters.CURSOR))
            .answers(Reply.json(200, ObjectShapes.PAGE), this::history),
        Route.of(Method.GET, OBJECTS + "/{id}", "object.read", "A row of a catalogue")
            .needs(read())
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, ID, WHY, DocumentRoutes.AS)
            .answers(Reply.json(200, ObjectShapes.EXPLAINED), this::read),
        Route.of(
                Method.PATCH,
                OBJECTS + "/{id}",
                "object.patch",
                "Change the attributes of a row by a JSON Patch")
            .readsBulk(ObjectShapes.patchExample())
            .needs(write())
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, ID, DocumentRoutes.AS)
            .answers(Reply.json(200, ObjectShapes.PATCHED), this::patchOne),
        Route.of(
                Method.PATCH,
                OBJECTS,
                "object.patchAll",
                "Change the attributes of all rows that a filter keeps, or of none")
            .readsBulk(ObjectShapes.patchExample())
            .needs(write())
            .takes(ObjectParameters.filters(ObjectParameters.CURRENT))
            .answers(Reply.json(200, ObjectShapes.PATCHED), this::patchMany),
        Route.of(
                Method.GET,
                DocumentRoutes.BUCKET + "/events/failed",
                "event.failed",
                "Messages that could not be read, the newest first")
            .needs(new RequiredRight.Allowed<>(new ScopeSource.Inside<>(), DocumentRoutes.ADMIN))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, PageParameters.LIMIT, PageParameters.CURSOR)
            .answers(
                Reply.json(200, PageParameters.of("FailedEventList", ObjectShapes.FAILED)),
                this::failed));
  }

  private RequiredRight<NoBody> read() {
    return new RequiredRight.Allowed<>(
        new ScopeSource.Inside<>(),
        "the bucket's ACL: read" + RIGHT,
        call -> reader.mayRead(ObjectParameters.request(call)));
  }

  private RequiredRight<Route.Inputs> write() {
    return new RequiredRight.Allowed<>(
        new ScopeSource.Inside<>(),
        "the bucket's ACL: write" + RIGHT,
        call -> reader.mayWrite(ObjectParameters.request(call)));
  }

  private Answer<ObjectShapes.PageAnswer> list(Call<NoBody> call) {
    return page(call, ObjectParameters.query(call), "/objects");
  }

  private Answer<ObjectShapes.PageAnswer> history(Call<NoBody> call) {
    if (!call.families().containsKey("key")) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "The history of one key is asked for: add key=….")
              .with("parameter", "key"));
    }
    return page(call, ObjectParameters.query(call).history(), "/objects/history");
  }

  private Answer<ObjectShapes.PageAnswer> page(Call<NoBody> call, ObjectQuery query, String path) {
    byte[] list = ObjectParameters.list(call, path);
    Optional<Position> after =
        call.find(PageParameters.CURSOR).map(text -> position(cursors.open(list, text)));
    ObjectReader.RowPage page =
        reader.list(
            ObjectParameters.request(call), query, after, PageParameters.limit(call), call.room());
    Optional<String> cursor = page.next().map(next -> cursors.seal(list, bytes(next)));
    return Answer.of(
        new ObjectShapes.PageAnswer(
            page.rows(),
            cursor,
            cursor.map(text -> ObjectParameters.link(call, path, text)),
            page.complete(),
            page.total()));
  }

  private static byte[] bytes(Position position) {
    return new KeyWriter()
        .unsigned(position.incarnation())
        .signed(position.total().rows())
        .octet(position.total().exact() ? 1 : 0)
        .bytes(position.after())
        .toKey();
  }

  private static Position position(byte[] bytes) {
    KeyReader in = new KeyReader(bytes);
    long incarnation = in.unsigned();
    Total total = new Total(in.signed(), in.octet() == 1);
    return new Position(incarnation, in.bytes(), total);
  }

  private Answer<Total> count(Call<NoBody> call) {
    return Answer.of(
        reader.count(ObjectParameters.request(call), ObjectParameters.query(call), call.room()));
  }

  private Answer<ObjectStats> stats(Call<NoBody> call) {
    return Answer.of(
        reader.stats(
            ObjectParameters.request(call),
            ObjectParameters.query(call),
            call.find(DELIMITER).filter(text -> !text.isEmpty()),
            call.room()));
  }

  private static Optional<UUID> findId(Call<?> call) {
    return Optional.of(call.get(ID))
        .filter(text -> UUID_TEXT.matcher(text).matches())
        .map(UUID::fromString);
  }

  private static UUID id(Call<?> call) {
    return findId(call).orElseThrow(() -> new VeridexException(ObjectReader.nothing()));
  }

  private Answer<ObjectReader.ExplainedRow> read(Call<NoBody> call) {
    return Answer.of(
        reader.find(
            ObjectParameters.request(call),
            findId(call),
            call.find(WHY).orElse(false),
            call.room()));
  }

  private Answer<ObjectShapes.PatchAnswer> patchOne(Call<Route.Inputs> call) {
    return patched(call, new AttributeWriter.Target.One(id(call)));
  }

  private Answer<ObjectShapes.PatchAnswer> patchMany(Call<Route.Inputs> call) {
    if (call.families().isEmpty()) {
      throw new VeridexException(
          Problem.of(
              ErrorCode.BAD_REQUEST,
              "Say with a filter which rows are meant; key=* for all of them."));
    }
    return patched(call, new AttributeWriter.Target.Many(ObjectParameters.query(call)));
  }

  private Answer<ObjectShapes.PatchAnswer> patched(
      Call<Route.Inputs> call, AttributeWriter.Target target) {
    if (!(call.body() instanceof Route.Inputs.All(var operations, _))) {
      throw new VeridexException(
          Problem.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "A patch is a JSON array, not lines."));
    }
    AttributeWriter.PatchResult patched =
        attributes.patch(ObjectParameters.request(call), target, new AttributePatch(operations));
    String revision = seal.seal(patched.revision());
    return Answer.at(revision, new ObjectShapes.PatchAnswer(patched.ids(), revision));
  }

  private Answer<Page<FailedEvent>> failed(Call<NoBody> call) {
    byte[] list = ObjectParameters.list(call, "/events/failed");
    Optional<Long> before =
        call.find(PageParameters.CURSOR)
            .map(text -> new KeyReader(cursors.open(list, text)).unsigned());
    int limit = PageParameters.limit(call);
    List<FailedEvent> failed = reader.failed(ObjectParameters.request(call), before, limit + 1);
    if (failed.size() <= limit) {
      return Answer.of(Page.last(failed));
    }
    List<FailedEvent> shown = failed.subList(0, limit);
    byte[] last = new KeyWriter().unsigned(shown.getLast().idx()).toKey();
    return Answer.of(Page.until(shown, cursors.seal(list, last), Page.End.LIMIT));
  }
}
