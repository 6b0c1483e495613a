package dev.veridex.grants;

import dev.veridex.Domain;
import dev.veridex.access.Worlds;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.common.Scope;
import dev.veridex.identity.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import tools.jackson.databind.JsonNode;

/// Random approvals and relationships of one scope as they are given, extended and taken back, and
/// beside them, slow and obvious, what each of them gives and until when.
public final class GivenGrants {
  private static final List<String> ACTIONS =
      List.of("read", "READ", "get", "create", "Post", "update", "PUT", "patch", "delete", "share");
  private static final List<String> TYPES =
      List.of("membership", "membership", "membership", "role", "trust");

  private final Scope scope;
  private final Map<GrantKey, Given> all = new LinkedHashMap<>();

  /// Members and groups of which statements say something, too.
  private final List<String[]> stated = new ArrayList<>();

  /// What is left of a grant: taken back, it is not there.
  private record Given(String type, Optional<Instant> end) {
    boolean isAlive(Instant at) {
      return end.isEmpty() || at.isBefore(end.get());
    }
  }

  public GivenGrants(Scope scope) {
    this.scope = scope;
  }

  /// The same as they are now.
  public GivenGrants copy() {
    GivenGrants copy = new GivenGrants(scope);
    copy.all.putAll(all);
    return copy;
  }

  /// Takes notice of statements: what they say of memberships is said again by relationships.
  public void state(List<JsonNode> messages) {
    for (JsonNode message : messages) {
      JsonNode state = message.get("newState");
      for (JsonNode member : state.path("v-s:resource")) {
        for (JsonNode group : state.path("v-s:memberOf")) {
          stated.add(new String[] {member.asString(), group.asString()});
        }
      }
    }
  }

  /// Does something to one grant, in the product and here.
  public void step(Random random, Worlds worlds, Domain domain, Token root, Instant now) {
    List<GrantKey> known = new ArrayList<>(all.keySet());
    GrantKey key =
        known.isEmpty() || random.nextInt(3) > 0
            ? key(random, worlds)
            : known.get(random.nextInt(known.size()));
    Optional<Given> before = Optional.ofNullable(all.get(key)).filter(given -> given.isAlive(now));
    GrantRequest.WantedLife life = life(random, now);
    switch (random.nextInt(6)) {
      case 0 -> {
        domain.grants().writer().revoke(root, scope, key);
        // What has ended is what it was.
        before.ifPresent(_ -> all.remove(key));
      }
      case 1 -> {
        if (before.isPresent() && life.expiresAt().isPresent()) {
          domain
              .grants()
              .writer()
              .extend(root, new GrantWriter.Extension(scope, key, life, Optional.empty()));
          all.put(key, new Given(before.get().type, life.expiresAt()));
        }
      }
      default -> {
        String type =
            key.kind() == GrantKind.APPROVAL ? "" : TYPES.get(random.nextInt(TYPES.size()));
        domain
            .grants()
            .writer()
            .give(
                root,
                new GrantRequest(
                    scope,
                    false,
                    key,
                    type.isEmpty() ? Optional.empty() : Optional.of(new RelationType(type)),
                    life,
                    Map.of(),
                    Optional.empty()));
        all.put(key, new Given(type, life.expiresAt()));
      }
    }
  }

  private GrantKey key(Random random, Worlds worlds) {
    List<String> subjects = worlds.subjects();
    List<String> resources = worlds.resources();
    if (random.nextBoolean()) {
      return GrantKey.approval(
          subjects.get(random.nextInt(subjects.size())),
          resources.get(random.nextInt(resources.size())),
          ACTIONS.get(random.nextInt(ACTIONS.size())));
    }
    if (!stated.isEmpty() && random.nextBoolean()) {
      String[] pair = stated.get(random.nextInt(stated.size()));
      return GrantKey.relationship(pair[0], "r" + random.nextInt(2), pair[1]);
    }
    // Users and documents in groups, groups in groups, and now and then what hardly anybody does.
    List<String> from = random.nextBoolean() ? subjects : resources;
    return GrantKey.relationship(
        from.get(random.nextInt(from.size())),
        "r" + random.nextInt(2),
        random.nextInt(4) == 0
            ? resources.get(random.nextInt(resources.size()))
            : (random.nextBoolean() ? "g" : "s") + random.nextInt(1, 4));
  }

  private static GrantRequest.WantedLife life(Random random, Instant now) {
    return random.nextInt(4) == 0
        ? GrantRequest.WantedLife.USUAL
        : new GrantRequest.WantedLife(
            Optional.empty(), Optional.of(now.plus(Duration.ofSeconds(60 + random.nextInt(600)))));
  }

  /// The rights of the live approvals of a subject on a resource.
  public List<Integer> approved(String subject, String resource, Instant at) {
    List<Integer> rights = new ArrayList<>();
    all.forEach(
        (key, given) -> {
          if (key.kind() == GrantKind.APPROVAL
              && key.first().equals(subject)
              && key.second().equals(resource)
              && given.isAlive(at)
              && right(key.third()) != 0) {
            rights.add(right(key.third()));
          }
        });
    return rights;
  }

  /// The live memberships: members and groups.
  public List<String[]> related(Instant at) {
    List<String[]> related = new ArrayList<>();
    all.forEach(
        (key, given) -> {
          if (given.type.equals("membership") && given.isAlive(at)) {
            related.add(new String[] {key.first(), key.third()});
          }
        });
    return related;
  }

  /// Whether a live grant is about something, as a statement would be.
  public boolean bearsGrant(String object, Instant at) {
    return all.entrySet().stream()
        .filter(each -> each.getValue().isAlive(at))
        .anyMatch(
            each ->
                each.getKey().kind() == GrantKind.APPROVAL
                    ? each.getKey().second().equals(object) && right(each.getKey().third()) != 0
                    : each.getKey().first().equals(object)
                        && each.getValue().type.equals("membership"));
  }

  /// Whether a grant was given just as it is told.
  public boolean isGiven(GrantedRight told) {
    String object = told.id().key().object();
    String subject = told.id().subject();
    Given given =
        all.get(
            told.isApproval()
                ? GrantKey.approval(subject, object, told.name())
                : GrantKey.relationship(object, told.name(), subject));
    return given != null
        && given.end.equals(told.end())
        && (told.isApproval()
            ? told.rights() == right(told.name())
            : given.type.equals("membership"));
  }

  /// The subjects of approvals that are alive.
  public List<String> approvedSubjects(Instant at) {
    return all.entrySet().stream()
        .filter(each -> each.getKey().kind() == GrantKind.APPROVAL && each.getValue().isAlive(at))
        .map(each -> each.getKey().first())
        .toList();
  }

  /// The instants at which something ends.
  public List<Instant> ends() {
    return all.values().stream().flatMap(given -> given.end.stream()).sorted().toList();
  }

  private static int right(String action) {
    int position =
        List.of("create", "post", "read", "get", "update", "put", "patch", "delete")
            .indexOf(action.toLowerCase(Locale.ROOT));
    return position < 0 ? 0 : List.of(1, 1, 2, 2, 4, 4, 4, 8).get(position);
  }
}
