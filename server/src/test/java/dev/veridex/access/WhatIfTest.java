package dev.veridex.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.RightsDifferences;
import dev.veridex.access.check.RightsDifferences.ClassChange;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
import dev.veridex.grants.GivenGrants;
import dev.veridex.identity.Token;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.suite.Campaign;
import dev.veridex.tenancy.Account;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// What would change, against what does change when it is stated.
final class WhatIfTest {
  private static final Namespace ACME = new Namespace("acme", Optional.empty());

  @Test
  @Tag("campaign")
  void tryingTellsWhatStatingDoes() {
    Campaign.ACCESS_WHATIF.forEach(WhatIfTest::compare);
  }

  private static void compare(long seed) {
    Random random = new Random(seed);
    Worlds made = new Worlds(random);
    MutableClock clock = MutableClock.daysAgo(0);
    try (Store store =
        new MemoryStore(new MemoryDisk(random), clock, Duration.ofHours(1), Duration.ofDays(8))) {
      Domain domain =
          Domain.on(
              store,
              new Domain.Parts(
                  random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
      Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
      domain
          .tenancy()
          .accounts()
          .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
      List<JsonNode> all = made.messages(40);
      int known = random.nextInt(38);
      int tried = random.nextInt(known + 1, Math.min(40, known + 5));
      AccessModel before = new AccessModel();
      AccessModel after = new AccessModel();
      all.subList(0, known).forEach(before::apply);
      all.subList(0, tried).forEach(after::apply);
      if (known > 0) {
        domain.access().index().put(root, ACME, inputs(all.subList(0, known)));
      }
      GivenGrants grants = new GivenGrants(ACME.scope());
      grants.state(all);
      for (int i = random.nextInt(8); i > 0; i--) {
        grants.step(random, made, domain, root, clock.instant());
      }
      if (random.nextBoolean()) {
        clock.advance(Duration.ofSeconds(random.nextInt(600)));
      }
      Revision revision = store.revision();
      Optional<String> bucket =
          random.nextInt(3) == 0 ? Optional.of(Worlds.BUCKET) : Optional.empty();
      WhatIf.Outcome outcome =
          domain
              .access()
              .whatIf()
              .tried(
                  ACME, inputs(all.subList(known, tried)), bucket, new AsOf.Now(Optional.empty()))
              .value();
      assertThat(store.revision()).as("nothing is written").isEqualTo(revision);
      Expected expected = new Expected(made, before, after, grants, clock.instant(), bucket);
      expected.compare(outcome.differences());
      assertThat(outcome.results())
          .as("as it will be")
          .isEqualTo(
              domain.access().index().put(root, ACME, inputs(all.subList(known, tried))).results());
    }
  }

  private static List<MessageInput> inputs(List<JsonNode> messages) {
    return messages.stream().map(MessageInput::of).toList();
  }

  /// The differences between two models, pair by pair.
  private record Expected(
      Worlds made,
      AccessModel before,
      AccessModel after,
      GivenGrants grants,
      Instant now,
      Optional<String> bucket) {

    private void compare(RightsDifferences found) {
      long[] appear = new long[4];
      long[] vanish = new long[4];
      for (String resource : made.everybody()) {
        if (before.bearsRecord(resource)
            || after.bearsRecord(resource)
            || grants.bearsGrant(resource, now)) {
          for (String subject : made.everybody()) {
            int was = rights(before, subject, resource);
            int willBe = rights(after, subject, resource);
            for (int right = 0; right < 4; right++) {
              appear[right] += willBe >> right & ~was >> right & 1;
              vanish[right] += was >> right & ~willBe >> right & 1;
            }
          }
        }
      }
      assertThat(found.complete()).isTrue();
      assertThat(found.appear()).isEqualTo(list(appear));
      assertThat(found.vanish()).isEqualTo(list(vanish));
      long others = 0;
      for (ClassChange each : found.classes()) {
        String resource = each.resource().isEmpty() ? "never seen" : each.resource();
        int was = rights(before, each.subject(), resource);
        int willBe = rights(after, each.subject(), resource);
        assertThat(each.appears()).as("%s", each).isEqualTo(willBe & ~was);
        assertThat(each.vanishes()).as("%s", each).isEqualTo(was & ~willBe);
        others += each.resource().isEmpty() ? each.subjects() : 0;
      }
      long expected =
          made.everybody().stream()
              .filter(
                  subject ->
                      rights(before, subject, "never seen") != rights(after, subject, "never seen"))
              .count();
      assertThat(others).as("who has other rights on everything else").isEqualTo(expected);
    }

    private static List<Long> list(long[] counts) {
      List<Long> list = new ArrayList<>();
      for (long count : counts) {
        list.add(count);
      }
      return list;
    }

    private int rights(AccessModel model, String subject, String resource) {
      CheckRequest question = CheckRequest.of(subject, resource, Optional.empty(), bucket);
      return model.rights(
          subject,
          resource,
          question.filter(),
          question.implicit(),
          grants.approved(subject, resource, now),
          grants.related(now));
    }
  }
}
