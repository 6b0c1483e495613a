package dev.veridex.objects.event;

import dev.veridex.common.KeyWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// A key in a bucket of an object store.
public record ObjectKey(String bucket, String key) {
  private static final String SCHEME = "s3://";
  private static final int MAX_KEY_BYTES = 1024;
  private static final int MAX_BUCKET_BYTES = 63;

  /// What it is called in search: the address of the object.
  public String pk() {
    return SCHEME + bucket + "/" + key;
  }

  /// The key of an address.
  public static Optional<ObjectKey> ofPk(String pk) {
    int slash = pk.indexOf('/', SCHEME.length());
    return pk.startsWith(SCHEME) && slash > SCHEME.length() && slash + 1 < pk.length()
        ? Optional.of(new ObjectKey(pk.substring(SCHEME.length(), slash), pk.substring(slash + 1)))
        : Optional.empty();
  }

  /// The resource whose rights decide who may read the object of an address. What ends in a slash
  /// would be a folder: an object that does is another resource than the folder of that name.
  public static String resource(String pk) {
    return pk.endsWith("/") ? pk.substring(0, pk.length() - 1) + "%2F" : pk;
  }

  /// What is wrong with it.
  public Optional<String> violation() {
    if (bucket.isEmpty()
        || bucket.getBytes(StandardCharsets.UTF_8).length > MAX_BUCKET_BYTES
        || bucket.indexOf('/') >= 0
        || !isText(bucket)) {
      return Optional.of("The name of a bucket has 1 to 63 bytes of UTF-8 and no slash.");
    }
    int bytes = key.getBytes(StandardCharsets.UTF_8).length;
    return bytes == 0 || bytes > MAX_KEY_BYTES || !isText(key)
        ? Optional.of("A key has 1 to 1024 bytes of UTF-8 and no NUL.")
        : Optional.empty();
  }

  private static boolean isText(String text) {
    return KeyWriter.isWellFormed(text) && text.indexOf('\0') < 0;
  }
}
