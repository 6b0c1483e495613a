package dev.veridex.quota;

import java.util.EnumMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A limited resource.
public enum Quota {
  BUCKETS(1, "buckets"),
  DOCUMENTS(2, "documents"),
  OBJECTS(3, "objects"),
  ITEMS(4, "items"),
  /// Of values, of all revisions that can be read.
  BYTES(5, "bytes");

  private final int code;
  private final String text;

  Quota(int code, String text) {
    this.code = code;
    this.text = text;
  }

  /// Its mark in stored keys, never given to another.
  int code() {
    return code;
  }

  /// Its name in requests, answers and records.
  public String text() {
    return text;
  }

  /// Writes quotas as a member of a record.
  public static void put(ObjectNode record, String name, Map<Quota, Long> quotas) {
    ObjectNode object = record.putObject(name);
    quotas.forEach((quota, limit) -> object.put(quota.text, limit));
  }

  /// The quotas in a member of a record.
  public static Map<Quota, Long> read(JsonNode record, String name) {
    Map<Quota, Long> quotas = new EnumMap<>(Quota.class);
    for (Quota quota : values()) {
      JsonNode limit = record.path(name).path(quota.text);
      if (!limit.isMissingNode()) {
        quotas.put(quota, limit.asLong());
      }
    }
    return quotas;
  }
}
