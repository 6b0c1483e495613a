package dev.veridex.cli.client;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.ParseResult;

/// The target of a command, as people write it: `acme`, `acme/pages`, `acme/pages/a/key`.
///
/// @param rest the key of an item, or what keys begin with; it may hold slashes
public record BucketPath(
    String account, Optional<String> bucket, Optional<String> rest, Optional<String> env) {

  public static BucketPath of(ParseResult arguments) {
    String[] parts = arguments.matchedPositionalValue(0, "").split("/", 3);
    return new BucketPath(
        parts[0],
        parts.length > 1 ? Optional.of(parts[1]).filter(name -> !name.isEmpty()) : Optional.empty(),
        parts.length > 2 ? Optional.of(parts[2]) : Optional.empty(),
        Optional.ofNullable(arguments.matchedOptionValue("--env", (String) null)));
  }

  BucketPath in(Optional<String> otherEnv) {
    return new BucketPath(account, bucket, rest, otherEnv);
  }

  BucketPath at(String otherBucket) {
    return new BucketPath(account, Optional.of(otherBucket), Optional.empty(), env);
  }

  public String accountPath() {
    return "/v1/accounts/" + ApiClient.segment(account);
  }

  public String bucketPath() {
    String name =
        bucket.orElseThrow(
            () -> new CommandFailure(ExitCode.USAGE, "name a bucket as ACCOUNT/BUCKET"));
    return accountPath() + "/buckets/" + ApiClient.segment(name);
  }

  public String itemsPath() {
    return bucketPath() + "/items";
  }

  public String itemPath() {
    String key =
        rest.filter(text -> !text.isEmpty())
            .orElseThrow(
                () -> new CommandFailure(ExitCode.USAGE, "name an item as ACCOUNT/BUCKET/KEY"));
    return itemPath(key);
  }

  String itemPath(String key) {
    return itemsPath() + "/" + ApiClient.segment(key);
  }

  /// The parameters of a request about it.
  public Map<String, String> query() {
    Map<String, String> query = new HashMap<>();
    env.ifPresent(name -> query.put("env", name));
    return query;
  }

  public String text() {
    return account
        + bucket.map(name -> "/" + name).orElse("")
        + rest.map(key -> "/" + key).orElse("")
        + env.map(name -> " in " + name).orElse("");
  }
}
