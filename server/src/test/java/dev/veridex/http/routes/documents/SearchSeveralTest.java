package dev.veridex.http.routes.documents;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Searches over several buckets at once. That they answer as one index with all documents would,
/// `SearchModelTest` tries with random questions.
final class SearchSeveralTest {
  private static final String ACCOUNT = "/v1/accounts/shop";

  @TempDir private Path folder;
  private ServerFixture fixture;
  private String revision = "";

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder);
    ask("PUT", ACCOUNT, "{}");
    for (String bucket : List.of("bikes", "cars", "news")) {
      create(bucket);
    }
    ask("PUT", ACCOUNT + "/buckets/things", "{'type':'items/1'}");
    put("bikes", "red", "'title':'Red bike','price':100,'tags':['used','sport'],'size':'L'");
    put("bikes", "same", "'title':'Blue bike','price':5,'tags':['sport']");
    put("cars", "van", "'title':'Red van','price':9000,'tags':['used'],'size':4");
    put("cars", "same", "'title':'Blue car','price':5,'tags':['used']");
    put("news", "today", "'title':'Red is back','lines':3");
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private void create(String bucket) {
    assertThat(ask("PUT", ACCOUNT + "/buckets/" + bucket, "{'type':'documents'}").status())
        .isEqualTo(201);
    assertThat(ask("PUT", ACCOUNT + "/buckets/" + bucket + "/epochs/1", "{}").status())
        .isEqualTo(200);
  }

  private void put(String bucket, String pk, String fields) {
    Reply reply =
        ask(
            "POST",
            ACCOUNT + "/buckets/" + bucket + "/documents",
            "[{'pk':'%s','epoch':1,'version':1,'modifiedAt':'2026-01-31T12:00:00Z','action':'UPSERT','fields':{%s}}]"
                .formatted(pk, fields));
    assertThat(reply.text()).doesNotContain("violations");
    revision = reply.json().get("revision").asString();
  }

  private Reply ask(String method, String target, String body) {
    return fixture.ask(method, target, Optional.of(ROOT), Optional.of(body.replace('\'', '"')));
  }

  private Reply search(String members) {
    return ask(
        "POST",
        ACCOUNT + "/search",
        "{'atLeast':'%s'%s}".formatted(revision, members.isEmpty() ? "" : "," + members));
  }

  private static List<String> found(Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    List<String> found = new ArrayList<>();
    for (JsonNode hit : reply.json().get("hits")) {
      found.add(hit.get("bucket").asString() + "/" + hit.get("pk").asString());
    }
    return found;
  }

  @Test
  void allBucketsOrSomeAreSearched() {
    Reply all = search("'query':'red'");
    assertThat(found(all)).containsExactlyInAnyOrder("bikes/red", "cars/van", "news/today");
    assertThat(all.json().get("total").asInt()).isEqualTo(3);
    assertThat(found(search("'query':'red','buckets':['news','bikes','news']")))
        .containsExactlyInAnyOrder("bikes/red", "news/today");
    assertThat(found(search("'filter':{'price':{'gte':5}}")))
        .as("a bucket without prices has nothing to find")
        .hasSize(4);
    assertThat(found(search("'filter':{'not':{'price':{'gte':6}}},'sort':['-lines']")))
        .containsExactly("news/today", "bikes/same", "cars/same");
  }

  @Test
  void hitsAndCountsAreThoseOfOneList() {
    List<String> sorted = List.of("bikes/same", "cars/same", "bikes/red", "cars/van", "news/today");
    assertThat(found(search("'sort':['price']"))).isEqualTo(sorted);
    Reply counted = search("'facets':{'tags':{'size':1},'price':{'ranges':[50]}},'limit':0");
    assertThat(counted.json().at("/facets/tags/buckets").toString())
        .isEqualTo("[{\"value\":\"used\",\"count\":3}]");
    assertThat(counted.json().at("/facets/price/buckets").toString())
        .isEqualTo("[{\"to\":50,\"count\":2},{\"from\":50,\"count\":2}]");
    List<String> pages = new ArrayList<>();
    Reply page = search("'sort':['price'],'limit':1");
    while (true) {
      pages.addAll(found(page));
      assertThat(page.json().get("total").asInt()).isEqualTo(5);
      assertThat(pages).doesNotHaveDuplicates();
      JsonNode cursor = page.json().path("cursor");
      if (!cursor.isString()) {
        break;
      }
      put("bikes", "new" + pages.size(), "'title':'New','price':50");
      create("later" + pages.size());
      page = search("'sort':['price'],'limit':1,'cursor':'" + cursor.asString() + "'");
    }
    assertThat(pages).as("views stand still, and equal keys are told apart").isEqualTo(sorted);
  }

  @Test
  void whatCannotBeAskedIsSaidWithItsPlace() {
    refused("'filter':{'nothing':1}", 400, "BAD_QUERY", "/filter/nothing");
    refused("'sort':['size']", 400, "BAD_QUERY", "/sort/0");
    refused("'facets':{'size':{}}", 400, "BAD_QUERY", "/facets/size");
    refused("'filter':{'size':'L'}", 400, "BAD_QUERY", "/filter/size");
    refused("'knn':{'field':'v','vector':[1]}", 400, "BAD_QUERY", "/knn/field");
    refused("'buckets':[]", 400, "BAD_QUERY", "/buckets");
    refused("'buckets':['bikes','nowhere']", 404, "NOT_FOUND", "");
    refused("'buckets':['things']", 404, "NOT_FOUND", "");
    String tooMany =
        IntStream.range(0, 31).mapToObj(i -> "'bucket-" + i + "'").collect(Collectors.joining(","));
    refused("'buckets':[" + tooMany + "]", 400, "BAD_QUERY", "/buckets");
    assertThat(ask("POST", "/v1/accounts/nobody/search", "{}").status()).isEqualTo(404);
    ask("PUT", "/v1/accounts/empty", "{}");
    assertThat(ask("POST", "/v1/accounts/empty/search", "{}").status()).isEqualTo(200);
    assertThat(ask("POST", "/v1/accounts/empty/search", "{'filter':{'x':1}}").status())
        .isEqualTo(400);
  }

  private void refused(String members, int status, String code, String pointer) {
    Reply reply = search(members);
    assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    assertThat(reply.json().get("code").asString()).isEqualTo(code);
    assertThat(reply.json().path("pointer").asString("")).as(reply.text()).isEqualTo(pointer);
  }

  @Test
  void theNearestAreThoseOfAll() {
    settle("bikes", "{'v':{'dims':2,'similarity':'euclidean'}}");
    settle("cars", "{'v':{'dims':2,'similarity':'euclidean'}}");
    putNear("bikes", "a", "[0,3]");
    putNear("bikes", "b", "[0,1]");
    putNear("cars", "c", "[0,2]");
    putNear("cars", "d", "[0,1]");
    putNear("cars", "e", "[0,9]");
    String knn = "'knn':{'field':'v','vector':[0,0],'k':%d}";
    assertThat(found(search(knn.formatted(1)))).containsExactly("bikes/b");
    assertThat(found(search(knn.formatted(3)))).containsExactly("bikes/b", "cars/d", "cars/c");
    Reply paged = search(knn.formatted(3) + ",'limit':2");
    assertThat(paged.json().get("total").asInt()).isEqualTo(3);
    assertThat(
            found(
                search(
                    knn.formatted(3)
                        + ",'limit':2,'cursor':'%s'"
                            .formatted(paged.json().get("cursor").asString()))))
        .containsExactly("cars/c");
    assertThat(found(search(knn.formatted(2) + ",'query':'bike','sort':['_pk']")))
        .containsExactly("bikes/b", "cars/d", "bikes/red", "bikes/same");
    Reply late = search(knn.formatted(3) + ",'timeoutMs':0");
    assertThat(late.json().get("complete").asBoolean()).isFalse();
    settle("news", "{'v':{'dims':2,'similarity':'dot'}}");
    refused(knn.formatted(3), 400, "BAD_QUERY", "/knn/field");
  }

  private void settle(String bucket, String embeddings) {
    Reply reply =
        ask(
            "PUT",
            ACCOUNT + "/buckets/" + bucket + "/epochs/1",
            "{'embeddings':%s}".formatted(embeddings));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
  }

  private void putNear(String bucket, String pk, String vector) {
    Reply reply =
        ask(
            "POST",
            ACCOUNT + "/buckets/" + bucket + "/documents",
            "[{'pk':'%s','epoch':1,'version':1,'modifiedAt':'2026-01-31T12:00:00Z','action':'UPSERT','fields':{'n':1},'embeddings':{'v':%s}}]"
                .formatted(pk, vector));
    assertThat(reply.text()).doesNotContain("violations");
    revision = reply.json().get("revision").asString();
  }

  /// What others write must not end a list: it is of what was there, and of what that was.
  @Test
  void pagesGoOnWhateverOthersWrite() {
    String cursor = search("'sort':['lines'],'limit':1").json().get("cursor").asString();
    put("bikes", "odd", "'lines':'many'");
    assertThat(found(search("'sort':['lines'],'limit':9,'cursor':'" + cursor + "'"))).hasSize(4);
    refused("'sort':['lines']", 400, "BAD_QUERY", "/sort/0");
  }

  @Test
  void cursorsEndWithTheirBuckets() {
    String cursor = search("'limit':1").json().get("cursor").asString();
    String next = "'limit':1,'cursor':'" + cursor + "'";
    assertThat(search(next).status()).isEqualTo(200);
    Reply other = search("'buckets':['bikes']," + next);
    assertThat(other.status()).as(other.text()).isEqualTo(400);
    assertThat(other.json().get("code").asString()).isEqualTo("BAD_CURSOR");
    assertThat(ask("DELETE", ACCOUNT + "/buckets/cars", "").status()).isLessThan(300);
    assertThat(search(next).status()).as("a bucket is gone").isEqualTo(404);
    create("cars");
    Reply anew = search(next);
    assertThat(anew.status()).as(anew.text()).isEqualTo(410);
    assertThat(anew.json().get("code").asString()).isEqualTo("CURSOR_EXPIRED");
  }
}
