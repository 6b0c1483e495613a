package dev.veridex.buckets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Namespace;
import dev.veridex.common.Vectors;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class StorageNameTest {
  private static String full(Namespace namespace, String bucket, int version, long number) {
    return name(namespace, bucket, version, number).full();
  }

  private static StorageName name(Namespace namespace, String bucket, int version, long number) {
    Bucket.Side side = new Bucket.Side(new BucketType("items", version), number);
    return StorageName.of(
        new Bucket(
            namespace,
            bucket,
            0,
            1,
            side,
            Bucket.Definition.PLAIN,
            Optional.empty(),
            Instant.EPOCH),
        side);
  }

  @Test
  void keyspacesHaveTheirNames() {
    int compared = 0;
    for (Map.Entry<String, JsonNode> keyspace :
        Vectors.read("names.json").get("keyspaces").properties()) {
      String[] parts = keyspace.getKey().substring(1).split("_", 2);
      StorageName name = name(new Namespace(parts[0], Optional.empty()), parts[1], 1, 0);
      assertThat(name.full()).isEqualTo(keyspace.getKey());
      assertThat(name.keyspace()).isEqualTo(keyspace.getValue().asString());
      assertThat(name.keyspace()).matches("B[A-Za-z0-9_]{27}");
      compared++;
    }
    assertThat(compared).isEqualTo(2);
  }

  @Test
  void whatDiffersHasDifferentNames() {
    Namespace acme = new Namespace("acme", Optional.empty());
    Namespace dev = new Namespace("acme", Optional.of("dev"));
    assertThat(full(acme, "pages", 1, 0)).isEqualTo("Bacme_pages");
    assertThat(full(dev, "pages", 1, 0)).isEqualTo("Bacme_pages@dev");
    assertThat(full(dev, "pages", 2, 0)).isEqualTo("Bacme_pages@dev#2");
    assertThat(full(dev, "pages", 2, 17)).isEqualTo("Bacme_pages@dev#2~17");
    assertThat(full(acme, "a_b", 1, 0)).isEqualTo("Bacme_a_b");
  }
}
