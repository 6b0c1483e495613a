package dev.veridex.grants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.TestDomain;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.tenancy.IncarnationRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Damages that an integrity scan of grants finds, and that a rebuild mends.
final class GrantIntegrityTest {
  private static final Scope ACME = TestDomain.ACME.scope();
  private static final GrantKey APPROVAL = GrantKey.approval("ada", "page", "read");
  private static final GrantKey MEMBERSHIP = GrantKey.relationship("ada", "member", "editors");

  private final TestDomain world = TestDomain.inMemory();

  @BeforeEach
  void give() {
    give(APPROVAL, Optional.empty());
    give(MEMBERSHIP, Optional.of(new RelationType("membership")));
    assertThat(drift()).isEmpty();
  }

  @AfterEach
  void close() {
    world.close();
  }

  private void give(GrantKey key, Optional<RelationType> type) {
    world
        .domain()
        .grants()
        .writer()
        .give(
            world.root(),
            new GrantRequest(
                ACME, false, key, type, GrantRequest.WantedLife.USUAL, Map.of(), Optional.empty()));
  }

  private List<String> drift() {
    return new GrantIntegrity(
            world.store(), new IncarnationRecords(), world.domain().access().grants())
        .run(_ -> {})
        .drift();
  }

  /// Loses all records of a kind.
  private void lose(RecordKind kind) {
    world
        .store()
        .transact(
            transaction -> {
              transaction.deleteRange(KeyRange.prefix(new KeyWriter().octet(kind.code()).toKey()));
              return true;
            });
  }

  @Test
  void aGrantThatIsNotInTheReverseIndexIsFound() {
    lose(RecordKind.APPROVAL_BY_RESOURCE);
    assertThat(drift()).singleElement().asString().contains("is not in the reverse index");
  }

  @Test
  void aReverseRecordWithoutAGrantIsFound() {
    lose(RecordKind.RELATIONSHIP);
    assertThat(drift())
        .hasSize(2)
        .anyMatch(each -> each.contains("the reverse index has relationship"))
        .anyMatch(each -> each.contains("counts in decisions"));
  }

  @Test
  void aPolicyThatCannotBeReadIsFound() {
    world
        .store()
        .transact(
            transaction -> {
              transaction.put(
                  new KeyWriter().scope(RecordKind.TTL_POLICY.code(), ACME, 0).toKey(),
                  new byte[] {'{'});
              return true;
            });
    assertThat(drift()).singleElement().asString().contains("cannot be read");
  }

  @Test
  void whatCountsInDecisionsIsDerivedAnew() {
    lose(RecordKind.ACCESS_GRANT);
    assertThat(drift()).hasSize(2).allMatch(each -> each.contains("does not count in decisions"));
    rebuild();
    assertThat(drift()).isEmpty();
    lose(RecordKind.ACCESS_GRANT_BY_SUBJECT);
    assertThat(drift()).hasSize(2).allMatch(each -> each.contains("does not count in decisions"));
    rebuild();
    assertThat(drift()).isEmpty();
    lose(RecordKind.RELATIONSHIP);
    lose(RecordKind.RELATIONSHIP_BY_OBJECT);
    assertThat(drift()).singleElement().asString().contains("no grant gives it");
    rebuild();
    assertThat(drift()).isEmpty();
  }

  @Test
  void aWrongRightIsMendedAndNothingTakenBack() {
    // In the index, what is approved for reading lets one update.
    List<byte[]> records = new ArrayList<>();
    world
        .store()
        .transact(
            transaction -> {
              for (RecordKind kind :
                  List.of(RecordKind.ACCESS_GRANT, RecordKind.ACCESS_GRANT_BY_SUBJECT)) {
                KeyRange all = KeyRange.prefix(new KeyWriter().octet(kind.code()).toKey());
                try (Cursor cursor = transaction.scan(all, Direction.FORWARD)) {
                  while (cursor.next()) {
                    byte[] value = cursor.value();
                    value[0] = value[0] == 2 ? 4 : value[0];
                    records.add(cursor.key());
                    transaction.put(cursor.key(), value);
                  }
                }
              }
              return true;
            });
    assertThat(records).hasSize(4);
    assertThat(drift()).singleElement().asString().contains("does not count in decisions");
    rebuild();
    assertThat(drift()).isEmpty();
  }

  private void rebuild() {
    TestDomain.rebuild(world.domain(), world.root(), TestDomain.ACME);
  }
}
