package dev.veridex.http.routes.items;

import dev.veridex.buckets.ActingCaller;
import dev.veridex.common.CursorSeal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
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
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.admin.AccountRoutes;
import dev.veridex.http.routes.admin.BucketRoutes;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import dev.veridex.items.ItemRevision;
import dev.veridex.items.ItemStore;
import dev.veridex.items.Items;
import dev.veridex.items.Items.Which;
import dev.veridex.records.HttpConditions;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/// Items of a bucket: store, read, delete, list, and their revisions.
public final class ItemRoutes {
  private static final String ALL = "/v1/accounts/{account}/buckets/{bucket}/items";
  private static final String PATH = ALL + "/{key}";
  private static final String ITEM_RIGHT =
      ", and rights on the item where the bucket asks for them";
  private static final long MAX_SECONDS = 1_000_000_000_000L;

  /// What a value brings must not act in the name of the server that hands it out.
  private static final String POLICY = "default-src 'none'; sandbox";

  private static final Pattern VISIBLE = Pattern.compile("[ -~\\t]*");
  private static final Pattern ID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private static final Parameter<String> KEY =
      Parameter.path("key", Type.TEXT, "the key of the item, percent-encoded");
  private static final Parameter<Long> TTL =
      Parameter.query(
          "ttl",
          Type.whole(-MAX_SECONDS, MAX_SECONDS),
          "seconds that it lives; absent: as the bucket's policy says");
  private static final Parameter<String> AS =
      Parameter.query(
          "as", Type.ID, "the subject on whose behalf; for administrators and services");
  private static final Parameter<String> REV =
      Parameter.query(
          "rev", Type.TEXT, "the id of a revision, or a time: the one that was current then");
  private static final Parameter<String> PREFIX =
      Parameter.query("prefix", Type.TEXT, "what the keys begin with");
  private final Items items;
  private final RevisionSeal seal;
  private final CursorSeal cursors;

  public ItemRoutes(Items items, RevisionSeal seal) {
    this.items = items;
    this.seal = seal;
    this.cursors = seal.cursors();
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.PUT,
                PATH,
                "item.put",
                "Store bytes with their Content-Type and X-Store-* headers")
            .readsBytes(Items.MAX_BYTES)
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(),
                    "the bucket's ACL: write" + ITEM_RIGHT,
                    call ->
                        items.mayWrite(
                            asking(call),
                            Namespace.of(call.scope()),
                            call.get(BucketRoutes.BUCKET))))
            .takes(
                Route.ACCOUNT,
                BucketRoutes.BUCKET,
                KEY,
                TTL,
                AS,
                AccountRoutes.IF_MATCH,
                AccountRoutes.IF_NONE_MATCH)
            .answers(Reply.json(201, ItemShapes.WRITTEN), this::put),
        Route.of(Method.GET, PATH, "item.read", "An item, or an earlier revision of it")
            .needs(read())
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, KEY, REV, AS, AccountRoutes.IF_NONE_MATCH)
            .answers(Reply.bytes().or(304), this::read),
        Route.of(
                Method.DELETE,
                PATH,
                "item.delete",
                "Delete an item; its earlier revisions stay as long as the bucket keeps them")
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(), "the bucket's ACL: delete" + ITEM_RIGHT))
            .takes(
                Route.ACCOUNT,
                BucketRoutes.BUCKET,
                KEY,
                AS,
                AccountRoutes.IF_MATCH,
                AccountRoutes.IF_NONE_MATCH)
            .answers(Reply.json(200, ItemShapes.WRITTEN), this::delete),
        Route.of(Method.GET, ALL, "item.list", "The items whose keys begin with a prefix, by key")
            .needs(read())
            .takes(
                Route.ACCOUNT,
                BucketRoutes.BUCKET,
                PREFIX,
                AS,
                PageParameters.LIMIT,
                PageParameters.CURSOR)
            .answers(Reply.json(200, PageParameters.of("ItemList", ItemShapes.ITEM)), this::list),
        Route.of(
                Method.GET,
                PATH + "/revisions",
                "item.revisions",
                "The revisions of an item, newest first")
            .needs(read())
            .takes(
                Route.ACCOUNT,
                BucketRoutes.BUCKET,
                KEY,
                AS,
                PageParameters.LIMIT,
                PageParameters.CURSOR)
            .answers(
                Reply.json(200, PageParameters.of("RevisionList", ItemShapes.REVISION)),
                this::revisions));
  }

  private static RequiredRight<NoBody> read() {
    return new RequiredRight.Allowed<>(
        new ScopeSource.Inside<>(), "the bucket's ACL: read" + ITEM_RIGHT);
  }

  private Answer<ItemShapes.WriteAnswer> put(Call<Route.Content> call) {
    Route.Content content = call.body();
    checkVisible(content.contentType(), "Content-Type");
    content.headers().forEach((name, value) -> checkVisible(value, name));
    return written(
        call,
        items.put(
            request(call),
            new Items.Content(
                content.contentType(),
                content.headers(),
                content.bytes(),
                call.find(TTL).map(Duration::ofSeconds)),
            conditions(call)));
  }

  private Answer<ItemShapes.WriteAnswer> delete(Call<NoBody> call) {
    return written(call, items.delete(request(call), conditions(call)));
  }

  private Answer<ItemShapes.WriteAnswer> written(Call<?> call, Items.WriteResult written) {
    String sealed = seal.seal(written.revision());
    Answer<ItemShapes.WriteAnswer> answer =
        Answer.at(sealed, new ItemShapes.WriteAnswer(call.get(KEY), written.item(), sealed))
            .with("ETag", etag(written.item()));
    return written.outOfBounds()
        ? answer.with("Veridex-Warning", "the TTL lies outside the bounds of the bucket's policy")
        : answer;
  }

  private Answer<Payload> read(Call<NoBody> call) {
    Items.Which which = which(call.find(REV));
    Items.ItemValue read =
        call.headOnly()
            ? items.read(request(call), which, call.room())
            : items.use(request(call), which, call.room());
    ItemRevision item = read.item();
    boolean known =
        call.find(AccountRoutes.IF_NONE_MATCH)
            .filter(list -> HttpConditions.namesWeakly(list, item.id().toString()))
            .isPresent();
    Answer<Payload> answer =
        Answer.<Payload>of(
                new Payload.Bytes(item.contentType(), known ? new byte[0] : read.value()))
            .with("ETag", etag(item))
            .with("Content-Security-Policy", POLICY)
            .with("Veridex-Written-At", item.time().toString());
    if (read.refreshed().isPresent()) {
      answer = answer.at(seal.seal(read.refreshed().get()));
    }
    for (Map.Entry<String, String> header : item.headers().entrySet()) {
      answer = answer.with(header.getKey(), header.getValue());
    }
    if (item.expiresAt().isPresent()) {
      answer = answer.with("Veridex-Expires-At", item.expiresAt().get().toString());
    }
    return known ? answer.status(304) : answer;
  }

  private Answer<Page<ItemStore.KeyedRevision>> list(Call<NoBody> call) {
    Namespace namespace = Namespace.of(call.scope());
    String bucket = call.get(BucketRoutes.BUCKET);
    String prefix = call.find(PREFIX).orElse("");
    byte[] list = new KeyWriter().string(call.scope().text()).string(bucket).string(prefix).toKey();
    Optional<Items.Position> from =
        call.find(PageParameters.CURSOR).map(text -> position(cursors.open(list, text)));
    Items.ItemPage page =
        items.list(asking(call), namespace, bucket, prefix, from, PageParameters.limit(call));
    return Answer.of(
        page.next()
            .map(next -> Page.until(page.items(), cursors.seal(list, bytes(next)), Page.End.LIMIT))
            .orElseGet(() -> Page.last(page.items())));
  }

  private Answer<Page<ItemRevision>> revisions(Call<NoBody> call) {
    Optional<UUID> cursor =
        call.find(PageParameters.CURSOR).map(text -> id(text).orElseThrow(() -> wrong("cursor")));
    return Answer.of(items.revisions(request(call), cursor, PageParameters.limit(call)));
  }

  private static byte[] bytes(Items.Position position) {
    return new KeyWriter().unsigned(position.incarnation()).string(position.after()).toKey();
  }

  private static Items.Position position(byte[] bytes) {
    KeyReader reader = new KeyReader(bytes);
    return new Items.Position(reader.unsigned(), reader.string());
  }

  private static Which which(Optional<String> rev) {
    if (rev.isEmpty()) {
      return new Which.Current();
    }
    Optional<Which> byId = id(rev.get()).map(Which.WithId::new);
    try {
      return byId.orElseGet(() -> new Which.At(Instant.parse(rev.get())));
    } catch (DateTimeParseException e) {
      throw wrong("rev");
    }
  }

  private static Optional<UUID> id(String text) {
    return ID.matcher(text).matches() ? Optional.of(UUID.fromString(text)) : Optional.empty();
  }

  private static VeridexException wrong(String parameter) {
    return new VeridexException(
        Problem.of(
                ErrorCode.BAD_REQUEST,
                "the id of a revision is expected here, or a time as 2026-01-31T12:00:00Z")
            .with("parameter", parameter));
  }

  private static String etag(ItemRevision item) {
    return "\"" + item.id() + "\"";
  }

  private static Items.Conditions conditions(Call<?> call) {
    return new Items.Conditions(
        call.find(AccountRoutes.IF_MATCH), call.find(AccountRoutes.IF_NONE_MATCH));
  }

  private static Items.Request request(Call<?> call) {
    return new Items.Request(
        asking(call), Namespace.of(call.scope()), call.get(BucketRoutes.BUCKET), call.get(KEY));
  }

  private static ActingCaller asking(Call<?> call) {
    return new ActingCaller(call.who(), call.find(AS));
  }

  private static void checkVisible(String text, String header) {
    if (!VISIBLE.matcher(text).matches()) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "a header that is kept has visible ASCII characters")
              .with("header", header));
    }
  }
}
