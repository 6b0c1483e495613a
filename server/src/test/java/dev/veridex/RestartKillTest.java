package dev.veridex;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Seeds;
import dev.veridex.common.Waiting;
import dev.veridex.json.JsonText;
import dev.veridex.suite.Campaign;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Kills a server while it is written to, with no waiting before, and compares the first answers
/// after its restart with what was acknowledged.
final class RestartKillTest {
  private static final String ACME = "/v1/accounts/acme";
  private static final String DOCS = ACME + "/buckets/docs";
  private static final String ITEMS = ACME + "/buckets/pages/items/";
  private static final String JOBS = ACME + "/buckets/jobs";
  private static final List<String> FOLDERS = List.of("f1", "f2", "f3");
  private static final List<String> SUBJECTS = List.of("u1", "u2", "u3");
  private static final String FILES = ACME + "/buckets/files";
  private static final State NOTHING = new State(Map.of(), Map.of(), Map.of(), Map.of(), 0);
  private static final long PLACES = 1_000_000;
  private static final int PKS = 40;
  private static final int KEYS = 10;
  private static final int KILLS_A_FOLDER = 5;

  @TempDir private Path parent;
  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicInteger written = new AtomicInteger();

  /// The events of objects that the present server acknowledged.
  private final List<String> acknowledged = new ArrayList<>();

  private final Random random = new Random(Seeds.first());

  /// The write that was under way when the server was killed.
  private Optional<Write> unanswered = Optional.empty();

  /// Whether the server has said since its start that it is ready.
  private boolean saidReady;

  /// A server in a process of its own.
  private record Running(Process process, BufferedReader output, String address) {
    void kill() throws Exception {
      process.toHandle().destroyForcibly();
      assertThat(process.waitFor()).as("killed, not failed").isEqualTo(137);
      output.close();
    }
  }

  private record Document(String folder, int version) {}

  /// The last event of an object.
  ///
  /// @param place by which its events are ordered
  private record StoredObject(long place, boolean created) {
    private StoredObject later(StoredObject other) {
      return place > other.place ? this : other;
    }
  }

  /// What is stored.
  ///
  /// @param readers who may read what is in a folder
  /// @param objects the last events of objects, by key
  /// @param messages how many there are in the queue
  private record State(
      Map<String, Document> documents,
      Map<String, StoredObject> objects,
      Map<String, Set<String>> readers,
      Map<String, String> items,
      int messages) {
    private State copy(int more) {
      Map<String, Set<String>> copied = new TreeMap<>();
      readers.forEach((folder, subjects) -> copied.put(folder, new TreeSet<>(subjects)));
      return new State(
          new TreeMap<>(documents),
          new TreeMap<>(objects),
          copied,
          new TreeMap<>(items),
          messages + more);
    }

    /// What a subject finds.
    private Set<String> found(String subject) {
      Set<String> found = foundObjects(subject);
      documents.forEach(
          (pk, document) -> {
            if (readers.getOrDefault(document.folder, Set.of()).contains(subject)) {
              found.add(pk + " " + document.version + " in " + document.folder);
            }
          });
      return found;
    }

    private Set<String> foundObjects(String subject) {
      Set<String> found = new TreeSet<>();
      objects.forEach(
          (key, object) -> {
            String folder = key.substring(0, key.indexOf('/'));
            if (object.created && readers.getOrDefault(folder, Set.of()).contains(subject)) {
              found.add(key + " at " + object.place);
            }
          });
      return found;
    }
  }

  /// A write.
  ///
  /// @param after what is stored once it is done
  private record Write(String method, String target, String body, State after) {}

  @Test
  @Tag("campaign")
  void theFirstAnswersAreWhatWasAcknowledged() throws Exception {
    int kills = Campaign.RESTART_KILLS.size();
    Path data = parent;
    State state = NOTHING;
    Running server = null;
    for (int kill = 0; kill < kills; kill++) {
      if (server == null) {
        data = parent.resolve("data" + kill);
        server = start(data);
        arrange(server);
        acknowledged.clear();
        state = NOTHING;
      }
      List<State> possible = writeUntilKilled(server, state);
      server = start(data);
      state = compare(server, possible);
      sendAgain(server, state);
      if (kill == kills - 1 || kill % KILLS_A_FOLDER == KILLS_A_FOLDER - 1) {
        server.kill();
        server = null;
      }
    }
    Campaign.RESTART_KILLS.count(written.get(), "writes acknowledged");
    client.close();
  }

  private Running start(Path data) throws IOException {
    Process process = ServerProcess.start(parent, data);
    BufferedReader output = process.inputReader(UTF_8);
    return new Running(process, output, ServerProcess.address(output));
  }

  private HttpResponse<String> ask(Running server, String method, String target, String body)
      throws IOException {
    try {
      return client.send(
          HttpRequest.newBuilder(URI.create(server.address + target))
              .header("Authorization", "Bearer " + ROOT)
              .method(method, HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private JsonNode json(Running server, String method, String target, String body)
      throws IOException {
    HttpResponse<String> answer = ask(server, method, target, body);
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
    return JsonText.read(answer.body().getBytes(UTF_8));
  }

  private void arrange(Running server) throws IOException {
    json(server, "PUT", ACME, "{}");
    json(server, "PUT", DOCS, "{'type':'documents','settings':{'resourceField':'folder'}}");
    json(server, "PUT", FILES, "{'type':'objects'}");
    json(server, "PUT", ACME + "/buckets/pages", "{'type':'items'}");
    json(server, "PUT", JOBS, "{'type':'queue','settings':{'shards':1}}");
  }

  /// Writes one thing after the other until somewhere in the middle of one the server is killed.
  ///
  /// @return what may be stored: the last write may have been accepted, or not
  private List<State> writeUntilKilled(Running server, State from) throws Exception {
    int enough = written.get() + 1 + random.nextInt(120);
    try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
      Future<List<State>> writing = thread.submit(() -> write(server, from));
      Waiting.until("enough writes", () -> written.get() >= enough || writing.isDone());
      server.kill();
      return writing.get();
    }
  }

  private List<State> write(Running server, State from) {
    State state = from;
    while (true) {
      Write write = next(state);
      try {
        HttpResponse<String> answer = ask(server, write.method, write.target, write.body);
        assertThat(answer.statusCode()).as("%s: %s", write, answer.body()).isLessThan(300);
      } catch (IOException e) {
        unanswered = Optional.of(write);
        return List.of(state, write.after);
      }
      state = write.after;
      if (write.target.equals(FILES + "/events")) {
        acknowledged.add(write.body);
      }
      written.incrementAndGet();
    }
  }

  private Write next(State state) {
    int version = written.get() + 1;
    String pk = "d" + random.nextInt(PKS);
    String folder = FOLDERS.get(random.nextInt(FOLDERS.size()));
    State after = state.copy(0);
    return switch (random.nextInt(12)) {
      case 0, 1 -> {
        after.documents.remove(pk);
        yield document(pk, version, "'action':'DELETE'", after);
      }
      case 2, 3 -> {
        String subject = SUBJECTS.get(random.nextInt(SUBJECTS.size()));
        Set<String> readers = after.readers.computeIfAbsent(folder, _ -> new TreeSet<>());
        boolean given = !readers.remove(subject) && readers.add(subject);
        String statements =
            "[%s,%s]"
                .formatted(
                    statement(subject, folder, given),
                    statement(subject, "s3://lab/" + folder + "/", given));
        yield new Write("POST", ACME + "/access/individuals", statements, after);
      }
      case 4 -> {
        String key = "k" + random.nextInt(KEYS);
        after.items.put(key, "value " + version);
        yield new Write("PUT", ITEMS + key, "value " + version, after);
      }
      case 5 -> {
        String message = "{'messages':[{'key':'m','body':'%d'}]}".formatted(version);
        yield new Write("POST", JOBS + "/messages", message, state.copy(1));
      }
      case 6, 7, 8 -> {
        String key = folder + "/" + random.nextInt(KEYS);
        boolean created = random.nextInt(3) > 0;
        // Some come late: they are history when they come.
        long base = random.nextInt(3) > 0 ? version : 1 + random.nextInt(version);
        StoredObject event = new StoredObject(base * PLACES + version, created);
        after.objects.merge(key, event, StoredObject::later);
        yield new Write("POST", FILES + "/events", event(key, event), after);
      }
      default -> {
        after.documents.put(pk, new Document(folder, version));
        yield document(
            pk,
            version,
            "'action':'UPSERT','fields':{'folder':'%s','title':'text %d'}"
                .formatted(folder, version),
            after);
      }
    };
  }

  private static String statement(String subject, String object, boolean given) {
    return "{'@id':'%s %s','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'%s','v-s:permissionSubject':'%s','v-s:canRead':true,'v-s:deleted':%s}"
        .formatted(subject, object, object, subject, !given);
  }

  private static String event(String key, StoredObject event) {
    return "{'Records':[{'eventTime':'2026-01-01T00:00:00Z','eventName':'%s','s3':{'bucket':{'name':'lab'},'object':{'key':'%s','size':%d,'sequencer':'%012X'}}}]}"
        .formatted(
            event.created ? "ObjectCreated:Put" : "ObjectRemoved:Delete",
            key,
            event.place,
            event.place);
  }

  private static Write document(String pk, int version, String rest, State after) {
    String body =
        "{'pk':'%s','epoch':1,'version':%d,'modifiedAt':'2026-01-01T00:00:00Z',%s}"
            .formatted(pk, version, rest);
    return new Write("POST", DOCS + "/documents", body, after);
  }

  /// Compares the first answers that are given.
  ///
  /// @return the state that all of them tell
  private State compare(Running server, List<State> possible) throws IOException {
    List<State> left = possible;
    HttpResponse<String> ready = ask(server, "GET", "/health/ready", "");
    if (ready.statusCode() != 200) {
      // While there is no first answer, it says what it waits for.
      JsonNode waiting = JsonText.read(ready.body().getBytes(UTF_8));
      assertThat(waiting.get("code").asString()).as(ready.body()).isEqualTo("INDEX_BUILDING");
      assertThat(waiting.get("percent").asInt()).isBetween(0, 100);
      assertThat(waiting.get("searchIndexes").asInt()).isBetween(0, 2);
    }
    // Who says to be ready turns nobody away after that.
    saidReady = ready.statusCode() == 200;
    for (String subject : SUBJECTS) {
      Set<String> found = firstAnswer(server, subject);
      found.addAll(objects(server, subject));
      List<State> before = left;
      left = left.stream().filter(state -> state.found(subject).equals(found)).toList();
      assertThat(left)
          .as("%s found %s, and should one of %s", subject, found, found(before, subject))
          .isNotEmpty();
    }
    assertThat(ask(server, "GET", "/health/ready", "").statusCode())
        .as("ready once both indexes answer")
        .isEqualTo(200);
    Map<String, String> items = new TreeMap<>();
    for (int i = 0; i < KEYS; i++) {
      HttpResponse<String> item = ask(server, "GET", ITEMS + "k" + i, "");
      if (item.statusCode() == 200) {
        items.put("k" + i, item.body());
      }
    }
    int messages = messages(server);
    left =
        left.stream()
            .filter(state -> state.items.equals(items) && state.messages == messages)
            .toList();
    assertThat(left).as("%s and %d messages", items, messages).isNotEmpty();
    if (left.size() > 1) {
      // Nobody can see whether the last write was accepted: sent again, it was.
      Write again = unanswered.orElseThrow();
      HttpResponse<String> answer = ask(server, again.method, again.target, again.body);
      assertThat(answer.statusCode()).as("%s: %s", again, answer.body()).isLessThan(500);
    }
    return left.getLast();
  }

  /// The same events once more are duplicates, and change nothing else.
  private void sendAgain(Running server, State state) throws IOException {
    if (acknowledged.isEmpty()) {
      return;
    }
    Map<String, Long> before = duplicates(server);
    JsonNode results =
        json(server, "POST", FILES + "/events", "[" + String.join(",", acknowledged) + "]")
            .get("results");
    assertThat(results).hasSize(acknowledged.size());
    results.forEach(
        result ->
            assertThat(result.get("status").asString())
                .as(result.toString())
                .isEqualTo("duplicate"));
    Map<String, Long> after = duplicates(server);
    assertThat(after.keySet()).as("rows").isEqualTo(before.keySet());
    assertThat(sum(after)).isEqualTo(sum(before) + acknowledged.size());
    for (String subject : SUBJECTS) {
      assertThat(objects(server, subject)).isEqualTo(state.foundObjects(subject));
    }
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /// How often the event of each row came again, by the row's id and what is current.
  private Map<String, Long> duplicates(Running server) throws IOException {
    Map<String, Long> counts = new TreeMap<>();
    String cursor = "";
    while (true) {
      JsonNode page =
          json(server, "GET", FILES + "/objects?currentState=false&limit=1000" + cursor, "");
      page.get("items")
          .forEach(
              row ->
                  counts.put(
                      row.get("id").asString() + row.get("isCurrentState").asBoolean(),
                      row.get("numberDuplicateEvents").asLong()));
      if (page.get("cursor").isNull()) {
        return counts;
      }
      cursor = "&cursor=" + page.get("cursor").asString();
    }
  }

  private static List<Set<String>> found(List<State> states, String subject) {
    return states.stream().map(state -> state.found(subject)).toList();
  }

  /// The first answer that is not that there is none yet.
  private JsonNode firstAnswer(Running server, String bucket, String subject) throws IOException {
    while (true) {
      HttpResponse<String> answer =
          ask(server, "POST", bucket + "/search", "{'limit':100,'as':'%s'}".formatted(subject));
      JsonNode json = JsonText.read(answer.body().getBytes(UTF_8));
      if (answer.statusCode() == 503) {
        assertThat(saidReady).as(answer.body()).isFalse();
        assertThat(json.get("code").asString()).isEqualTo("INDEX_BUILDING");
        assertThat(json.get("percent").asInt()).as(answer.body()).isBetween(0, 99);
        continue;
      }
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(json.get("complete").asBoolean()).isTrue();
      assertThat(json.get("total").asInt()).isEqualTo(json.get("hits").size());
      return json.get("hits");
    }
  }

  private Set<String> firstAnswer(Running server, String subject) throws IOException {
    Set<String> found = new TreeSet<>();
    firstAnswer(server, DOCS, subject)
        .forEach(
            hit ->
                found.add(
                    "%s %s in %s"
                        .formatted(
                            hit.get("pk").asString(),
                            hit.at("/fields/title").asString().substring("text ".length()),
                            hit.at("/fields/folder").asString())));
    return found;
  }

  /// The objects that a subject finds, which are those that it is shown in a list.
  private Set<String> objects(Running server, String subject) throws IOException {
    Set<String> found = new TreeSet<>();
    firstAnswer(server, FILES, subject)
        .forEach(
            hit ->
                found.add(
                    "%s at %d"
                        .formatted(
                            hit.at("/fields/key").asString(), hit.at("/fields/size").asLong())));
    Set<String> listed = new TreeSet<>();
    json(server, "GET", FILES + "/objects?limit=1000&as=" + subject, "")
        .get("items")
        .forEach(
            row ->
                listed.add(
                    "%s at %d".formatted(row.get("key").asString(), row.get("size").asLong())));
    assertThat(listed).isEqualTo(found);
    return found;
  }

  private int messages(Running server) throws IOException {
    return json(server, "GET", JOBS + "/messages?group=readers&shard=0&limit=1000", "")
        .get("items")
        .size();
  }
}
