package dev.veridex.identity;

import dev.veridex.common.Scope;
import dev.veridex.identity.Token.Flag;
import dev.veridex.records.JsonRecord;
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
    ObjectNode object = JsonRecord.object();
    object.put("id", token.id());
    object.put("scope", token.scope().text());
    object.put("incarnation", token.incarnation());
    object.put("descendants", token.descendants());
    JsonRecord.put(object, "subject", token.subject());
    JsonRecord.put(object, "groups", token.groups());
    JsonRecord.put(object, "serviceId", token.serviceId());
    JsonRecord.put(object, "flags", token.flags().stream().map(Flag::text).sorted().toList());
    object.put("createdAt", token.createdAt().toString());
    JsonRecord.putTime(object, "expiresAt", token.expiresAt());
    return JsonRecord.bytes(object);
  }

  static Token decode(byte[] bytes) {
    JsonNode object = JsonRecord.read(bytes);
    Set<Flag> flags = EnumSet.noneOf(Flag.class);
    JsonRecord.texts(object, "flags").forEach(text -> Flag.of(text).ifPresent(flags::add));
    return new Token(
        object.get("id").asString(),
        Scope.parse(object.get("scope").asString()),
        object.get("incarnation").asLong(),
        object.get("descendants").asBoolean(),
        JsonRecord.text(object, "subject"),
        new TreeSet<>(JsonRecord.texts(object, "groups")),
        JsonRecord.text(object, "serviceId"),
        flags,
        Instant.parse(object.get("createdAt").asString()),
        JsonRecord.time(object, "expiresAt"));
  }
}
