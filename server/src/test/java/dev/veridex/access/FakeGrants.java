package dev.veridex.access;

import dev.veridex.access.check.LiveGrants;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// Approvals and relationships that somebody might have given.
final class FakeGrants implements LiveGrants {
  private final List<String[]> relationships = new ArrayList<>();
  private final List<Approval> approvals = new ArrayList<>();

  FakeGrants(Random random) {
    List<String> ids = Histories.IDS;
    while (random.nextInt(3) == 0) {
      relationships.add(
          new String[] {ids.get(random.nextInt(ids.size())), ids.get(random.nextInt(ids.size()))});
    }
    while (random.nextInt(4) == 0) {
      approvals.add(
          new Approval(
              1 << random.nextInt(4),
              random.nextBoolean() ? Optional.of(Instant.MAX) : Optional.empty()));
    }
  }

  /// Members and groups.
  List<String[]> relationships() {
    return relationships;
  }

  @Override
  public List<Approval> approvals(String subject, String resource) {
    return approvals;
  }

  @Override
  public List<Membership> memberships(String member) {
    List<Membership> found = new ArrayList<>();
    for (String[] each : relationships) {
      Membership membership = new Membership(each[1], Optional.of(Instant.MAX));
      if (each[0].equals(member) && !found.contains(membership)) {
        found.add(membership);
      }
    }
    return found;
  }

  @Override
  public String toString() {
    return relationships.stream().map(each -> each[0] + ">" + each[1]).toList() + " " + approvals;
  }
}
