package dev.veridex.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.TestDomain;
import dev.veridex.access.RightsLists.ListRequest;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.RightsPage;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.access.statement.Rights;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.buckets.Retention;
import dev.veridex.common.Utf8Order;
import dev.veridex.identity.Caller;
import dev.veridex.items.Items;
import dev.veridex.suite.Campaign;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// What is stored in buckets is among the resources of lists: they name exactly those items and
/// those ids with records that pass the check.
final class ItemListsTest {
  private static final List<String> PREFIXES =
      List.of("", "d", "p:", "\uE000", "s3:", "\uD83D\uDE00");
  private static final List<String> KEYS =
      List.of("1", "2", "3", "4", "a", "\uFF5E", "\uD83D\uDE00", "//x/y", "u1");

  @Test
  @Tag("campaign")
  void everyPageAgreesWithTheCheck() {
    Campaign.ACCESS_ITEMS.forEach(
        seed -> {
          try (TestDomain world = TestDomain.inMemory()) {
            new World(world, new Random(seed)).run();
          }
        });
  }

  private static final class World {
    private final TestDomain world;
    private final Random random;
    private final Worlds made;
    private final Caller root;
    private final AccessModel model = new AccessModel();
    private final Map<String, NavigableSet<String>> stored = new TreeMap<>();

    private World(TestDomain world, Random random) {
      this.world = world;
      this.random = random;
      this.made = new Worlds(random);
      this.root = Caller.of(world.root());
    }

    void run() {
      for (int b = random.nextInt(1, 14); b > 0; b--) {
        bucket(b == 1 ? Worlds.BUCKET : "b" + b);
      }
      List<JsonNode> messages = made.messages(25);
      messages.forEach(model::apply);
      world
          .domain()
          .access()
          .index()
          .put(world.root(), TestDomain.ACME, messages.stream().map(MessageInput::of).toList());
      for (AsOf moment : List.of(AsOf.now(), new AsOf.AtRevision(world.store().revision()))) {
        for (String subject : made.subjects()) {
          list(subject, Optional.empty(), moment);
          list(subject, Optional.of(Worlds.BUCKET), moment);
          list(subject, Optional.of("missing"), moment);
        }
      }
    }

    private void bucket(String name) {
      boolean counts = random.nextInt(4) > 0;
      String prefix = PREFIXES.get(random.nextInt(PREFIXES.size()));
      // A prefix may be changed when items are there.
      settle(name, counts, "");
      NavigableSet<String> ids = new TreeSet<>(Utf8Order.INSTANCE);
      for (String key : KEYS) {
        if (random.nextInt(3) > 0) {
          Items.Request request =
              new Items.Request(
                  new ActingCaller(root, Optional.empty()), TestDomain.ACME, name, key);
          Items.Content content =
              new Items.Content("text/plain", new TreeMap<>(), new byte[1], Optional.empty());
          world.domain().items().items().put(request, content, Items.Conditions.NONE);
          if (random.nextInt(5) == 0) {
            world.domain().items().items().delete(request, Items.Conditions.NONE);
          } else if (counts && !(prefix + key).startsWith("s3://")) {
            ids.add(prefix + key);
          }
        }
      }
      settle(name, counts, prefix);
      stored.put(name, ids);
    }

    private void settle(String name, boolean itemAccess, String prefix) {
      Bucket.Definition wanted =
          new Bucket.Definition(
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Map.of(),
              Optional.empty(),
              Bucket.Placement.SHARED,
              new ItemSettings(itemAccess, prefix, new Retention.All()));
      world
          .domain()
          .buckets()
          .buckets()
          .put(root, TestDomain.ACME, name, "items/1", wanted, Optional.empty(), Optional.empty());
    }

    private void list(String subject, Optional<String> bucket, AsOf moment) {
      NavigableSet<String> tried = new TreeSet<>(Utf8Order.INSTANCE);
      stored.forEach(
          (name, ids) -> {
            if (bucket.filter(one -> !one.equals(name)).isEmpty()) {
              tried.addAll(ids);
            }
          });
      List<String> expected = new ArrayList<>();
      for (String resource : made.resources()) {
        if (model.bearsRecord(resource)) {
          tried.add(resource);
        }
      }
      for (String id : tried) {
        if (reads(subject, id, bucket, moment)) {
          expected.add(id);
        }
      }
      assertThat(pages(new ListRequest(subject, Rights.READ, bucket, moment, true)))
          .as("what %s reads in %s at %s", subject, bucket, moment)
          .containsExactlyElementsOf(expected);
    }

    private boolean reads(String subject, String id, Optional<String> bucket, AsOf moment) {
      CheckRequest question = CheckRequest.of(subject, id, Optional.empty(), bucket);
      int rights =
          world
              .domain()
              .access()
              .checker()
              .check(
                  root, TestDomain.ACME, List.of(new RightsChecker.Query(question, false)), moment)
              .value()
              .getFirst()
              .rights();
      return (rights & Rights.READ) != 0;
    }

    private List<String> pages(ListRequest wanted) {
      List<String> found = new ArrayList<>();
      Optional<String> after = Optional.of("");
      while (after.isPresent()) {
        RightsPage part =
            world
                .domain()
                .access()
                .lists()
                .resources(root, TestDomain.ACME, wanted, after.get(), random.nextInt(1, 9))
                .value();
        found.addAll(part.ids());
        after = part.next();
      }
      return found;
    }
  }
}
