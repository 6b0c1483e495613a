package dev.veridex.cli.client;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// A run of an import: it makes what is missing, and stores items.
public final class AccountImporter {
  private final ApiClient api;
  private final BucketPath account;
  private final InstantSource clock = InstantSource.system();
  private final AtomicLong stored = new AtomicLong();
  private final AtomicLong expired = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();

  public AccountImporter(ApiClient api, BucketPath account) {
    this.api = api;
    this.account = account;
  }

  public BucketPath account() {
    return account;
  }

  public long stored() {
    return stored.get();
  }

  public long expired() {
    return expired.get();
  }

  /// How many had so little of their life left that their bucket did not take them.
  public long refused() {
    return refused.get();
  }

  /// Makes what a line tells of, unless it is there.
  public void make(JsonNode line) {
    BucketPath namespace = account.in(ExportFile.env(line));
    switch (line.path("kind").asString()) {
      case "export", "mark", "end" -> {}
      case "account" -> makeUnlessThere(namespace.accountPath(), Map.of(), line.path("settings"));
      case "environment" ->
          api.put(
              account.accountPath()
                  + "/environments/"
                  + ApiClient.segment(line.path("name").asString()),
              Map.of(),
              JsonNodeFactory.instance.objectNode());
      case "service" -> {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (line.has("description")) {
          body.set("description", line.get("description"));
        }
        api.put(
            namespace.accountPath() + "/services/" + ApiClient.segment(line.path("id").asString()),
            namespace.query(),
            body);
      }
      case "bucket" ->
          makeUnlessThere(
              namespace.at(line.path("name").asString()).bucketPath(),
              namespace.query(),
              line.path("settings"));
      default ->
          throw new CommandFailure(
              ExitCode.USAGE, "an unknown kind of line: " + line.path("kind").asString());
    }
  }

  private void makeUnlessThere(String path, Map<String, String> query, JsonNode body) {
    try {
      api.get(path, query);
    } catch (CommandFailure e) {
      if (!e.code().equals("NOT_FOUND")) {
        throw e;
      }
      api.put(path, query, body);
    }
  }

  /// Stores items.
  ///
  /// @param again whether they may have been stored before: those that are the same stay as they
  ///   are
  public void store(List<JsonNode> lines, boolean again) {
    List<ExportFile.Work<AtomicLong>> work = new ArrayList<>();
    lines.forEach(
        line ->
            work.add(
                new ExportFile.Work<>(
                    line.path("value").asString().length(), () -> store(line, again))));
    ExportFile.inOrder(work, AtomicLong::incrementAndGet);
  }

  /// @return what it counts for
  private AtomicLong store(JsonNode line, boolean again) {
    BucketPath bucket = account.in(ExportFile.env(line)).at(line.path("bucket").asString());
    String path = bucket.itemPath(line.path("key").asString());
    byte[] value = Base64.getDecoder().decode(line.path("value").asString());
    Map<String, String> query = bucket.query();
    if (again && isThere(path, query, line, value)) {
      return stored;
    }
    Optional<Duration> life =
        Optional.ofNullable(line.get("expiresAt"))
            .map(end -> Duration.between(clock.instant(), Instant.parse(end.asString())));
    if (life.filter(left -> left.toSeconds() < 1).isPresent()) {
      return expired;
    }
    life.ifPresent(left -> query.put("ttl", String.valueOf(left.toSeconds())));
    try {
      api.putBytes(path, query, headers(line), value);
      return stored;
    } catch (CommandFailure e) {
      // So short a life as is left to it may not be one that the bucket allows.
      if (e.code().equals("INVALID_TTL") && life.isPresent()) {
        return refused;
      }
      throw e;
    }
  }

  /// What the account is: another one of the same name has none of what was stored before.
  public String identity() {
    try {
      return api.url()
          + " "
          + account.account()
          + " "
          + api.get(account.accountPath(), Map.of()).path("createdAt").asString();
    } catch (CommandFailure e) {
      if (e.code().equals("NOT_FOUND") || e.code().equals("GONE")) {
        return "";
      }
      throw e;
    }
  }

  private static List<String> headers(JsonNode line) {
    List<String> headers = new ArrayList<>();
    if (line.has("contentType")) {
      headers.addAll(List.of("Content-Type", line.get("contentType").asString()));
    }
    line.path("headers")
        .properties()
        .forEach(header -> headers.addAll(List.of(header.getKey(), header.getValue().asString())));
    return headers;
  }

  private boolean isThere(String path, Map<String, String> query, JsonNode line, byte[] value) {
    try {
      HttpResponse<byte[]> there = api.getBytes(path, query);
      List<String> wanted = headers(line);
      boolean same = Arrays.equals(there.body(), value);
      for (int i = 0; i < wanted.size(); i += 2) {
        same &= there.headers().firstValue(wanted.get(i)).equals(Optional.of(wanted.get(i + 1)));
      }
      return same;
    } catch (CommandFailure e) {
      if (e.code().equals("NOT_FOUND")) {
        return false;
      }
      throw e;
    }
  }
}
