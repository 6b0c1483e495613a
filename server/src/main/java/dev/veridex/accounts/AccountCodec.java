package dev.veridex.accounts;

import dev.veridex.accounts.Account.Quota;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The stored form of an account.
final class AccountCodec {
  private AccountCodec() {}

  static byte[] encode(Account account) {
    ObjectNode object = Json.object();
    object.put("incarnation", account.incarnation());
    object.put("version", account.version());
    Json.put(object, "description", account.description());
    Json.put(object, "owner", account.owner());
    ObjectNode quotas = object.putObject("quotas");
    account.quotas().forEach((quota, limit) -> quotas.put(quota.text(), limit));
    object.put("createdAt", account.createdAt().toString());
    return Json.bytes(object);
  }

  static Account decode(String name, byte[] bytes) {
    JsonNode object = Json.read(bytes);
    Map<Quota, Long> quotas = new EnumMap<>(Quota.class);
    for (Quota quota : Quota.values()) {
      JsonNode limit = object.path("quotas").path(quota.text());
      if (!limit.isMissingNode()) {
        quotas.put(quota, limit.asLong());
      }
    }
    return new Account(
        name,
        object.get("incarnation").asLong(),
        object.get("version").asLong(),
        Json.text(object, "description"),
        Json.text(object, "owner"),
        quotas,
        Instant.parse(object.get("createdAt").asString()));
  }
}
