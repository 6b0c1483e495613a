package dev.veridex.http.routes;

import dev.veridex.accounts.Account;
import dev.veridex.accounts.Account.Quota;
import dev.veridex.accounts.Accounts;
import dev.veridex.accounts.Change;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.Right;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.Where;
import dev.veridex.http.shape.Given;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.http.shape.Written;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Accounts: make, change, look at, list, delete.
public final class AccountRoutes {
  private static final String PATH = "/v1/accounts/{account}";
  private static final String ETAG = "ETag";

  private static final Parameter<String> IF_MATCH =
      Parameter.header("If-Match", Type.TEXT, "the etag that it must still have, or *");

  private static final Map<Quota, Member<Long>> QUOTA_MEMBERS = quotaMembers();

  private static final Shape<Map<Quota, Long>> QUOTAS =
      Shape.of(
          "Quotas",
          List.copyOf(QUOTA_MEMBERS.values()),
          AccountRoutes::quotas,
          (quotas, out) ->
              QUOTA_MEMBERS.forEach(
                  (quota, member) -> out.put(member, Optional.ofNullable(quotas.get(quota)))));

  private static final Member<String> DESCRIPTION =
      Member.optional("description", Type.TEXT, "what it is for");
  private static final Member<String> OWNER =
      Member.optional("owner", Type.ID, "the subject who may change and delete it");
  private static final Member<Map<Quota, Long>> LIMITS =
      Member.optional("quotas", Type.object(QUOTAS), "how much it may hold; absent: no limit");
  private static final Member<String> NAME = Member.required("name", Type.TEXT, "its name");
  private static final Member<Instant> CREATED_AT =
      Member.required("createdAt", Type.TIME, "when it was made");
  private static final Member<String> ETAG_MEMBER =
      Member.required("etag", Type.TEXT, "changes with every change");

  private static final List<Member<?>> MEMBERS =
      List.of(NAME, DESCRIPTION, OWNER, LIMITS, CREATED_AT, ETAG_MEMBER);

  private static final Shape<Account.Wanted> WANTED =
      Shape.in(
          "AccountRequest",
          List.of(DESCRIPTION, OWNER, LIMITS),
          given ->
              new Account.Wanted(
                  given.find(DESCRIPTION), given.find(OWNER), given.find(LIMITS).orElse(Map.of())));

  private static final Shape<Account> ACCOUNT = Shape.out("Account", MEMBERS, AccountRoutes::write);

  private record Put(Account account, String revision) {}

  private static final Shape<Put> PUT =
      Shape.out(
          "AccountPut",
          withRevision(MEMBERS),
          (put, out) -> {
            write(put.account, out);
            out.put(Accepted.REVISION, put.revision);
          });

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
                new Right.Owns<>(
                    new Where.Account<>(),
                    "Global admin to make it; its owner or scope admin to change it"))
            .takes(Route.ACCOUNT, IF_MATCH)
            .answers(Reply.json(200, PUT).or(201), this::put),
        Route.of(Method.GET, PATH, "account.read", "An account")
            .needs(new Right.Reaches<>(new Where.Account<>()))
            .takes(Route.ACCOUNT)
            .answers(Reply.json(200, ACCOUNT), this::read),
        Route.of(
                Method.DELETE,
                PATH,
                "account.delete",
                "Delete an account and everything in it, at once")
            .needs(new Right.Owns<>(new Where.Account<>(), "its owner or scope admin"))
            .takes(Route.ACCOUNT, IF_MATCH)
            .answers(Reply.json(200, Accepted.SHAPE), this::delete),
        Route.of(Method.GET, "/v1/accounts", "account.list", "The accounts that a token reaches")
            .needs(new Right.Reaches<>(new Where.Callers<>()))
            .takes(Lists.LIMIT, Lists.CURSOR)
            .answers(Reply.json(200, Lists.of("AccountList", ACCOUNT)), this::list));
  }

  private Answer<Put> put(Call<Account.Wanted> call) {
    Change<Account> change =
        accounts.put(call.caller(), call.get(Route.ACCOUNT), call.body(), call.find(IF_MATCH));
    return switch (change) {
      case Change.Done<Account>(Account account, boolean created, var revision) -> {
        String sealed = seal.seal(revision);
        Answer<Put> answer =
            Answer.at(sealed, new Put(account, sealed)).with(ETAG, quoted(account.etag()));
        yield created ? answer.status(201) : answer;
      }
      case Change.Deleted<Account> _ -> throw new IllegalStateException("nothing was deleted");
      case Change.Refused<Account>(Problem problem) -> throw new VeridexException(problem);
    };
  }

  private Answer<Account> read(Call<NoBody> call) {
    String name = call.get(Route.ACCOUNT);
    Account account =
        accounts.find(name).orElseThrow(() -> new VeridexException(accounts.missing(name)));
    return Answer.of(account).with(ETAG, quoted(account.etag()));
  }

  private Answer<Accepted> delete(Call<NoBody> call) {
    Change<Account> change =
        accounts.delete(call.caller(), call.get(Route.ACCOUNT), call.find(IF_MATCH));
    return switch (change) {
      case Change.Deleted<Account>(var revision) -> {
        String sealed = seal.seal(revision);
        yield Answer.at(sealed, new Accepted(sealed));
      }
      case Change.Done<Account> _ -> throw new IllegalStateException("nothing was made");
      case Change.Refused<Account>(Problem problem) -> throw new VeridexException(problem);
    };
  }

  private Answer<Page<Account>> list(Call<NoBody> call) {
    return Answer.of(accounts.list(call.caller(), call.find(Lists.CURSOR), Lists.limit(call)));
  }

  private static String quoted(String etag) {
    return "\"" + etag + "\"";
  }

  private static void write(Account account, Written out) {
    out.put(NAME, account.name())
        .put(DESCRIPTION, account.description())
        .put(OWNER, account.owner())
        .put(LIMITS, account.quotas())
        .put(CREATED_AT, account.createdAt())
        .put(ETAG_MEMBER, account.etag());
  }

  private static Map<Quota, Member<Long>> quotaMembers() {
    Map<Quota, Member<Long>> members = new EnumMap<>(Quota.class);
    Arrays.stream(Quota.values())
        .forEach(
            quota ->
                members.put(
                    quota,
                    Member.optional(
                        quota.text(), Type.whole(0, Long.MAX_VALUE), "the most of them")));
    return members;
  }

  private static Map<Quota, Long> quotas(Given given) {
    Map<Quota, Long> quotas = new EnumMap<>(Quota.class);
    QUOTA_MEMBERS.forEach(
        (quota, member) -> given.find(member).ifPresent(limit -> quotas.put(quota, limit)));
    return quotas;
  }

  private static List<Member<?>> withRevision(List<Member<?>> members) {
    List<Member<?>> all = new ArrayList<>(members);
    all.add(Accepted.REVISION);
    return all;
  }

  private static JsonNode example() {
    ObjectNode example = JsonNodeFactory.instance.objectNode();
    example.put("description", "the shop").put("owner", "ada");
    example.putObject("quotas").put("buckets", 100);
    return example;
  }
}
