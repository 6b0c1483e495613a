package dev.veridex.benchmarks;

import dev.veridex.access.compiled.AccessIndexEdit;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.CompiledIndex.Table;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Users in groups, groups in groups up to five deep, and a statement on each document for a user
/// or a group.
///
/// @param statements as many as documents
record AccessWorld(int statements, int users, int groups) {
  private static final int GROUPS_OF_A_USER = 3;
  private static final int LEVELS = 5;
  private static final int READ_AND_UPDATE = 0b110;
  private static final int ALL = 0b1111;

  /// As there are users and groups in the world of a million statements.
  static AccessWorld of(int statements) {
    return new AccessWorld(
        statements, Math.max(10, statements / 10), Math.max(10, statements / 50));
  }

  static String user(int n) {
    return "d:user_" + n;
  }

  static String group(int n) {
    return "d:group_" + n;
  }

  static String document(int n) {
    return "d:document_" + n;
  }

  /// Takes what is stated.
  interface Statements {
    void member(String member, String group, int number);

    void permission(String document, String subject, int number);
  }

  int memberships() {
    return GROUPS_OF_A_USER * users + groups - groups / LEVELS;
  }

  void state(Statements to) {
    SplittableRandom random = new SplittableRandom(1);
    int level = groups / LEVELS;
    int number = 0;
    for (int user = 0; user < users; user++) {
      for (int i = 0; i < GROUPS_OF_A_USER; i++) {
        to.member(user(user), group(random.nextInt(groups)), number++);
      }
    }
    for (int group = level; group < groups; group++) {
      // Each fifth of the groups is inside the one before.
      int above = random.nextInt(level) + (Math.min(group / level, LEVELS - 1) - 1) * level;
      to.member(group(group), group(above), number++);
    }
    for (int n = 0; n < statements; n++) {
      to.permission(
          document(n), n % 2 == 0 ? group(random.nextInt(groups)) : user(random.nextInt(users)), n);
    }
  }

  /// Random questions, made beforehand.
  record Questions(String[] subjects, String[] resources) {
    int at(long n) {
      return (int) (n & (subjects.length - 1));
    }

    /// Asks one after the other.
    LongConsumer of(CompiledCheck check) {
      check.implicit(List.of());
      return n -> {
        check.subject(subjects[at(n)]);
        check.rights(resources[at(n)]);
      };
    }
  }

  Questions questions() {
    int count = 1 << 16;
    String[] subjects = new String[count];
    String[] resources = new String[count];
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < count; i++) {
      subjects[i] = user(random.nextInt(users));
      resources[i] = document(random.nextInt(statements));
    }
    return new Questions(subjects, resources);
  }

  CompiledIndex compiled() {
    AccessIndexEdit edit = CompiledIndex.empty("v-s:AllResourcesGroup").edit();
    state(
        new Statements() {
          @Override
          public void member(String member, String group, int number) {
            edit.put(Table.MEMBERSHIP, "", member, group, 0, ALL);
          }

          @Override
          public void permission(String document, String subject, int number) {
            edit.put(Table.PERMISSION, "", document, subject, 0, READ_AND_UPDATE);
          }
        });
    return edit.done();
  }

  static ObjectNode membership(String member, String group, int number) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("@id", "d:membership_" + number)
        .put("rdf:type", "v-s:Membership")
        .put("v-s:resource", member)
        .put("v-s:memberOf", group);
  }

  static ObjectNode statement(String document, String subject, int number) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("@id", "d:permission_" + number)
        .put("rdf:type", "v-s:PermissionStatement")
        .put("v-s:permissionObject", document)
        .put("v-s:permissionSubject", subject)
        .put("v-s:canRead", true)
        .put("v-s:canUpdate", true);
  }
}
