package dev.veridex.demo;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// People in teams in departments, what they write, and who may read it: the same each time.
///
/// What a team writes is in its folder, and that in the folder of its department. A team reads and
/// changes what is its own, a department reads what is in it, everybody reads what is for
/// everybody. Then there is what makes it interesting: interns who may not see contracts and
/// salaries, a board whose minutes nobody else reads, not even those who look after everything, and
/// auditors who see nothing but what is laid out for them.
public final class Company {
  private static final int PEOPLE = 200;
  private static final Instant NOW = Instant.parse("2026-10-01T08:00:00Z");
  private static final String EVERYBODY = "g:everybody";
  private static final String TYPE = "rdf:type";

  private final Random random = new Random(2026);
  private final int documents;
  private final List<Person> people = new ArrayList<>();
  private final List<Team> teams = new ArrayList<>();
  private final List<ObjectNode> statements = new ArrayList<>();
  private final Map<String, List<String>> folders = new LinkedHashMap<>();

  /// Somebody who works there.
  public record Person(String id, String name, String title, String team) {}

  private record Team(String department, String name) {
    private String id() {
      return slug(department) + "/" + slug(name);
    }
  }

  /// @param documents how many are written
  public Company(int documents) {
    this.documents = documents;
    Words.TEAMS.forEach(
        (department, names) -> names.forEach(name -> teams.add(new Team(department, name))));
    hire();
    organise();
  }

  private static String slug(String name) {
    return name.toLowerCase(Locale.ROOT).replace(' ', '-');
  }

  private <T> T any(List<T> some) {
    return some.get(random.nextInt(some.size()));
  }

  private void hire() {
    people.add(new Person("alice", "Alice Novak", "Engineer", "engineering/search"));
    for (int i = 1; people.size() < PEOPLE; i++) {
      String first = Words.FIRST.get(i % Words.FIRST.size());
      String last = Words.LAST.get(i * 7 % Words.LAST.size());
      String id = (first + "." + last).toLowerCase(Locale.ROOT);
      if (people.stream().noneMatch(person -> person.id.equals(id))) {
        people.add(
            new Person(
                id, first + " " + last, any(Words.TITLES), teams.get(i % teams.size()).id()));
      }
    }
  }

  /// Everybody who works there.
  public List<Person> people() {
    return List.copyOf(people);
  }

  private void organise() {
    for (Person person : people) {
      member(person.id, "g:" + person.team);
    }
    for (String department : Words.TEAMS.keySet()) {
      String id = slug(department);
      member("g:" + id, EVERYBODY);
      permit(id + " reads its folder", "f:" + id, "g:" + id, "v-s:canRead");
    }
    for (Team team : teams) {
      String department = slug(team.department);
      member("g:" + team.id(), "g:" + department);
      member("f:" + team.id(), "f:" + department);
      permit(
          team.id() + " works in its folder",
          "f:" + team.id(),
          "g:" + team.id(),
          "v-s:canRead",
          "v-s:canUpdate",
          "v-s:canCreate");
    }
    permit("everybody reads what is public", "f:public", EVERYBODY, "v-s:canRead");
    permit("everybody reads the runs of the lab", "s3://lab/runs/", EVERYBODY, "v-s:canRead");
    deny("the runs of 2024 are closed", "s3://lab/runs/2024/", EVERYBODY);
    except();
  }

  private void except() {
    for (int i = 5; i < PEOPLE; i += 17) {
      member(people.get(i).id, "g:interns");
    }
    deny("interns read no contracts", "f:legal/contracts", "g:interns");
    deny("interns read no salaries", "f:people/payroll", "g:interns");
    member(people.get(3).id, "g:administrators");
    member(people.get(40).id, "g:administrators");
    permit(
        "administrators read everything",
        "v-s:AllResourcesGroup",
        "g:administrators",
        "v-s:canRead");
    for (int i : List.of(1, 22, 61)) {
      member(people.get(i).id, "g:board");
    }
    permit("only the board reads its minutes", "f:board", "g:board", "v-s:canRead", "v-s:canUpdate")
        .put("v-s:isExclusive", true);
    for (int i : List.of(9, 90)) {
      member(people.get(i).id, "g:auditors").put("v-s:isExclusive", true);
    }
    member("f:finance/accounting", "g:auditors");
    permit("auditors read the books", "f:finance/accounting", "g:auditors", "v-s:canRead");
  }

  private ObjectNode statement(String id, String type) {
    ObjectNode statement = JsonNodeFactory.instance.objectNode();
    statement.put("@id", id).put(TYPE, type);
    statements.add(statement);
    return statement;
  }

  private ObjectNode member(String member, String group) {
    return statement(member + " is in " + group, "v-s:Membership")
        .put("v-s:resource", member)
        .put("v-s:memberOf", group);
  }

  private ObjectNode permit(String id, String object, String subject, String... rights) {
    ObjectNode statement =
        statement(id, "v-s:PermissionStatement")
            .put("v-s:permissionObject", object)
            .put("v-s:permissionSubject", subject);
    for (String right : rights) {
      statement.put(right, true);
    }
    return statement;
  }

  private void deny(String id, String object, String subject) {
    permit(id, object, subject).put("v-s:canRead", false);
  }

  /// Who may do what. What documents were written is known by then.
  public List<ObjectNode> statements() {
    folders.forEach(
        (folder, keys) -> {
          ObjectNode inside =
              statement("what is in " + folder, "v-s:Membership").put("v-s:memberOf", folder);
          ArrayNode list = inside.putArray("v-s:resource");
          keys.forEach(list::add);
        });
    return List.copyOf(statements);
  }

  /// The first documents in a folder. What was written is known by then.
  public List<String> first(String folder, int count) {
    return folders.getOrDefault(folder, List.of()).stream().limit(count).toList();
  }

  /// The people as documents.
  public List<ObjectNode> directory() {
    return people.stream()
        .map(
            person -> {
              ObjectNode fields = JsonNodeFactory.instance.objectNode();
              fields.put("name", person.name).put("title", person.title).put("team", person.team);
              return document(person.id, fields, NOW);
            })
        .toList();
  }

  /// All that was written.
  public List<ObjectNode> documents() {
    List<ObjectNode> all = new ArrayList<>();
    for (int i = 0; i < documents; i++) {
      all.add(document(i));
    }
    return all;
  }

  private ObjectNode document(int number) {
    Person author = any(people);
    Instant written = NOW.minus(random.nextInt(3 * 365 * 24), ChronoUnit.HOURS);
    boolean russian = random.nextInt(10) < 3;
    Words words = russian ? Words.RUSSIAN : Words.ENGLISH;
    String kind = any(Words.KINDS);
    String folder = folder(author);
    String key = kind + "-" + (number + 1);
    folders.computeIfAbsent(folder, _ -> new ArrayList<>()).add(key);
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    String about = any(words.subjects());
    fields.put("title", words.title(kind, about, any(words.places())));
    fields.put(russian ? "text_ru" : "text_en", words.text(random, about));
    fields.put("kind", kind);
    fields.put("language", russian ? "ru" : "en");
    fields.put("folder", folder.substring("f:".length()));
    fields.put("author", author.name);
    fields.put("pages", 1 + random.nextInt(40));
    fields.put("written", written.truncatedTo(ChronoUnit.SECONDS).toString());
    return document(key, fields, written);
  }

  private String folder(Person author) {
    int what = random.nextInt(100);
    if (what < 12) {
      return "f:public";
    }
    return what == 12 ? "f:board" : "f:" + author.team;
  }

  private static ObjectNode document(String key, ObjectNode fields, Instant written) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("pk", key).put("epoch", 1).put("version", 1);
    document.put("modifiedAt", written.truncatedTo(ChronoUnit.SECONDS).toString());
    document.put("action", "UPSERT").set("fields", fields);
    return document;
  }
}
