package dev.veridex.http.routes.admin;

import dev.veridex.common.Scope;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.RequestObject;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.identity.Token;
import dev.veridex.identity.Token.Flag;
import dev.veridex.identity.TokenRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// JSON shapes of tokens.
final class TokenShapes {
  private static final Map<Flag, Member<Boolean>> FLAG_MEMBERS =
      new EnumMap<>(
          Map.of(
              Flag.ADMIN,
              flag(Flag.ADMIN, "administers every scope that the token reaches"),
              Flag.IMPERSONATE,
              flag(Flag.IMPERSONATE, "may ask on behalf of others"),
              Flag.GRANTOR,
              flag(Flag.GRANTOR, "may grant approvals")));

  private static final Shape<Set<Flag>> FLAGS =
      Shape.of(
          "TokenFlags",
          List.copyOf(FLAG_MEMBERS.values()),
          TokenShapes::flags,
          (flags, out) ->
              FLAG_MEMBERS.forEach((flag, member) -> out.put(member, flags.contains(flag))));

  private static final Member<Scope> SCOPE =
      Member.required("scope", Type.SCOPE, "what it may touch");
  private static final Member<Boolean> DESCENDANTS =
      Member.optional(
          "descendants", Type.BOOLEAN, "whether a custom scope reaches what lies below it");
  private static final Member<String> SUBJECT =
      Member.optional("subject", Type.ID, "the person it stands for");
  private static final Member<List<String>> GROUPS =
      Member.optional("groups", Type.list(Type.ID), "the groups it brings; * hands out any");
  private static final Member<String> SERVICE_ID =
      Member.optional("serviceId", Type.ID, "the service it stands for");
  private static final Member<Set<Flag>> FLAG_SET =
      Member.optional("flags", Type.object(FLAGS), "powers beyond reading and writing");
  private static final Member<Long> TTL_SECONDS =
      Member.optional(
          "ttlSeconds",
          Type.whole(Long.MIN_VALUE / 10, Long.MAX_VALUE / 1_000_000_000),
          "how long it lives; absent: as long as the token that mints it");
  private static final Member<String> ID =
      Member.required("id", Type.TEXT, "names it where its secret must not appear");
  private static final Member<Instant> CREATED_AT =
      Member.required("createdAt", Type.TIME, "when it was minted");
  private static final Member<Instant> EXPIRES_AT =
      Member.optional("expiresAt", Type.TIME, "from when on it opens nothing");
  private static final Member<String> SECRET =
      Member.required("token", Type.TEXT, "the secret: this is the only time it is shown");

  private static final List<Member<?>> TOKEN_MEMBERS =
      List.of(
          ID, SCOPE, DESCENDANTS, SUBJECT, GROUPS, SERVICE_ID, FLAG_SET, CREATED_AT, EXPIRES_AT);

  static final Shape<TokenRequest> REQUEST =
      Shape.in(
          "TokenRequest",
          List.of(SCOPE, DESCENDANTS, SUBJECT, GROUPS, SERVICE_ID, FLAG_SET, TTL_SECONDS),
          TokenShapes::request);

  static final Shape<Token> TOKEN = Shape.out("Token", TOKEN_MEMBERS, TokenShapes::write);

  static final Shape<MintAnswer> MINTED =
      Shape.out(
          "MintedToken",
          concat(TOKEN_MEMBERS, SECRET, WriteReceipt.REVISION),
          (minted, out) -> {
            write(minted.token, out);
            out.put(SECRET, minted.secret);
            out.put(WriteReceipt.REVISION, minted.revision);
          });

  private TokenShapes() {}

  /// A token and the one sight of its secret.
  record MintAnswer(Token token, String secret, String revision) {
    /// Without the secret: a record's text ends up in logs.
    @Override
    public String toString() {
      return "Minted[token=" + token + "]";
    }
  }

  static JsonNode example() {
    ObjectNode example = JsonNodeFactory.instance.objectNode();
    example.put("scope", "tenant:acme").put("subject", "alice").put("ttlSeconds", 3600);
    example.putObject("flags").put("admin", true);
    return example;
  }

  private static Member<Boolean> flag(Flag flag, String description) {
    return Member.optional(flag.text(), Type.BOOLEAN, description);
  }

  private static Set<Flag> flags(RequestObject given) {
    Set<Flag> flags = EnumSet.noneOf(Flag.class);
    FLAG_MEMBERS.forEach(
        (flag, member) -> {
          if (given.find(member).orElse(false)) {
            flags.add(flag);
          }
        });
    return flags;
  }

  private static TokenRequest request(RequestObject given) {
    return new TokenRequest(
        given.get(SCOPE),
        given.find(DESCENDANTS).orElse(false),
        given.find(SUBJECT),
        new TreeSet<>(given.find(GROUPS).orElse(List.of())),
        given.find(SERVICE_ID),
        given.find(FLAG_SET).orElse(Set.of()),
        given.find(TTL_SECONDS).map(Duration::ofSeconds));
  }

  private static void write(Token token, AnswerObject out) {
    out.put(ID, token.id())
        .put(SCOPE, token.scope())
        .put(DESCENDANTS, token.descendants())
        .put(SUBJECT, token.subject())
        .put(GROUPS, List.copyOf(token.groups()))
        .put(SERVICE_ID, token.serviceId())
        .put(FLAG_SET, token.flags())
        .put(CREATED_AT, token.createdAt())
        .put(EXPIRES_AT, token.expiresAt());
  }

  private static List<Member<?>> concat(List<Member<?>> members, Member<?>... more) {
    List<Member<?>> all = new ArrayList<>(members);
    all.addAll(List.of(more));
    return all;
  }
}
