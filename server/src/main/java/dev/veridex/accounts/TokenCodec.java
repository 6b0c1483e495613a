package dev.veridex.accounts;

import dev.veridex.accounts.Token.Flag;
import dev.veridex.common.Scope;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The stored form of a token.
final class TokenCodec {
  private TokenCodec() {}

  static byte[] encode(Token token) {
    ObjectNode object = Json.object();
    object.put("id", token.id());
    object.put("scope", token.scope().text());
    object.put("incarnation", token.incarnation());
    object.put("descendants", token.descendants());
    Json.put(object, "subject", token.subject());
    Json.put(object, "groups", token.groups());
    Json.put(object, "serviceId", token.serviceId());
    Json.put(object, "flags", token.flags().stream().map(Flag::text).sorted().toList());
    object.put("createdAt", token.createdAt().toString());
    Json.putTime(object, "expiresAt", token.expiresAt());
    return Json.bytes(object);
  }

  static Token decode(byte[] bytes) {
    JsonNode object = Json.read(bytes);
    Set<Flag> flags = EnumSet.noneOf(Flag.class);
    Json.texts(object, "flags").forEach(text -> Flag.of(text).ifPresent(flags::add));
    return new Token(
        object.get("id").asString(),
        Scope.parse(object.get("scope").asString()),
        object.get("incarnation").asLong(),
        object.get("descendants").asBoolean(),
        Json.text(object, "subject"),
        new TreeSet<>(Json.texts(object, "groups")),
        Json.text(object, "serviceId"),
        flags,
        Instant.parse(object.get("createdAt").asString()),
        Json.time(object, "expiresAt"));
  }
}
