package dev.veridex.items;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.acl.Acl;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.buckets.ResourceRights.Right;
import dev.veridex.buckets.Retention;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Caller;
import dev.veridex.identity.MintResult;
import dev.veridex.identity.Token;
import dev.veridex.identity.Token.Flag;
import dev.veridex.identity.TokenRequest;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.tenancy.Account;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Rights on single items, where a bucket asks for them.
final class ItemAccessTest {
  private static final Namespace ACME = new Namespace("acme", Optional.empty());

  private final MemoryStore store =
      new MemoryStore(
          new MemoryDisk(new Random(1)),
          MutableClock.daysAgo(0),
          Duration.ofHours(1),
          Duration.ofDays(7));
  private final Random random = new Random(2);
  private final Domain domain =
      Domain.on(
          store,
          new Domain.Parts(random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
  private final Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");

  @BeforeEach
  void fill() {
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    Acl.Entry everybody =
        new Acl.Entry(
            Optional.of(new Acl.Condition(Optional.of(List.of("*")), Optional.empty())),
            Optional.empty());
    Map<Acl.Action, List<Acl.Entry>> acl = new EnumMap<>(Acl.Action.class);
    acl.put(Acl.Action.READ, List.of(everybody));
    acl.put(Acl.Action.WRITE, List.of(everybody));
    domain
        .buckets()
        .buckets()
        .put(
            Caller.of(root),
            ACME,
            "pages",
            "items",
            new Bucket.Definition(
                Optional.of(new Acl(acl)),
                Optional.empty(),
                Optional.of("ada"),
                Map.of(),
                Optional.empty(),
                Bucket.Placement.SHARED,
                new ItemSettings(true, "p:", new Retention.All())),
            Optional.empty(),
            Optional.empty());
    put(Caller.of(root), Optional.empty(), "home");
    put(Caller.of(root), Optional.empty(), "hidden");
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Caller mint(Optional<String> subject, Optional<String> service, Flag... flags) {
    TokenRequest request =
        new TokenRequest(
            ACME.scope(),
            false,
            subject,
            new TreeSet<>(),
            service,
            Set.of(flags),
            Optional.empty());
    return Caller.of(((MintResult.Minted) domain.tenancy().tokens().mint(root, request)).token());
  }

  private Items.Request request(Caller caller, Optional<String> as, String key) {
    return new Items.Request(new ActingCaller(caller, as), ACME, "pages", key);
  }

  private String put(Caller caller, Optional<String> as, String key) {
    return outcome(
        () ->
            domain
                .items()
                .items()
                .put(
                    request(caller, as, key),
                    new Items.Content(
                        "text/plain", new TreeMap<>(), "x".getBytes(UTF_8), Optional.empty()),
                    Items.Conditions.NONE));
  }

  private String read(Caller caller, Optional<String> as, String key) {
    return outcome(
        () ->
            domain
                .items()
                .items()
                .read(request(caller, as, key), new Items.Which.Current(), _ -> {}));
  }

  private String delete(Caller caller, Optional<String> as, String key) {
    return outcome(
        () -> domain.items().items().delete(request(caller, as, key), Items.Conditions.NONE));
  }

  private static String outcome(Runnable work) {
    try {
      work.run();
      return "done";
    } catch (VeridexException e) {
      return e.code().name();
    }
  }

  /// States what ada may do to the resources `p:home` and `p:new`; nobody may do anything else.
  private void may(Right... some) {
    ObjectNode statement = JsonNodeFactory.instance.objectNode();
    statement
        .put("@id", "the statement")
        .put("rdf:type", "v-s:PermissionStatement")
        .put("v-s:permissionSubject", "ada");
    statement.putArray("v-s:permissionObject").add("p:home").add("p:new");
    for (Right right : some) {
      String name = right.name().charAt(0) + right.name().substring(1).toLowerCase(Locale.ROOT);
      statement.put("v-s:can" + name, true);
    }
    domain.access().index().put(root, ACME, List.of(MessageInput.of(statement)));
  }

  private List<String> listed(Caller caller, Optional<String> as) {
    return domain
        .items()
        .items()
        .list(new ActingCaller(caller, as), ACME, "pages", "", Optional.empty(), 100)
        .items()
        .stream()
        .map(ItemStore.KeyedRevision::key)
        .toList();
  }

  @Test
  void eachRightOpensItsOwnDoor() {
    Caller ada = mint(Optional.of("ada"), Optional.empty());
    Optional<String> herself = Optional.empty();
    may();
    assertThat(read(ada, herself, "home")).as("the owner, too").isEqualTo("NOT_FOUND");
    assertThat(put(ada, herself, "home")).isEqualTo("NOT_FOUND");
    assertThat(put(ada, herself, "new")).isEqualTo("NOT_FOUND");
    assertThat(delete(ada, herself, "home")).isEqualTo("NOT_FOUND");
    assertThat(listed(ada, herself)).isEmpty();
    may(Right.READ);
    assertThat(read(ada, herself, "home")).isEqualTo("done");
    assertThat(read(ada, herself, "hidden")).isEqualTo("NOT_FOUND");
    assertThat(put(ada, herself, "home"))
        .as("what she may read is no secret")
        .isEqualTo("FORBIDDEN");
    assertThat(put(ada, herself, "new")).isEqualTo("FORBIDDEN");
    assertThat(delete(ada, herself, "home")).isEqualTo("FORBIDDEN");
    assertThat(listed(ada, herself)).containsExactly("home");
    may(Right.CREATE);
    assertThat(put(ada, herself, "home")).as("it is there").isEqualTo("NOT_FOUND");
    assertThat(put(ada, herself, "new")).isEqualTo("done");
    assertThat(put(ada, herself, "new")).as("now it is there").isEqualTo("NOT_FOUND");
    may(Right.UPDATE);
    assertThat(put(ada, herself, "home")).isEqualTo("done");
    assertThat(read(ada, herself, "home")).isEqualTo("NOT_FOUND");
    may(Right.DELETE);
    assertThat(delete(ada, herself, "home")).isEqualTo("done");
    may(Right.UPDATE);
    assertThat(put(ada, herself, "home")).as("deleted is not there").isEqualTo("NOT_FOUND");
    may(Right.CREATE);
    assertThat(put(ada, herself, "home")).isEqualTo("done");
  }

  @Test
  void whoActsForSomebodyHasTheirRights() {
    Caller admin = mint(Optional.empty(), Optional.empty(), Flag.ADMIN);
    Caller service = mint(Optional.empty(), Optional.of("crawler"), Flag.IMPERSONATE);
    Caller both = mint(Optional.of("bob"), Optional.of("crawler"), Flag.IMPERSONATE);
    Optional<String> asAda = Optional.of("ada");
    may(Right.READ);
    for (Caller caller : List.of(admin, service)) {
      assertThat(read(caller, asAda, "home")).isEqualTo("done");
      assertThat(read(caller, asAda, "hidden")).isEqualTo("NOT_FOUND");
      assertThat(put(caller, asAda, "home")).isEqualTo("FORBIDDEN");
      assertThat(listed(caller, asAda)).containsExactly("home");
      assertThat(read(caller, Optional.of("bob"), "home")).isEqualTo("NOT_FOUND");
    }
    assertThat(read(admin, Optional.empty(), "hidden")).isEqualTo("done");
    assertThat(read(service, Optional.empty(), "home")).isEqualTo("SUBJECT_REQUIRED");
    assertThat(put(service, Optional.empty(), "home")).isEqualTo("done");
    assertThat(read(both, asAda, "home")).as("a person acts as nobody else").isEqualTo("FORBIDDEN");
    Caller anonymous = new Caller(Optional.empty(), List.of());
    assertThat(read(anonymous, Optional.empty(), "home")).isEqualTo("NOT_FOUND");
  }
}
