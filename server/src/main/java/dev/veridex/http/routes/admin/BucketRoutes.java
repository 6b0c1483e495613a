package dev.veridex.http.routes.admin;

import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.TypeUpgrades;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.ChangeReply;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.routes.admin.BucketShapes.BucketRequest;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.items.ItemUpgrades;
import dev.veridex.tenancy.OwnerPresence;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.databind.node.JsonNodeFactory;

/// Buckets: make, change, look at, list, delete, upgrade.
public final class BucketRoutes {
  private static final String ALL = "/v1/accounts/{account}/buckets";
  private static final String PATH = ALL + "/{bucket}";
  private static final String ADMIN = "the bucket's ACL: admin";
  private static final String ETAG = "ETag";

  public static final Parameter<String> BUCKET =
      Parameter.path("bucket", Type.TEXT, "the name of the bucket");
  private static final Parameter<Boolean> ORPHANED =
      Parameter.query(
          "orphaned", Type.BOOLEAN, "true: only those whose owner is gone; takes scope admin");

  private record Target(Optional<String> type) {}

  private static final Member<String> TYPE =
      Member.optional("type", Type.TEXT, "the type to upgrade to; absent: the newest version");
  private static final Shape<Target> TARGET =
      Shape.in("UpgradeRequest", List.of(TYPE), given -> new Target(given.find(TYPE)));

  private final Buckets buckets;
  private final TypeUpgrades upgrades;
  private final ItemUpgrades itemUpgrades;
  private final OwnerPresence owners;
  private final RevisionSeal seal;

  public BucketRoutes(
      Buckets buckets,
      TypeUpgrades upgrades,
      ItemUpgrades itemUpgrades,
      OwnerPresence owners,
      RevisionSeal seal) {
    this.buckets = buckets;
    this.upgrades = upgrades;
    this.itemUpgrades = itemUpgrades;
    this.owners = owners;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.PUT, PATH, "bucket.put", "Make a bucket, or change it as a whole")
            .reads(BucketShapes.WANTED, BucketShapes.example())
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(),
                    "to make it: the account's bucketCreators, owner or scope admin; to change it: "
                        + ADMIN,
                    call ->
                        buckets.mayPut(call.who(), Namespace.of(call.scope()), call.get(BUCKET))))
            .takes(Route.ACCOUNT, BUCKET, AccountRoutes.IF_MATCH, AccountRoutes.IF_NONE_MATCH)
            .answers(Reply.json(200, BucketShapes.PUT).or(201), this::put),
        Route.of(Method.GET, PATH, "bucket.show", "A bucket")
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(), "the bucket's ACL: read or admin"))
            .takes(Route.ACCOUNT, BUCKET)
            .answers(Reply.json(200, BucketShapes.BUCKET), this::show),
        Route.of(
                Method.DELETE,
                PATH,
                "bucket.delete",
                "Delete a bucket and everything in it, at once")
            .needs(new RequiredRight.Allowed<>(new ScopeSource.Inside<>(), ADMIN))
            .takes(Route.ACCOUNT, BUCKET, AccountRoutes.IF_MATCH)
            .answers(Reply.json(200, WriteReceipt.SHAPE), this::delete),
        Route.of(Method.GET, ALL, "bucket.list", "The buckets that a caller may see")
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(), "each bucket's ACL: read or admin"))
            .takes(Route.ACCOUNT, ORPHANED, PageParameters.LIMIT, PageParameters.CURSOR)
            .answers(
                Reply.json(200, PageParameters.of("BucketList", BucketShapes.BUCKET)), this::list),
        Route.of(
                Method.POST,
                PATH + "/upgrade",
                "bucket.upgrade",
                "Begin an upgrade: writes go to both versions, what was there is copied")
            .reads(TARGET, JsonNodeFactory.instance.objectNode())
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(),
                    ADMIN,
                    call ->
                        buckets.mayAdminister(
                            call.who(), Namespace.of(call.scope()), call.get(BUCKET))))
            .takes(Route.ACCOUNT, BUCKET)
            .answers(Reply.json(201, BucketShapes.PUT), this::upgrade),
        Route.of(
                Method.POST,
                PATH + "/upgrade/finish",
                "bucket.upgrade.finish",
                "Compare both versions, and go on with the new one if they are equal")
            .needs(new RequiredRight.Allowed<>(new ScopeSource.Inside<>(), ADMIN))
            .takes(Route.ACCOUNT, BUCKET)
            .answers(Reply.json(200, BucketShapes.PUT), this::finish),
        Route.of(
                Method.POST,
                PATH + "/upgrade/abort",
                "bucket.upgrade.abort",
                "Give an upgrade up, and drop the new version")
            .needs(new RequiredRight.Allowed<>(new ScopeSource.Inside<>(), ADMIN))
            .takes(Route.ACCOUNT, BUCKET)
            .answers(Reply.json(200, BucketShapes.PUT), this::abort));
  }

  private Answer<ChangeReply<Bucket>> put(Call<BucketRequest> call) {
    return withEtag(
        ChangeReply.put(
            buckets.put(
                call.who(),
                Namespace.of(call.scope()),
                call.get(BUCKET),
                call.body().type(),
                call.body().rest(),
                call.find(AccountRoutes.IF_MATCH),
                call.find(AccountRoutes.IF_NONE_MATCH)),
            seal));
  }

  private Answer<Buckets.BucketView> show(Call<NoBody> call) {
    Buckets.BucketView shown =
        buckets.find(call.who(), Namespace.of(call.scope()), call.get(BUCKET));
    return Answer.of(shown).with(ETAG, "\"" + shown.bucket().etag() + "\"");
  }

  private Answer<WriteReceipt> delete(Call<NoBody> call) {
    return ChangeReply.deleted(
        buckets.delete(
            call.who(),
            Namespace.of(call.scope()),
            call.get(BUCKET),
            call.find(AccountRoutes.IF_MATCH)),
        seal);
  }

  private Answer<Page<Buckets.BucketView>> list(Call<NoBody> call) {
    boolean orphaned = call.find(ORPHANED).orElse(false);
    return Answer.of(
        buckets.list(
            call.who(),
            Namespace.of(call.scope()),
            call.find(PageParameters.CURSOR),
            PageParameters.limit(call),
            orphaned ? orphans(call) : _ -> true));
  }

  private Predicate<Bucket> orphans(Call<NoBody> call) {
    if (!call.who().administers(call.scope())) {
      throw new RefusedException(
          Problem.of(ErrorCode.FORBIDDEN, "this takes a token with the flag admin"));
    }
    Predicate<String> present = owners.present(call.scope());
    return bucket -> bucket.wanted().owner().filter(present).isEmpty();
  }

  private Answer<ChangeReply<Bucket>> upgrade(Call<Target> call) {
    return withEtag(
        ChangeReply.put(
            upgrades.begin(
                call.who(), Namespace.of(call.scope()), call.get(BUCKET), call.body().type()),
            seal));
  }

  private Answer<ChangeReply<Bucket>> finish(Call<NoBody> call) {
    return withEtag(
        ChangeReply.put(
            itemUpgrades.finish(call.who(), Namespace.of(call.scope()), call.get(BUCKET)), seal));
  }

  private Answer<ChangeReply<Bucket>> abort(Call<NoBody> call) {
    return withEtag(
        ChangeReply.put(
            upgrades.abort(call.who(), Namespace.of(call.scope()), call.get(BUCKET)), seal));
  }

  private static Answer<ChangeReply<Bucket>> withEtag(Answer<ChangeReply<Bucket>> answer) {
    return answer.with(ETAG, "\"" + answer.value().value().etag() + "\"");
  }
}
