package dev.veridex.cli.client;

import dev.veridex.cli.output.Progress;
import dev.veridex.cli.output.Terminal;
import dev.veridex.json.JsonText;
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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// A run of an export: it pages through items, fetches each, and writes a line for it.
public final class AccountExporter {
  private static final String PAGE = "1000";
  private static final List<String> SETTINGS =
      List.of("type", "acl", "ttl", "owner", "quotas", "replication", "placement", "settings");

  private final ApiClient api;
  private final BucketPath account;
  private final OutputStream out;
  private final Optional<JsonNode> mark;
  private final Terminal terminal;
  private long items;
  private long bytes;
  private long total;

  /// The number of buckets and items that were written.
  public record Counts(long items, long bytes) {}

  private AccountExporter(
      ApiClient api,
      BucketPath account,
      OutputStream out,
      Optional<JsonNode> mark,
      Terminal terminal) {
    this.api = api;
    this.account = account;
    this.out = out;
    this.mark = mark;
    this.terminal = terminal;
  }

  /// What the first line says.
  public static ObjectNode head(ApiClient api, BucketPath account) {
    return ExportFile.line("export")
        .put("version", ExportFile.VERSION)
        .put("account", account.account())
        .put("createdAt", api.get(account.accountPath(), Map.of()).path("createdAt").asString())
        .put("server", api.url());
  }

  /// Writes what an account holds as lines.
  ///
  /// @param mark the last one in the file, if it was begun before
  public static Counts run(
      ApiClient api,
      BucketPath account,
      ObjectNode head,
      Path file,
      Optional<JsonNode> mark,
      Terminal terminal)
      throws IOException {
    try (OutputStream out =
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      AccountExporter exporting = new AccountExporter(api, account, out, mark, terminal);
      exporting.run(head);
      return new Counts(exporting.items, exporting.bytes);
    }
  }

  private void run(ObjectNode head) {
    items = mark.map(there -> there.path("items").asLong()).orElse(0L);
    bytes = mark.map(there -> there.path("bytes").asLong()).orElse(0L);
    total = api.get(account.accountPath() + "/usage", Map.of()).path("used").path("items").asLong();
    if (mark.isEmpty()) {
      write(head);
      ObjectNode line = ExportFile.line("account");
      line.set(
          "settings",
          only(
              api.get(account.accountPath(), Map.of()),
              List.of("description", "owner", "acl", "bucketCreators", "quotas")));
      write(line);
    }
    namespace(Optional.empty());
    PageWalker.each(
        api,
        account.accountPath() + "/environments",
        new HashMap<>(),
        environment -> namespace(Optional.of(environment.path("name").asString())));
    write(ExportFile.line("end").put("items", items));
  }

  /// Writes the account itself or an environment: services, then bucket after bucket, each before
  /// what is in it.
  private void namespace(Optional<String> env) {
    BucketPath namespace = account.in(env);
    int order =
        mark.map(there -> env.orElse("").compareTo(ExportFile.env(there).orElse(""))).orElse(1);
    if (order < 0) {
      return;
    }
    if (order > 0) {
      env.ifPresent(name -> write(ExportFile.line("environment").put("name", name)));
      PageWalker.each(
          api,
          namespace.accountPath() + "/services",
          namespace.query(),
          service -> {
            ObjectNode registered = ExportFile.in(env, ExportFile.line("service"));
            registered.setAll(only(service, List.of("id", "description")));
            write(registered);
          });
    }
    PageWalker.each(
        api,
        namespace.accountPath() + "/buckets",
        namespace.query(),
        bucket -> bucket(namespace, bucket));
  }

  private void bucket(BucketPath namespace, JsonNode bucket) {
    BucketPath address = namespace.at(bucket.path("name").asString());
    int order = mark.map(there -> compare(address, there)).orElse(1);
    if (order > 0) {
      ObjectNode made = ExportFile.in(namespace.env(), ExportFile.line("bucket"));
      made.put("name", bucket.path("name").asString());
      made.set("settings", only(bucket, SETTINGS));
      write(made);
    }
    if (order >= 0 && bucket.path("type").asString().startsWith("items/")) {
      items(address, order == 0);
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

  /// @param begun whether the last mark is in this bucket
  private void items(BucketPath bucket, boolean begun) {
    Map<String, String> query = bucket.query();
    query.put("limit", PAGE);
    if (begun) {
      JsonNode cursor = mark.orElseThrow().path("cursor");
      if (!cursor.isString()) {
        return;
      }
      query.put("cursor", cursor.asString());
    }
    JsonNode page;
    do {
      page = api.get(bucket.itemsPath(), query);
      List<ExportFile.Work<Optional<ObjectNode>>> fetches = new ArrayList<>();
      page.path("items")
          .forEach(
              item ->
                  fetches.add(
                      new ExportFile.Work<>(
                          item.path("bytes").asLong(), () -> item(bucket, item))));
      ExportFile.inOrder(
          fetches,
          line -> {
            line.ifPresent(this::write);
            terminal.progress(
                "exporting %s %,d items".formatted(Progress.bar(items, total), items));
          });
      ObjectNode here = ExportFile.in(bucket.env(), ExportFile.line("mark"));
      here.put("bucket", bucket.bucket().orElseThrow());
      here.set("cursor", page.path("cursor"));
      write(here.put("items", items).put("bytes", bytes));
      query.put("cursor", page.path("cursor").asString(""));
    } while (page.path("cursor").isString());
  }

  /// Where a bucket stands in the order of the export, compared with the last mark.
  private static int compare(BucketPath bucket, JsonNode mark) {
    int env = bucket.env().orElse("").compareTo(ExportFile.env(mark).orElse(""));
    return env != 0 ? env : bucket.bucket().orElseThrow().compareTo(mark.path("bucket").asString());
  }

  /// An item as it is now; nothing if it went in the meantime.
  private Optional<ObjectNode> item(BucketPath bucket, JsonNode listed) {
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
    ObjectNode line = ExportFile.in(bucket.env(), ExportFile.line("item"));
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
