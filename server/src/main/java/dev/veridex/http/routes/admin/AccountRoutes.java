package dev.veridex.http.routes.admin;

import dev.veridex.acl.Acl;
import dev.veridex.common.Page;
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
import dev.veridex.http.routes.ChangeReply;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.tenancy.Account;
import dev.veridex.tenancy.Accounts;
import dev.veridex.tenancy.BucketCreators;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Accounts: make, change, look at, list, delete.
public final class AccountRoutes {
  private static final String PATH = "/v1/accounts/{account}";
  private static final String ETAG = "ETag";

  public static final Parameter<String> IF_MATCH =
      Parameter.header("If-Match", Type.TEXT, "the etag that it must still have, or *");
  public static final Parameter<String> IF_NONE_MATCH =
      Parameter.header(
          "If-None-Match", Type.TEXT, "etags that it must not have; * if there must be none");

  private static final Member<String> DESCRIPTION =
      Member.optional("description", Type.TEXT, "what it is for");
  private static final Member<String> OWNER =
      Member.optional("owner", Type.ID, "the subject who may change and delete it");
  private static final Member<Acl> ACL =
      Member.optional("acl", AclShapes.ACL, "for those of its buckets that have none");
  private static final Member<BucketCreators> CREATORS =
      Member.optional(
          "bucketCreators",
          AclShapes.CREATORS,
          "who may make buckets, besides the owner and administrators; or by type");
  private static final Member<String> NAME = Member.required("name", Type.TEXT, "its name");
  private static final Member<Instant> CREATED_AT =
      Member.required("createdAt", Type.TIME, "when it was made");
  private static final Member<String> ETAG_MEMBER =
      Member.required("etag", Type.TEXT, "changes with every change");

  private static final List<Member<?>> MEMBERS =
      List.of(NAME, DESCRIPTION, OWNER, ACL, CREATORS, QuotaShapes.QUOTAS, CREATED_AT, ETAG_MEMBER);

  private static final Shape<Account.Definition> WANTED =
      Shape.in(
              "AccountRequest",
              List.of(DESCRIPTION, OWNER, ACL, CREATORS, QuotaShapes.QUOTAS),
              given ->
                  new Account.Definition(
                      given.find(DESCRIPTION),
                      given.find(OWNER),
                      given.find(ACL),
                      given.find(CREATORS),
                      given.find(QuotaShapes.QUOTAS).orElse(Map.of())))
          .withoutNull(ACL, CREATORS);

  private static final Shape<Account> ACCOUNT = Shape.out("Account", MEMBERS, AccountRoutes::write);

  private static final Shape<ChangeReply<Account>> PUT =
      ChangeReply.shape("AccountPut", MEMBERS, AccountRoutes::write);

  private final Accounts accounts;
  private final RevisionSeal seal;

  public AccountRoutes(Accounts accounts, RevisionSeal seal) {
    this.accounts = accounts;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.PUT, PATH, "account.put", "Make an account, or change it as a whole")
            .reads(WANTED, example())
            .needs(
                new RequiredRight.Owns<>(
                    new ScopeSource.Account<>(),
                    "Global admin to make it; its owner or scope admin to change it"))
            .takes(Route.ACCOUNT, IF_MATCH, IF_NONE_MATCH)
            .answers(Reply.json(200, PUT).or(201), this::put),
        Route.of(Method.GET, PATH, "account.read", "An account")
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Account<>()))
            .takes(Route.ACCOUNT)
            .answers(Reply.json(200, ACCOUNT), this::read),
        Route.of(
                Method.DELETE,
                PATH,
                "account.delete",
                "Delete an account and everything in it, at once")
            .needs(
                new RequiredRight.Owns<>(new ScopeSource.Account<>(), "its owner or scope admin"))
            .takes(Route.ACCOUNT, IF_MATCH)
            .answers(Reply.json(200, WriteReceipt.SHAPE), this::delete),
        Route.of(Method.GET, "/v1/accounts", "account.list", "The accounts that a token reaches")
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Callers<>()))
            .takes(PageParameters.LIMIT, PageParameters.CURSOR)
            .answers(Reply.json(200, PageParameters.of("AccountList", ACCOUNT)), this::list));
  }

  private Answer<ChangeReply<Account>> put(Call<Account.Definition> call) {
    Answer<ChangeReply<Account>> answer =
        ChangeReply.put(
            accounts.put(
                call.caller(),
                call.get(Route.ACCOUNT),
                call.body(),
                call.find(IF_MATCH),
                call.find(IF_NONE_MATCH)),
            seal);
    return answer.with(ETAG, quoted(answer.value().value().etag()));
  }

  private Answer<Account> read(Call<NoBody> call) {
    String name = call.get(Route.ACCOUNT);
    Account account =
        accounts.find(name).orElseThrow(() -> new VeridexException(accounts.missing(name)));
    return Answer.of(account).with(ETAG, quoted(account.etag()));
  }

  private Answer<WriteReceipt> delete(Call<NoBody> call) {
    return ChangeReply.deleted(
        accounts.delete(call.caller(), call.get(Route.ACCOUNT), call.find(IF_MATCH)), seal);
  }

  private Answer<Page<Account>> list(Call<NoBody> call) {
    return Answer.of(
        accounts.list(call.caller(), call.find(PageParameters.CURSOR), PageParameters.limit(call)));
  }

  private static String quoted(String etag) {
    return "\"" + etag + "\"";
  }

  private static void write(Account account, AnswerObject out) {
    out.put(NAME, account.name())
        .put(DESCRIPTION, account.wanted().description())
        .put(OWNER, account.owner())
        .put(ACL, account.wanted().acl())
        .put(CREATORS, account.wanted().creators())
        .put(QuotaShapes.QUOTAS, account.quotas())
        .put(CREATED_AT, account.createdAt())
        .put(ETAG_MEMBER, account.etag());
  }

  private static JsonNode example() {
    ObjectNode example = JsonNodeFactory.instance.objectNode();
    example.put("description", "the shop").put("owner", "ada");
    example.putObject("quotas").put("buckets", 100);
    return example;
  }
}
