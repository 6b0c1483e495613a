package dev.veridex.buckets;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The type of a bucket and the version of its layout, as `items/1`.
public record BucketType(String name, int version) {
  private static final Pattern TEXT = Pattern.compile("([a-z]{1,32})/([1-9]\\d{0,8})");

  public String text() {
    return name + "/" + version;
  }

  static Optional<BucketType> parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    return matcher.matches()
        ? Optional.of(new BucketType(matcher.group(1), Integer.parseInt(matcher.group(2))))
        : Optional.empty();
  }
}
