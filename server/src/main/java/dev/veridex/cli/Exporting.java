package dev.veridex.cli;

import dev.veridex.http.shape.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// One run of an export: asks for pages of items, fetches each, writes a line for it.
final class Exporting {
  private static final String PAGE = "1000";

  private final Api api;
  private final Address account;
  private final OutputStream out;
  private final Optional<JsonNode> mark;
  private final Terminal terminal;
  private long items;
  private long bytes;
  private long total;

  /// What was written.
  record Counts(long items, long bytes) {}

  private Exporting(
      Api api, Address account, OutputStream out, Optional<JsonNode> mark, Terminal terminal) {
    this.api = api;
    this.account = account;
    this.out = out;
    this.mark = mark;
    this.terminal = terminal;
  }

  /// @param mark the last one in the file, if it was begun before
  static Counts run(Api api, Address account, Path file, Optional<JsonNode> mark, Terminal terminal)
      throws IOException {
    try (OutputStream out =
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      Exporting exporting = new Exporting(api, account, out, mark, terminal);
      exporting.run();
      return new Counts(exporting.items, exporting.bytes);
    }
  }

  private void run() {
    items = mark.map(there -> there.path("items").asLong()).orElse(0L);
    bytes = mark.map(there -> there.path("bytes").asLong()).orElse(0L);
    total = api.get(account.accountPath() + "/usage", Map.of()).path("used").path("items").asLong();
    List<Optional<String>> places = new ArrayList<>(List.of(Optional.empty()));
    Pages.each(
        api,
        account.accountPath() + "/environments",
        new HashMap<>(),
        environment -> places.add(Optional.of(environment.path("name").asString())));
    if (mark.isEmpty()) {
      settings(places);
    }
    for (Optional<String> env : places) {
      Address place = account.in(env);
      Pages.each(
          api,
          place.accountPath() + "/buckets",
          place.query(),
          bucket -> {
            if (bucket.path("type").asString().startsWith("items/")) {
              items(place.at(bucket.path("name").asString()));
            }
          });
    }
    write(Transfer.line("end").put("items", items));
  }

  private void settings(List<Optional<String>> places) {
    write(
        Transfer.line("export").put("version", Transfer.VERSION).put("account", account.account()));
    JsonNode found = api.get(account.accountPath(), Map.of());
    ObjectNode line = Transfer.line("account");
    line.set(
        "settings",
        only(found, List.of("description", "owner", "acl", "bucketCreators", "quotas")));
    write(line);
    for (Optional<String> env : places) {
      env.ifPresent(name -> write(Transfer.line("environment").put("name", name)));
      Address place = account.in(env);
      Pages.each(
          api,
          place.accountPath() + "/services",
          place.query(),
          service -> {
            ObjectNode registered = Transfer.in(env, Transfer.line("service"));
            registered.setAll(only(service, List.of("id", "description")));
            write(registered);
          });
      Pages.each(
          api,
          place.accountPath() + "/buckets",
          place.query(),
          bucket -> {
            ObjectNode made = Transfer.in(env, Transfer.line("bucket"));
            made.put("name", bucket.path("name").asString());
            made.set(
                "settings",
                only(
                    bucket,
                    List.of(
                        "type",
                        "acl",
                        "ttl",
                        "owner",
                        "quotas",
                        "replication",
                        "placement",
                        "settings")));
            write(made);
          });
    }
  }

  private static ObjectNode only(JsonNode from, List<String> members) {
    ObjectNode some = JsonNodeFactory.instance.objectNode();
    members.forEach(
        member -> {
          if (from.has(member)) {
            some.set(member, from.get(member));
          }
        });
    return some;
  }

  private void items(Address bucket) {
    Map<String, String> query = bucket.query();
    query.put("limit", PAGE);
    int order = mark.map(there -> compare(bucket, there)).orElse(1);
    if (order < 0) {
      return;
    }
    if (order == 0) {
      JsonNode cursor = mark.orElseThrow().path("cursor");
      if (!cursor.isString()) {
        return;
      }
      query.put("cursor", cursor.asString());
    }
    JsonNode page;
    do {
      page = api.get(bucket.itemsPath(), query);
      List<Callable<Optional<ObjectNode>>> fetches = new ArrayList<>();
      page.path("items").forEach(item -> fetches.add(() -> item(bucket, item)));
      Transfer.together(fetches).forEach(line -> line.ifPresent(this::write));
      ObjectNode here = Transfer.in(bucket.env(), Transfer.line("mark"));
      here.put("bucket", bucket.bucket().orElseThrow());
      here.set("cursor", page.path("cursor"));
      write(here.put("items", items).put("bytes", bytes));
      terminal.progress("exporting %s %,d items".formatted(Progress.bar(items, total), items));
      query.put("cursor", page.path("cursor").asString(""));
    } while (page.path("cursor").isString());
  }

  /// Where a bucket stands in the order of the export, compared with the last mark.
  private static int compare(Address bucket, JsonNode mark) {
    int env = bucket.env().orElse("").compareTo(Transfer.env(mark).orElse(""));
    return env != 0 ? env : bucket.bucket().orElseThrow().compareTo(mark.path("bucket").asString());
  }

  /// An item as it is now; nothing if it went in the meantime.
  private Optional<ObjectNode> item(Address bucket, JsonNode listed) {
    String key = listed.path("key").asString();
    HttpResponse<byte[]> found;
    try {
      found = api.getBytes(bucket.itemPath(key), bucket.query());
    } catch (CommandFailure e) {
      if (e.code().equals("NOT_FOUND")) {
        return Optional.empty();
      }
      throw e;
    }
    ObjectNode line = Transfer.in(bucket.env(), Transfer.line("item"));
    line.put("bucket", bucket.bucket().orElseThrow()).put("key", key);
    found.headers().firstValue("Content-Type").ifPresent(type -> line.put("contentType", type));
    ObjectNode headers = line.putObject("headers");
    found
        .headers()
        .map()
        .forEach(
            (name, values) -> {
              if (name.toLowerCase(Locale.ROOT).startsWith("x-store-")) {
                headers.put(name, values.getFirst());
              }
            });
    found.headers().firstValue("Veridex-Expires-At").ifPresent(end -> line.put("expiresAt", end));
    line.put("value", Base64.getEncoder().encodeToString(found.body()));
    return Optional.of(line);
  }

  private void write(ObjectNode line) {
    if (line.path("kind").asString().equals("item")) {
      items++;
      String value = line.path("value").asString();
      bytes += value.length() / 4 * 3 - (value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0);
    }
    try {
      byte[] text = JsonText.write(line);
      byte[] whole = Arrays.copyOf(text, text.length + 1);
      whole[text.length] = '\n';
      out.write(whole);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
