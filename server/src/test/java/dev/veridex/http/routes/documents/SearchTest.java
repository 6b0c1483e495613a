package dev.veridex.http.routes.documents;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Seeds;
import dev.veridex.common.Waiting;
import dev.veridex.identity.Token.Flag;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Searches through HTTP: what is found, what is refused and why.
final class SearchTest {
  private static final String BUCKET = "/v1/accounts/acme/buckets/shop";

  @TempDir private Path folder;
  private ServerFixture fixture;
  private String revision = "";

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder);
    fixture.arrange();
    assertThat(ask("PUT", BUCKET, "{'type':'documents'}").status()).isEqualTo(201);
    Reply schema =
        ask(
            "PUT",
            BUCKET + "/epochs/1",
            "{'fields':{'sold':{'type':'timestamp','filter':true,'sort':true,'facet':true},"
                + "'place':{'type':'geo','filter':true},'body':{'type':'text','analyzer':'english'},"
                + "'file':{'type':'string','analyzer':'path','filter':true,'sort':true},'secret':{'type':'keyword','filter':true,'stored':false}},"
                + "'embeddings':{'vec':{'dims':3,'similarity':'cosine'}}}");
    assertThat(schema.status()).as(schema.text()).isEqualTo(200);
    put(
        document(
            "red-bike",
            "'title':'Red bike','price':120,'tags':['sport','used'],'body':'Riding bicycles is fun','sold':'2026-01-31T12:00:00Z','place':{'lat':48.85,'lon':2.35},'file':'docs/Team-A/plan.txt'",
            "[1,0,0]"),
        document(
            "blue-bike",
            "'title':'Blue bike','price':80.5,'tags':['sport'],'body':'A bicycle for <b>children</b>','sold':'2026-02-01T00:00:00Z','secret':'s'",
            "[0.9,0.1,0]"),
        document(
            "car",
            "'title':'Red car','price':9007199254740993,'tags':['used'],'sold':'2026-02-01T23:59:59Z','place':{'lat':52.5,'lon':13.4}",
            "[0,1,0]"),
        document("boat", "'title':['Red boat','blue sail'],'price':-3", "[0,0,1]"));
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private static String document(String pk, String fields, String vector) {
    return "{'pk':'%s','epoch':1,'version':1,'modifiedAt':'2026-01-31T12:00:00Z','action':'UPSERT','fields':{%s},'embeddings':{'vec':%s}}"
        .formatted(pk, fields, vector);
  }

  private void put(String... documents) {
    Reply reply = ask("POST", BUCKET + "/documents", "[" + String.join(",", documents) + "]");
    assertThat(reply.text()).doesNotContain("violations");
    revision = reply.json().get("revision").asString();
  }

  private Reply ask(String method, String target, String body) {
    return fixture.ask(
        method,
        target,
        Optional.of(ROOT),
        body.isEmpty() ? Optional.empty() : Optional.of(body.replace('\'', '"')));
  }

  private Reply search(String members) {
    String comma = members.isEmpty() ? "" : ",";
    return ask("POST", BUCKET + "/search", "{'atLeast':'" + revision + "'" + comma + members + "}");
  }

  /// What was acknowledged can be found by its revision, however much comes meanwhile; and what has
  /// long been there is not waited for.
  @Test
  void freshnessBesideAWriterIsThatOfTheRevisionAlone() throws InterruptedException {
    String early = revision;
    keys(search(""));
    AtomicBoolean over = new AtomicBoolean();
    Thread writer =
        Thread.ofVirtual()
            .start(
                () -> {
                  for (int i = 0; !over.get(); i++) {
                    ask(
                        "POST",
                        BUCKET + "/documents",
                        document("w" + i % 10, "'title':'noise " + i + "'", "[0,0,1]")
                            .replace("'version':1", "'version':" + (i + 1)));
                  }
                });
    try {
      for (int i = 0; i < 20; i++) {
        Reply known = ask("POST", BUCKET + "/search", "{'atLeast':'" + early + "','waitMs':0}");
        assertThat(known.status()).as(known.text()).isEqualTo(200);
        String answered = known.json().get("revision").asString();
        Reply again = ask("POST", BUCKET + "/search", "{'atLeast':'" + answered + "','waitMs':0}");
        assertThat(again.status()).as("an answer's revision never waits").isEqualTo(200);
        put(document("own" + i, "'title':'mine'", "[0,0,1]"));
        assertThat(keys(search("'query':'mine','limit':100"))).contains("own" + i);
      }
    } finally {
      over.set(true);
      writer.join();
    }
  }

  private static List<String> keys(Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    List<String> keys = new ArrayList<>();
    reply.json().get("hits").forEach(hit -> keys.add(hit.get("pk").asString()));
    return keys;
  }

  private List<String> found(String members) {
    Reply reply = search(members);
    List<String> keys = keys(reply);
    assertThat(reply.json().get("total").asInt()).isEqualTo(keys.size());
    return keys;
  }

  @Test
  void wordsAreFound() {
    assertThat(found("")).containsExactly("blue-bike", "boat", "car", "red-bike");
    assertThat(found("'query':null,'cursor':null,'filter':null,'knn':null")).hasSize(4);
    assertThat(found("'query':'red bike'")).startsWith("red-bike").hasSize(4);
    assertThat(found("'query':'red bike','operator':'and'")).containsExactly("red-bike");
    assertThat(found("'query':'RED AND (bike OR car)'"))
        .containsExactlyInAnyOrder("red-bike", "car");
    assertThat(found("'query':'red bike OR boat','operator':'and'"))
        .containsExactlyInAnyOrder("red-bike", "boat");
    assertThat(found("'query':'\\\"red bike\\\"'")).containsExactly("red-bike");
    assertThat(found("'query':'\\\"boat blue\\\"'")).as("two values").isEmpty();
    assertThat(found("'query':'bik*'")).containsExactlyInAnyOrder("red-bike", "blue-bike");
    assertThat(found("'query':'bikk~1'")).containsExactlyInAnyOrder("red-bike", "blue-bike");
    assertThat(found("'query':'bicycle'")).as("english").hasSize(2);
    assertThat(found("'query':'bicycle','fields':['title']")).isEmpty();
    assertThat(found("'query':'team plan','operator':'and'")).containsExactly("red-bike");
    assertThat(found("'query':'blue','fields':['title^3','body']")).startsWith("blue-bike");
    assertThat(found("'query':'sport'")).containsExactlyInAnyOrder("red-bike", "blue-bike");
    assertThat(found("'query':'the'")).as("no such word").isEmpty();
  }

  @Test
  void filtersHold() {
    assertThat(found("'filter':{'price':{'gte':80.5,'lt':200}}"))
        .containsExactly("blue-bike", "red-bike");
    assertThat(found("'filter':{'price':9007199254740993}")).containsExactly("car");
    assertThat(found("'filter':{'price':9007199254740992}")).isEmpty();
    assertThat(found("'filter':{'price':{'gt':9007199254740992}}")).containsExactly("car");
    assertThat(found("'filter':{'price':{'lt':0}}")).containsExactly("boat");
    assertThat(found("'filter':{'tags':{'in':['sport']},'title':'Red bike'}"))
        .containsExactly("red-bike");
    assertThat(found("'filter':{'not':{'tags':'sport'}}")).containsExactly("boat", "car");
    assertThat(found("'filter':{'or':[{'tags':['used']},{'price':-3}]}"))
        .containsExactly("boat", "car", "red-bike");
    assertThat(found("'filter':{'or':[]}")).isEmpty();
    assertThat(found("'filter':{'sold':{'exists':false}}")).containsExactly("boat");
    assertThat(found("'filter':{'title':{'prefix':'Red'}}"))
        .containsExactly("boat", "car", "red-bike");
    assertThat(found("'filter':{'file':{'wildcard':'*Team-?/pl*'}}")).containsExactly("red-bike");
    assertThat(found("'filter':{'place':{'near':{'lat':48.8,'lon':2.3,'meters':20000}}}"))
        .containsExactly("red-bike");
    assertThat(found("'filter':{'sold':{'gte':'2026-02-01T00:00:00Z'}}"))
        .containsExactly("blue-bike", "car");
    assertThat(found("'filter':{'secret':'s'}")).containsExactly("blue-bike");
    assertThat(search("'filter':{'secret':'s'}").text()).as("not stored").doesNotContain("secret");
  }

  @Test
  void hitsAreSortedAndPaged() {
    assertThat(found("'sort':['-price']")).containsExactly("car", "red-bike", "blue-bike", "boat");
    assertThat(found("'sort':['sold']"))
        .as("without a value: last")
        .containsExactly("red-bike", "blue-bike", "car", "boat");
    assertThat(found("'sort':['-sold']")).containsExactly("car", "blue-bike", "red-bike", "boat");
    List<String> pages = new ArrayList<>();
    String cursor = "";
    for (int i = 0; i < 5; i++) {
      Reply page =
          search("'sort':['-price'],'limit':1" + (i == 0 ? "" : ",'cursor':'" + cursor + "'"));
      pages.addAll(keys(page));
      assertThat(page.json().get("total").asInt()).isEqualTo(4);
      JsonNode next = page.json().get("cursor");
      if (i == 0) {
        put(document("z-new", "'price':1000", "[1,1,1]"));
      }
      cursor = next.asString("");
    }
    assertThat(pages)
        .as("the view stands still")
        .containsExactly("car", "red-bike", "blue-bike", "boat");
    assertThat(cursor).isEmpty();
  }

  @Test
  void aPageWithEverythingIsTheLast() {
    Reply all = search("'limit':4");
    assertThat(keys(all)).hasSize(4);
    assertThat(all.json().path("cursor").isString()).isFalse();
  }

  @Test
  void cursorsAreOfTheirListAndOfTheirTime() {
    String cursor = search("'limit':1").json().get("cursor").asString();
    assertThat(search("'limit':2,'cursor':'" + cursor + "'").status()).isEqualTo(200);
    String again = search("'limit':1").json().get("cursor").asString();
    for (String other :
        List.of(
            "'limit':1,'query':'red','cursor':'" + again + "'",
            "'limit':1,'cursor':'x" + again.substring(1) + "'",
            "'limit':1,'cursor':'!'")) {
      Reply reply = search(other);
      assertThat(reply.status()).as(reply.text()).isEqualTo(400);
      assertThat(reply.json().get("code").asString()).isEqualTo("BAD_CURSOR");
      assertThat(reply.json().get("pointer").asString()).isEqualTo("/cursor");
    }
    String other = fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN).secret();
    String mine = "{\"limit\":1,\"cursor\":\"" + again + "\"}";
    for (Reply reply :
        List.of(
            fixture.ask("POST", BUCKET + "/search", Optional.of(other), Optional.of(mine)),
            ask("POST", "/v1/accounts/acme/buckets/offers/search", mine),
            ask("POST", "/v1/accounts/acme/search", mine))) {
      assertThat(reply.status()).as(reply.text()).isEqualTo(400);
      assertThat(reply.json().get("code").asString()).isEqualTo("BAD_CURSOR");
    }
    fixture.clock.advance(Duration.ofMinutes(6));
    Reply late = search("'limit':1,'cursor':'" + again + "'");
    assertThat(late.status()).as(late.text()).isEqualTo(410);
  }

  @Test
  void valuesAreCounted() {
    JsonNode facets =
        search(
                "'query':'red','limit':0,'facets':{'tags':{},'price':{'ranges':[0,100,1000]},'sold':{'interval':'day'}}")
            .json()
            .get("facets");
    assertThat(facets.toString().replace('"', '\''))
        .isEqualTo(
            "{'price':{'buckets':[{'to':0,'count':1},{'from':0,'to':100,'count':0},{'from':100,'to':1000,'count':1},{'from':1000,'count':1}]},"
                + "'sold':{'buckets':[{'value':'2026-01-31T00:00:00Z','count':1},{'value':'2026-02-01T00:00:00Z','count':1}]},"
                + "'tags':{'buckets':[{'value':'used','count':2},{'value':'sport','count':1}]}}");
  }

  @Test
  void whatWasFoundIsShown() {
    JsonNode hit = search("'query':'children','highlight':['body']").json().get("hits").get(0);
    assertThat(hit.at("/highlight/body/0").asString())
        .isEqualTo("A bicycle for &lt;b&gt;<em>children</em>&lt;&#x2F;b&gt;");
    assertThat(hit.at("/fields/title").asString()).isEqualTo("Blue bike");
    assertThat(hit.get("bucket").asString()).isEqualTo("shop");
  }

  @Test
  void theNearestAreFoundAndFused() {
    Reply near = search("'knn':{'field':'vec','vector':[1,0,0],'k':2}");
    assertThat(keys(near)).containsExactly("red-bike", "blue-bike");
    assertThat(near.json().get("neighbours").asString()).isEqualTo("exact");
    assertThat(
            keys(
                search(
                    "'knn':{'field':'vec','vector':[1,0,0],'k':1},'filter':{'tags':'used','price':{'gt':200}}")))
        .as("the filter is inside")
        .containsExactly("car");
    assertThat(
            keys(
                search(
                    "'query':'car','knn':{'field':'vec','vector':[0,0.9,1],'k':2},'fusion':'rrf'")))
        .containsExactly("car", "boat");
  }

  @Test
  void whatCannotBeAskedIsSaidWithItsPlace() {
    List<List<String>> wrong =
        List.of(
            List.of("'filter':{'nothing':1}", "/filter/nothing"),
            List.of("'filter':{'price':'x'}", "/filter/price"),
            List.of("'filter':{'and':[{'price':{'gte':'x'}}]}", "/filter/and/0/price/gte"),
            List.of("'filter':{'price':{'foo':1}}", "/filter/price/foo"),
            List.of("'filter':{'body':'x'}", "/filter/body"),
            List.of("'filter':{'price':{'prefix':'1'}}", "/filter/price/prefix"),
            List.of(
                "'filter':{'place':{'near':{'lat':91,'lon':0,'meters':1}}}",
                "/filter/place/near/lat"),
            List.of("'filter':[]", "/filter"),
            List.of(
                "'filter':{'title':{'wildcard':'" + "*a".repeat(200) + "'}}",
                "/filter/title/wildcard"),
            List.of(
                "'filter':{'or':[" + "{'price':1},".repeat(9999) + "{'price':1}]}",
                "/filter/or/499/price"),
            List.of("'fields':['price'],'query':'x'", "/fields/0"),
            List.of("'fields':['nothing^2'],'query':'x'", "/fields/0"),
            List.of("'fields':['title^x'],'query':'x'", "/fields/0"),
            List.of("'query':'\\\"open'", "/query"),
            List.of("'query':'a AND'", "/query"),
            List.of("'query':'(a'", "/query"),
            List.of("'query':'" + "a ".repeat(4000) + "'", "/query"),
            List.of("'query':'" + "a".repeat(9000) + "'", "/query"),
            List.of("'query':'" + "ab".repeat(200) + "~2'", "/query"),
            List.of("'query':'" + manyLetters() + "'", "/query"),
            List.of("'query':'\\\"" + "a ".repeat(2000) + "\\\"'", "/query"),
            List.of("'sort':['body']", "/sort/0"),
            List.of("'sort':['title','-nothing']", "/sort/1"),
            List.of("'facets':{'body':{}}", "/facets/body"),
            List.of("'facets':{'price':{'ranges':[2,1]}}", "/facets/price/ranges/1"),
            List.of("'facets':{'price':{'interval':'day'}}", "/facets/price/interval"),
            List.of("'highlight':['price']", "/highlight/0"),
            List.of("'knn':{'field':'vec','vector':[1]}", "/knn/vector"),
            List.of("'knn':{'field':'none','vector':[1]}", "/knn/field"),
            List.of("'knn':{'field':'vec','vector':[1,0,'x']}", "/knn/vector/2"),
            List.of("'limit':1001", "/limit"),
            List.of("'limit':-1", "/limit"),
            List.of("'operator':'xor'", "/operator"),
            List.of("'unknown':1", "/unknown"));
    for (List<String> each : wrong) {
      Reply reply = search(each.getFirst());
      assertThat(reply.status()).as("%s: %s", each.getFirst(), reply.text()).isEqualTo(400);
      assertThat(reply.json().get("pointer").asString())
          .as("%s", each.getFirst().substring(0, Math.min(80, each.getFirst().length())))
          .isEqualTo(each.get(1));
    }
  }

  /// Each of them is a word.
  private static String manyLetters() {
    StringBuilder letters = new StringBuilder();
    for (int i = 0; i < 1500; i++) {
      letters.append((char) (0x4e00 + i)).append(i % 100 == 0 ? " " : "");
    }
    return letters.toString();
  }

  @Test
  void hardPatternsAreRefused() {
    Reply reply = search("'filter':{'title':{'wildcard':'*a" + "?".repeat(100) + "'}}");
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.json().get("pointer").asString()).isEqualTo("/filter");
  }

  @Test
  void whatTakesTooLongIsNotComplete() {
    found("");
    Reply reply = search("'timeoutMs':0,'query':'red','highlight':['title']");
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(reply.json().get("complete").asBoolean()).isFalse();
  }

  @Test
  void aRevisionOfNobodyIsRefused() {
    Reply reply = ask("POST", BUCKET + "/search", "{'atLeast':'nonsense'}");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.json().get("pointer").asString()).isEqualTo("/atLeast");
  }

  /// What came first must not matter.
  @Test
  void equallyNearOnesAreInTheOrderOfTheirKeys() {
    put(document("z-same", "'title':'z'", "[0.5,0.5,0.5]"));
    put(document("c-same", "'title':'c'", "[0.5,0.5,0.5]"));
    String nearest = "'knn':{'field':'vec','vector':[1e-30,1e-30,1e-30],'k':1}";
    assertThat(keys(search(nearest))).containsExactly("c-same");
    put(document("a-tiny", "'title':'a'", "[1e-30,1e-30,1e-30]"));
    assertThat(keys(search(nearest))).containsExactly("a-tiny");
  }

  @Test
  void wordsAreSuggested() {
    found("");
    Reply reply = ask("POST", BUCKET + "/suggest", "{'prefix':'B'}");
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    List<String> words = new ArrayList<>();
    reply
        .json()
        .get("suggestions")
        .forEach(each -> words.add(each.get("text").asString() + each.get("count").asLong()));
    assertThat(words).containsExactly("bicycl2", "bike2", "blue2", "b1", "boat1");
    put(
        "{'pk':'boat','epoch':1,'version':2,'modifiedAt':'2026-01-31T12:00:00Z','action':'DELETE'}");
    found("");
    assertThat(ask("POST", BUCKET + "/suggest", "{'prefix':'boa','fields':['title']}").text())
        .contains("\"suggestions\":[]", "\"complete\":true");
    Reply wrong = ask("POST", BUCKET + "/suggest", "{'prefix':'x','fields':['price']}");
    assertThat(wrong.json().get("pointer").asString()).isEqualTo("/fields/0");
  }

  @Test
  void aDamagedOrMissingIndexIsMadeAnewByItself() throws IOException {
    assertThat(found("")).hasSize(4);
    for (String damage : List.of("nothing", "delete", "cut", "all")) {
      fixture.close();
      damage(damage);
      fixture = new ServerFixture(folder);
      assertThat(found("'query':'red'")).as(damage).hasSize(3);
    }
  }

  /// Whatever a reader makes of a byte that is another one now.
  @Test
  void anIndexWithAFlippedByteIsMadeAnewByItself() throws IOException {
    Random random = new Random(Seeds.first());
    assertThat(found("")).hasSize(4);
    for (int flip = 0; flip < 16; flip++) {
      fixture.close();
      String where = flip(random);
      fixture = new ServerFixture(folder);
      Waiting.until(
          "the right answer after " + where,
          () -> {
            Reply reply = ask("POST", BUCKET + "/search", "{'query':'red'}");
            assertThat(reply.status()).as(where + ": " + reply.text()).isIn(200, 500, 503);
            return reply.status() == 200 && reply.json().get("hits").size() == 3;
          });
    }
  }

  private String flip(Random random) throws IOException {
    try (Stream<Path> files = Files.list(index())) {
      List<Path> data =
          files
              .filter(file -> !file.getFileName().toString().equals("write.lock"))
              .sorted()
              .toList();
      Path file = data.get(random.nextInt(data.size()));
      byte[] bytes = Files.readAllBytes(file);
      int at = random.nextInt(bytes.length);
      bytes[at] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, bytes);
      return "byte %d of %s".formatted(at, file.getFileName());
    }
  }

  private Path index() throws IOException {
    try (Stream<Path> folders = Files.walk(folder)) {
      return folders
          .filter(each -> each.getFileName().toString().startsWith("veridex-acme-shop-e1"))
          .findFirst()
          .orElseThrow();
    }
  }

  private void damage(String how) throws IOException {
    Path index = index();
    try (Stream<Path> files = Files.list(index)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        boolean whole = name.endsWith(".cfs") || name.endsWith(".fdt");
        switch (how) {
          case "delete" -> {
            if (whole) {
              Files.delete(file);
            }
          }
          case "cut" -> {
            if (whole) {
              Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 30));
            }
          }
          case "all" -> Files.delete(file);
          default -> {}
        }
      }
    }
  }

  @Test
  void anIndexOfABucketThatIsGoneIsRemoved() throws IOException {
    found("");
    assertThat(ask("DELETE", BUCKET, "").status()).isEqualTo(200);
    fixture.clock.advance(Duration.ofSeconds(6));
    Waiting.until(
        "the files to be gone",
        () -> {
          try (Stream<Path> files = Files.walk(folder)) {
            return files.noneMatch(
                each -> each.getFileName().toString().startsWith("veridex-acme-shop"));
          } catch (IOException | UncheckedIOException e) {
            return false;
          }
        });
    assertThat(search("").status()).isEqualTo(404);
  }

  @Test
  void onlyAdministratorsSearchForNow() {
    assertThat(
            fixture.ask("POST", BUCKET + "/search", Optional.empty(), Optional.of("{}")).status())
        .isIn(401, 403);
  }

  @Test
  void whatExpiresIsGoneByTheClock() {
    put(
        "{'pk':'brief','epoch':1,'version':1,'modifiedAt':'%s','action':'UPSERT','ttl':60,'fields':{'title':'brief'}}"
            .formatted(fixture.clock.instant()));
    assertThat(found("'query':'brief'")).containsExactly("brief");
    fixture.clock.advance(Duration.ofSeconds(60));
    assertThat(found("'query':'brief'")).isEmpty();
    assertThat(found("")).doesNotContain("brief");
  }
}
