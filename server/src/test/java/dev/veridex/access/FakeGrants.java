package dev.veridex.access;

import dev.veridex.access.check.CheckView;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.RecordId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/// Approvals and relationships that somebody might have given: whoever asks has each approval.
final class FakeGrants {
  private final List<GrantedRight> relationships = new ArrayList<>();
  private final List<Integer> approved = new ArrayList<>();

  FakeGrants(Random random) {
    List<String> ids = Histories.IDS;
    while (random.nextInt(3) == 0) {
      GrantedRight one =
          GrantedRight.membership(
              ids.get(random.nextInt(ids.size())),
              "r" + random.nextInt(2),
              ids.get(random.nextInt(ids.size())),
              "boss",
              Instant.EPOCH,
              Optional.of(Instant.MAX));
      if (!relationships.contains(one)) {
        relationships.add(one);
      }
    }
    while (random.nextInt(4) == 0) {
      approved.add(1 << random.nextInt(4));
    }
  }

  /// Members and groups.
  List<String[]> relationships() {
    return relationships.stream()
        .map(each -> new String[] {each.id().key().object(), each.id().subject()})
        .toList();
  }

  /// The rights of approvals.
  List<Integer> approved() {
    return approved;
  }

  /// Whether a grant is one of these.
  boolean isGiven(GrantedRight grant) {
    return grant.isApproval()
        ? approvals(grant.id().subject(), grant.id().key().object()).contains(grant)
        : relationships.contains(grant);
  }

  private List<GrantedRight> approvals(String subject, String resource) {
    List<GrantedRight> all = new ArrayList<>();
    for (int rights : approved) {
      all.add(
          new GrantedRight(
              new RecordId(IndexKey.permission(resource), subject),
              "a" + all.size(),
              rights,
              "boss",
              Instant.EPOCH,
              Optional.empty()));
    }
    return all;
  }

  /// A view with these grants.
  CheckView on(CheckView statements) {
    return new CheckView() {
      @Override
      public List<SubjectRecord> records(IndexKey key) {
        return statements.records(key);
      }

      @Override
      public Map<String, List<SubjectRecord>> filtered(String object) {
        return statements.filtered(object);
      }

      @Override
      public List<GrantedRight> approvals(String subject, String resource) {
        return FakeGrants.this.approvals(subject, resource);
      }

      @Override
      public List<GrantedRight> memberships(String member) {
        return relationships.stream()
            .filter(each -> each.id().key().object().equals(member))
            .toList();
      }
    };
  }

  @Override
  public String toString() {
    return relationships + " " + approved;
  }
}
