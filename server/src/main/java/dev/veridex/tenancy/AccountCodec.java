package dev.veridex.tenancy;

import dev.veridex.acl.Acl;
import dev.veridex.acl.AclCodec;
import dev.veridex.quota.Quota;
import dev.veridex.records.JsonRecord;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The stored form of an account.
final class AccountCodec {
  private static final String ACL = "acl";
  private static final String CREATORS = "bucketCreators";
  private static final String QUOTAS = "quotas";

  private AccountCodec() {}

  static byte[] encode(Account account) {
    Account.Definition wanted = account.wanted();
    ObjectNode object = JsonRecord.object();
    object.put("incarnation", account.incarnation());
    object.put("version", account.version());
    JsonRecord.put(object, "description", wanted.description());
    JsonRecord.put(object, "owner", wanted.owner());
    AclCodec.put(object, ACL, wanted.acl());
    wanted.creators().ifPresent(creators -> put(object.putObject(CREATORS), creators));
    Quota.put(object, QUOTAS, wanted.quotas());
    object.put("createdAt", account.createdAt().toString());
    return JsonRecord.bytes(object);
  }

  private static void put(ObjectNode object, BucketCreators creators) {
    creators
        .everyType()
        .ifPresent(list -> AclCodec.put(object.putArray(BucketCreators.EVERY_TYPE), list));
    creators.byType().forEach((type, list) -> AclCodec.put(object.putArray(type), list));
  }

  static Account decode(String name, byte[] bytes) {
    JsonNode object = JsonRecord.read(bytes);
    return new Account(
        name,
        object.get("incarnation").asLong(),
        object.get("version").asLong(),
        new Account.Definition(
            JsonRecord.text(object, "description"),
            JsonRecord.text(object, "owner"),
            AclCodec.read(object, ACL),
            Optional.ofNullable(object.get(CREATORS)).map(AccountCodec::creators),
            Quota.read(object, QUOTAS)),
        Instant.parse(object.get("createdAt").asString()));
  }

  private static BucketCreators creators(JsonNode object) {
    Map<String, List<Acl.Entry>> byType = new TreeMap<>();
    object
        .properties()
        .forEach(type -> byType.put(type.getKey(), AclCodec.entries(type.getValue())));
    return new BucketCreators(
        Optional.ofNullable(byType.remove(BucketCreators.EVERY_TYPE)), byType);
  }
}
