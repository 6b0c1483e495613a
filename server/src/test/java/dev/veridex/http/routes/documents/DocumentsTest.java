package dev.veridex.http.routes.documents;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Timestamp;
import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.json.JsonText;
import dev.veridex.protocol.Action;
import dev.veridex.protocol.Embedding;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Documents through HTTP: what is accepted, what is refused and why, in every format.
final class DocumentsTest {
  private static final String BUCKET = "/v1/accounts/acme/buckets/shop";
  private static final String GOOD =
      "{'pk':'a','epoch':1,'version':1,'modifiedAt':'2026-01-31T12:00:00Z','action':'UPSERT','fields':{'title':'Red bike'}}";

  @TempDir private Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder);
    fixture.arrange();
    bucket(BUCKET, "{'type':'documents'}");
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private void bucket(String target, String body) {
    assertThat(ask("PUT", target, body).status()).isIn(200, 201);
  }

  private Reply ask(String method, String target, String body) {
    return fixture.ask(
        method,
        target,
        Optional.of(ROOT),
        body.isEmpty() ? Optional.empty() : Optional.of(body.replace('\'', '"')));
  }

  private Reply receive(String body) {
    return ask("POST", BUCKET + "/documents", body);
  }

  private Reply stream(String type, byte[] body) {
    return fixture.send(
        "POST", BUCKET + "/documents", Optional.of(ROOT), List.of("Content-Type", type), body);
  }

  private static JsonNode result(Reply reply) {
    return reply.json().get("results").get(0);
  }

  private static List<String> statuses(Reply reply) {
    List<String> statuses = new ArrayList<>();
    reply.json().get("results").forEach(each -> statuses.add(each.get("status").asString()));
    return statuses;
  }

  @Test
  void aDocumentIsReadAsItCame() {
    String document =
        "{'pk':'ключ/1','epoch':1,'version':3,'modifiedAt':'2026-01-31T12:00:00.0000019Z','action':'UPSERT','ttl':31536000,"
            + "'fields':{'title':'Red bike','price':120,'exact':9007199254740993,'half':0.5,'tags':['sport','used'],'new':true},'embeddings':{'title_vec':[0.25,0.5]}}";
    fixture.clock.set(Instant.parse("2026-02-01T00:00:00Z"));
    Reply reply = receive(document);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(result(reply).get("status").asString()).isEqualTo("ACK");
    assertThat(reply.json().get("revision").asString()).isNotEmpty();
    JsonNode read = fixture.get(ROOT, BUCKET + "/documents/%D0%BA%D0%BB%D1%8E%D1%87%2F1").json();
    assertThat(read.get("fields"))
        .isEqualTo(JsonText.read(document.replace('\'', '"').getBytes(UTF_8)).get("fields"));
    assertThat(read.get("modifiedAt").asString()).isEqualTo("2026-01-31T12:00:00.000001Z");
    assertThat(read.get("expiresAt").asString()).isEqualTo("2027-01-31T12:00:00.000001Z");
    assertThat(read.get("embeddings").get("title_vec").get(1).asDouble()).isEqualTo(0.5);
    fixture.clock.advance(Duration.ofDays(366));
    assertThat(fixture.get(ROOT, BUCKET + "/documents/%D0%BA%D0%BB%D1%8E%D1%87%2F1").status())
        .as("its life is over")
        .isEqualTo(404);
  }

  /// Each wrong document, and the code that it gets.
  @Test
  void everythingWrongHasItsCode() {
    long ahead = fixture.clock.instant().plus(Duration.ofMinutes(11)).getEpochSecond();
    List<List<String>> wrong =
        List.of(
            List.of("BAD_KEY", "'pk':'a'", "'pk':''"),
            List.of("BAD_KEY", "'pk':'a',", ""),
            List.of("BAD_KEY", "'pk':'a'", "'pk':5"),
            List.of("BAD_KEY", "'pk':'a'", "'pk':'" + "x".repeat(1025) + "'"),
            List.of("BAD_KEY", "'pk':'a'", "'pk':'bucket:x'"),
            List.of("BAD_VERSION", "'version':1", "'version':-1"),
            List.of("BAD_VERSION", "'version':1", "'version':1.5"),
            List.of("BAD_TIMESTAMP", "'modifiedAt':'2026-01-31T12:00:00Z',", ""),
            List.of("BAD_TIMESTAMP", "2026-01-31T12:00:00Z", "yesterday"),
            List.of(
                "BAD_TIMESTAMP", "2026-01-31T12:00:00Z", Instant.ofEpochSecond(ahead).toString()),
            List.of("BAD_ACTION", "UPSERT", "upsert"),
            List.of("BAD_ACTION", "'action':'UPSERT',", ""),
            List.of("UNKNOWN_EPOCH", "'epoch':1", "'epoch':2"),
            List.of("UNKNOWN_EPOCH", "'epoch':1,", ""),
            List.of("BAD_TTL", "'action'", "'ttl':0,'action'"),
            List.of("BAD_TTL", "'action'", "'ttl':-5,'action'"),
            List.of("BAD_TTL", "'action'", "'ttl':59,'action'"),
            List.of("BAD_TTL", "'action'", "'ttl':'long','action'"),
            List.of("NO_FIELDS", "{'title':'Red bike'}", "{}"),
            List.of("NO_FIELDS", ",'fields':{'title':'Red bike'}", ""),
            List.of("NO_FIELDS", "{'title':'Red bike'}", "[]"),
            List.of("EMPTY_FIELD_VALUE", "'Red bike'", "null"),
            List.of("EMPTY_FIELD_VALUE", "'Red bike'", "[]"),
            List.of("EMPTY_FIELD_VALUE", "'Red bike'", "['a',null]"),
            List.of("SCHEMA_MISMATCH", "'Red bike'", "{'a':1}"),
            List.of("SCHEMA_MISMATCH", "'Red bike'", "[['a']]"),
            List.of("SCHEMA_MISMATCH", "'Red bike'", "['a',1]"),
            List.of("SCHEMA_MISMATCH", "'Red bike'", "9223372036854775808"),
            List.of("SCHEMA_MISMATCH", "'Red bike'", "1e999"),
            List.of("SCHEMA_MISMATCH", "'Red bike'", "{'lat':1,'lon':2}"),
            List.of("BAD_NAME", "'title'", "''"),
            List.of("BAD_NAME", "'title'", "'_title'"),
            List.of("BAD_NAME", "'title'", "'" + "x".repeat(257) + "'"),
            List.of("DUPLICATE_NAME", "'Red bike'}", "'Red bike'},'embeddings':{'title':[1]}"),
            List.of("BAD_EMBEDDING", "'Red bike'}", "'Red bike'},'embeddings':{'v':[]}"),
            List.of("BAD_EMBEDDING", "'Red bike'}", "'Red bike'},'embeddings':{'v':['a']}"),
            List.of("BAD_EMBEDDING", "'Red bike'}", "'Red bike'},'embeddings':{'v':[1e39]}"),
            List.of("BAD_EMBEDDING", "'Red bike'}", "'Red bike'},'embeddings':{'v':5}"),
            List.of("BAD_REQUEST", "'action'", "'acton':1,'action'"));
    for (List<String> each : wrong) {
      String body = GOOD.replace(each.get(1), each.get(2));
      assertThat(body).isNotEqualTo(GOOD);
      Reply reply = receive(body);
      assertThat(result(reply).get("status").asString())
          .as("%s: %s", each.get(2), reply.text())
          .isEqualTo(each.get(0));
      assertThat(reply.status()).isEqualTo(each.get(0).equals("BAD_REQUEST") ? 400 : 422);
      assertThat(result(reply).get("violations").get(0).get("detail").asString()).isNotEmpty();
    }
    assertThat(fixture.get(ROOT, BUCKET + "/documents/a").status())
        .as("nothing was stored")
        .isEqualTo(404);
    assertThat(fixture.get(ROOT, BUCKET + "/epochs").json().at("/items/0/schema/fields").size())
        .as("nothing was settled")
        .isZero();
  }

  @Test
  void allThatIsWrongIsTold() {
    Reply reply =
        receive(
            "{'pk':'','epoch':7,'version':-1,'action':'x','ttl':0,'fields':{'_a':1,'b':null},'embeddings':{'v':[]}}");
    List<String> codes = new ArrayList<>();
    result(reply).get("violations").forEach(each -> codes.add(each.get("code").asString()));
    assertThat(codes)
        .containsExactly(
            "BAD_KEY",
            "BAD_VERSION",
            "BAD_TIMESTAMP",
            "BAD_ACTION",
            "UNKNOWN_EPOCH",
            "BAD_NAME",
            "EMPTY_FIELD_VALUE",
            "BAD_EMBEDDING");
    assertThat(result(reply).get("status").asString()).isEqualTo("BAD_KEY");
    assertThat(reply.status()).isEqualTo(422);
  }

  @Test
  void neighboursAreIndependent() {
    Reply reply =
        receive(
            "["
                + String.join(
                    ",",
                    GOOD,
                    "5",
                    GOOD.replace("'a'", "''"),
                    GOOD,
                    GOOD.replace("'version':1", "'version':2"),
                    GOOD,
                    GOOD.replace("Red", "Blue").replace("'version':1", "'version':2"),
                    GOOD.replace("'a'", "'b'").replace("'Red bike'", "7"),
                    GOOD.replace("'a'", "'c'"))
                + "]");
    assertThat(reply.status()).isEqualTo(200);
    assertThat(statuses(reply))
        .containsExactly(
            "ACK",
            "BAD_REQUEST",
            "BAD_KEY",
            "ACK_DUPLICATE",
            "ACK",
            "STALE_DOCUMENT",
            "CONFLICT",
            "SCHEMA_MISMATCH",
            "ACK");
    assertThat(statuses(receive("[]"))).isEmpty();
  }

  @Test
  void linesAreAnsweredOneByOneAndHalfALineIsOne() {
    String lines =
        GOOD + "\n\n" + "not json\n" + GOOD.replace("'a'", "'b'") + "\n" + GOOD.substring(0, 40);
    Reply reply = stream("application/x-ndjson", lines.replace('\'', '"').getBytes(UTF_8));
    assertThat(reply.status()).isEqualTo(200);
    List<JsonNode> answers =
        reply.text().lines().map(line -> JsonText.read(line.getBytes(UTF_8))).toList();
    assertThat(answers).hasSize(5);
    assertThat(answers.subList(0, 4))
        .extracting(each -> each.get("status").asString())
        .containsExactly("ACK", "BAD_REQUEST", "ACK", "BAD_REQUEST");
    assertThat(answers.getLast().get("revision").asString()).isNotEmpty();
  }

  private static RawDocument.Builder message(String pk) {
    return RawDocument.newBuilder()
        .setPk(pk)
        .setEpoch(1)
        .setVersion(1)
        .setModifiedAt(Timestamp.newBuilder().setSeconds(1_769_860_800))
        .setAction(Action.UPSERT)
        .addFields(
            Field.newBuilder().setName("title").addValues(Value.newBuilder().setText("Red bike")));
  }

  private static byte[] delimited(List<byte[]> messages) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      for (byte[] message : messages) {
        CodedOutputStream coded = CodedOutputStream.newInstance(out);
        coded.writeUInt32NoTag(message.length);
        coded.flush();
        out.write(message);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  @Test
  void protobufSaysTheSameAsJson() {
    assertThat(statuses(receive("[" + GOOD + "]"))).containsExactly("ACK");
    List<byte[]> messages =
        List.of(
            message("a").build().toByteArray(),
            message("b").build().toByteArray(),
            "no message of ours".getBytes(UTF_8),
            message("c").setActionValue(7).build().toByteArray(),
            message("d")
                .addEmbeddings(
                    Embedding.newBuilder().setName("v").addValues(Float.NaN).addValues(1))
                .build()
                .toByteArray(),
            message("e").addFields(Field.newBuilder().setName("title")).build().toByteArray(),
            message("f").addFields(Field.newBuilder().setName("empty")).build().toByteArray(),
            message("g").clearModifiedAt().build().toByteArray(),
            message("h")
                .setModifiedAt(Timestamp.newBuilder().setSeconds(1).setNanos(-1))
                .build()
                .toByteArray());
    Reply reply = stream("application/x-protobuf", delimited(messages));
    List<String> statuses =
        reply
            .text()
            .lines()
            .map(line -> JsonText.read(line.getBytes(UTF_8)).path("status").asString("last"))
            .toList();
    assertThat(statuses)
        .containsExactly(
            "ACK_DUPLICATE",
            "ACK",
            "BAD_REQUEST",
            "BAD_ACTION",
            "BAD_EMBEDDING",
            "DUPLICATE_NAME",
            "EMPTY_FIELD_VALUE",
            "BAD_TIMESTAMP",
            "BAD_TIMESTAMP",
            "last");
    byte[] whole = delimited(messages.subList(0, 2));
    Reply cut = stream("application/x-protobuf", Arrays.copyOf(whole, whole.length - 3));
    assertThat(cut.text()).contains("ends in the middle of a message");
  }

  @Test
  void largeAndDeepThingsAreRefusedAndNobodyElseSuffers() {
    String large = GOOD.replace("Red bike", "x".repeat(5 << 20)).replace("'a'", "'large'");
    Reply reply = receive("[" + large + "," + GOOD + "]");
    assertThat(statuses(reply)).containsExactly("TOO_LARGE", "ACK");
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      many.append(i == 0 ? "" : ",").append("'f").append(i).append("':").append(i);
    }
    String wide = GOOD.replace("'title':'Red bike'", many).replace("'a'", "'wide'");
    assertThat(statuses(receive("[" + wide + "," + GOOD.replace("'a'", "'b'") + "]")))
        .containsExactly("SCHEMA_MISMATCH", "ACK");
    String deep = "[".repeat(150) + "1" + "]".repeat(150);
    assertThat(statuses(receive("[" + GOOD.replace("'Red bike'", deep) + "]")))
        .containsExactly("SCHEMA_MISMATCH");
    Reply deeper =
        stream(
            "application/x-ndjson",
            (GOOD.replace("'Red bike'", "[".repeat(5000) + "]".repeat(5000))
                    + "\n"
                    + GOOD.replace("'a'", "'c'"))
                .replace('\'', '"')
                .getBytes(UTF_8));
    assertThat(deeper.text().lines().map(line -> line.contains("\"ACK\"")))
        .containsExactly(false, true, false);
    String big = GOOD.replace("Red bike", "x".repeat(3 << 20)).replace("'a'", "'big'");
    assertThat(result(receive(big)).get("status").asString()).isEqualTo("ACK");
    assertThat(fixture.get(ROOT, BUCKET + "/documents/big").json().at("/fields/title").asString())
        .hasSize(3 << 20);
  }

  @Test
  void whatHasExpiredIsRememberedOnly() {
    Instant past = fixture.clock.instant().minus(Duration.ofHours(2));
    String expired =
        GOOD.replace("2026-01-31T12:00:00Z", past.toString())
            .replace("'action'", "'ttl':3600,'action'")
            .replace("'version':1", "'version':2");
    assertThat(result(receive(GOOD)).get("status").asString()).isEqualTo("ACK");
    JsonNode result = result(receive(expired));
    assertThat(result.get("status").asString()).isEqualTo("ACK");
    assertThat(result.get("expired").asBoolean()).isTrue();
    assertThat(fixture.get(ROOT, BUCKET + "/documents/a").status()).isEqualTo(404);
    assertThat(result(receive(expired)).get("status").asString()).isEqualTo("ACK_DUPLICATE");
    assertThat(result(receive(GOOD)).get("status").asString()).isEqualTo("STALE_DOCUMENT");
  }

  @Test
  void tombstonesAreForgottenAndWhatIsTooLateCanBeRefused() {
    String strict = "/v1/accounts/acme/buckets/strict";
    bucket(
        strict,
        "{'type':'documents','settings':{'tombstoneRetention':3600,'lateDocuments':'reject'}}");
    Instant now = fixture.clock.instant();
    String fresh = GOOD.replace("2026-01-31T12:00:00Z", now.toString());
    String delete = fresh.replace("UPSERT", "DELETE").replace("'version':1", "'version':2");
    for (String document : List.of(fresh, delete)) {
      assertThat(result(ask("POST", strict + "/documents", document)).get("status").asString())
          .isEqualTo("ACK");
    }
    assertThat(result(ask("POST", strict + "/documents", fresh)).get("status").asString())
        .isEqualTo("STALE_DOCUMENT");
    fixture.clock.advance(Duration.ofMinutes(61));
    Reply late = ask("POST", strict + "/documents", fresh);
    assertThat(result(late).get("status").asString()).isEqualTo("TOO_LATE");
    assertThat(late.status()).isEqualTo(409);
    assertThat(result(receive(GOOD)).get("status").asString())
        .as("old documents are accepted where nobody says otherwise")
        .isEqualTo("ACK");
  }

  @Test
  void schemasSettleAndStay() {
    Reply declared =
        ask(
            "PUT",
            BUCKET + "/epochs/1",
            "{'fields':{'at':{'type':'timestamp'},'where':{'type':'geo','multi':true},'raw':{'type':'bytes'},'title':{'type':'text','analyzer':'russian'}},'embeddings':{'v':{'dims':2,'similarity':'dot'}}}");
    assertThat(declared.status()).as(declared.text()).isEqualTo(200);
    String typed =
        GOOD.replace(
            "'Red bike'",
            "'Велосипед','at':'2026-01-31T15:00:00+03:00','where':[{'lat':1,'lon':2},{'lat':-1,'lon':2}],'raw':'AAEC'");
    assertThat(statuses(receive("[" + typed + "]"))).containsExactly("ACK");
    for (String wrong :
        List.of(
            typed.replace("2026-01-31T15:00:00+03:00", "noon"),
            typed.replace("'lat':-1", "'lat':-91"),
            typed.replace("AAEC", "A!"),
            typed.replace("'Велосипед'", "5"))) {
      assertThat(result(receive(wrong.replace("'a'", "'w'"))).get("status").asString())
          .isEqualTo("SCHEMA_MISMATCH");
    }
    assertThat(
            result(
                    receive(
                        GOOD.replace("'a'", "'w'")
                            .replace("bike'}", "bike'},'embeddings':{'v':[1,2,3]}")))
                .get("status")
                .asString())
        .isEqualTo("BAD_EMBEDDING");
    for (String change :
        List.of(
            "{'fields':{'title':{'type':'keyword'}}}",
            "{'fields':{'title':{'type':'text','filter':true,'analyzer':'russian'}}}",
            "{'fields':{'v':{'type':'number'}}}",
            "{'embeddings':{'v':{'dims':3,'similarity':'dot'}}}")) {
      Reply refused = ask("PUT", BUCKET + "/epochs/1", change);
      assertThat(refused.code()).as(change).isEqualTo("SCHEMA_MISMATCH");
      assertThat(refused.json().get("pointer").asString()).isNotEmpty();
    }
    assertThat(
            ask(
                    "PUT",
                    BUCKET + "/epochs/1",
                    "{'dynamic':false,'fields':{'title':{'type':'text','analyzer':'russian','multi':true}}}")
                .status())
        .isEqualTo(200);
    assertThat(
            result(receive(GOOD.replace("'a'", "'w'").replace("'title'", "'other'")))
                .get("status")
                .asString())
        .isEqualTo("SCHEMA_MISMATCH");
    assertThat(
            result(receive(GOOD.replace("'a'", "'w'").replace("'Red bike'", "['a','b']")))
                .get("status")
                .asString())
        .isEqualTo("ACK");
    assertThat(ask("PUT", BUCKET + "/epochs/3", "{}").code()).isEqualTo("NOT_FOUND");
    assertThat(ask("PUT", BUCKET + "/epochs/1", "{'fields':{'_x':{'type':'text'}}}").code())
        .isEqualTo("BAD_REQUEST");
    assertThat(ask("PUT", BUCKET + "/epochs/1", "{'fields':{'x':{'type':'word'}}}").code())
        .isEqualTo("BAD_REQUEST");
  }

  @Test
  void whatAChangeOfASchemaDoesNotNameStays() {
    String declared =
        "{'dynamic':false,'fields':{'title':{'type':'text','sort':false,'filter':true,'stored':false,'analyzer':'english','multi':true}},"
            + "'embeddings':{'v':{'dims':3,'similarity':'dot','quantized':true}}}";
    assertThat(ask("PUT", BUCKET + "/epochs/1", declared).status()).isEqualTo(200);
    JsonNode before = fixture.get(ROOT, BUCKET + "/epochs").json().at("/items/0/schema");
    for (String change :
        List.of(
            "{}",
            "{'fields':{'title':{'type':'text'}}}",
            "{'fields':{'title':{'type':'text','filter':true}}}",
            "{'embeddings':{'v':{'dims':3}}}")) {
      Reply changed = ask("PUT", BUCKET + "/epochs/1", change);
      assertThat(changed.status()).as("%s: %s", change, changed.text()).isEqualTo(200);
      assertThat(fixture.get(ROOT, BUCKET + "/epochs").json().at("/items/0/schema"))
          .as(change)
          .isEqualTo(before);
    }
    assertThat(ask("PUT", BUCKET + "/epochs/1", "{'dynamic':true}").status()).isEqualTo(200);
    assertThat(
            fixture.get(ROOT, BUCKET + "/epochs").json().at("/items/0/schema/dynamic").asBoolean())
        .isTrue();
  }

  @Test
  void theFirstOneSettlesAName() {
    assertThat(
            statuses(
                receive(
                    "["
                        + GOOD.replace("'Red bike'", "5")
                        + ","
                        + GOOD.replace("'a'", "'b'")
                        + ","
                        + GOOD.replace("'a'", "'c'").replace("'Red bike'", "[1,2.5]")
                        + "]")))
        .containsExactly("ACK", "SCHEMA_MISMATCH", "ACK");
    JsonNode title =
        fixture.get(ROOT, BUCKET + "/epochs").json().at("/items/0/schema/fields/title");
    assertThat(title.get("type").asString()).isEqualTo("number");
    assertThat(title.get("multi").asBoolean()).isTrue();
    assertThat(title.get("facet").asBoolean()).isTrue();
  }

  @Test
  void whoMayNotReadHearsNothingOfWhatIsStored() {
    String guarded = "/v1/accounts/acme/buckets/guarded";
    bucket(
        guarded,
        "{'type':'documents','acl':{'write':[{'userGroups':{'oneOf':['*']}}],'read':[{'userGroups':{'oneOf':['readers']}}]}}");
    String ada = fixture.person("tenant:acme", "ada");
    Reply nothing =
        fixture.ask(
            "POST", guarded + "/documents", Optional.of(ada), Optional.of(GOOD.replace('\'', '"')));
    assertThat(nothing.status()).as("no right on the document").isEqualTo(404);
    ask(
        "POST",
        "/v1/accounts/acme/access/individuals",
        "{'@id':'1','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'bucket:guarded','v-s:permissionSubject':'ada','v-s:canCreate':true,'v-s:canUpdate':true}");
    List<String> heard = new ArrayList<>();
    for (String document :
        List.of(
            GOOD.replace("'version':1", "'version':2"),
            GOOD.replace("'version':1", "'version':2"),
            GOOD,
            GOOD.replace("Red", "Blue").replace("'version':1", "'version':2"),
            GOOD.replace("UPSERT", "DELETE").replace("'version':1", "'version':3"))) {
      heard.addAll(
          statuses(
              fixture.ask(
                  "POST",
                  guarded + "/documents",
                  Optional.of(ada),
                  Optional.of("[" + document.replace('\'', '"') + "]"))));
    }
    assertThat(heard).containsExactly("ACK", "ACK", "REJECTED", "REJECTED", "NOT_FOUND");
    assertThat(fixture.get(ada, guarded + "/documents/a").status()).isEqualTo(404);
    assertThat(fixture.get(ROOT, guarded + "/documents/a").status()).isEqualTo(200);
  }

  /// One of many that is refused is written down as one alone is.
  @Test
  void whoIsRefusedInTheMiddleIsWrittenDown() {
    String open = "/v1/accounts/acme/buckets/open";
    bucket(
        open,
        "{'type':'documents','acl':{'write':[{'userGroups':{'oneOf':['*']}}],'read':[{'userGroups':{'oneOf':['*']}}]}}");
    String ada = fixture.person("tenant:acme", "ada");
    ask(
        "POST",
        "/v1/accounts/acme/access/individuals",
        "{'@id':'1','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'mine','v-s:permissionSubject':'ada','v-s:canCreate':true,'v-s:canRead':true}");
    byte[] lines =
        (GOOD.replace("'a'", "'mine'") + "\n" + GOOD.replace("'a'", "'streamed'"))
            .replace('\'', '"')
            .getBytes(UTF_8);
    Reply streamed =
        fixture.send(
            "POST",
            open + "/documents",
            Optional.of(ada),
            List.of("Content-Type", "application/x-ndjson"),
            lines);
    assertThat(streamed.text()).contains("\"ACK\"", "NOT_FOUND");
    Reply given =
        fixture.ask(
            "POST",
            open + "/documents",
            Optional.of(ada),
            Optional.of("[" + GOOD.replace("'a'", "'given'").replace('\'', '"') + "]"));
    assertThat(statuses(given)).containsExactly("NOT_FOUND");
    List<String> refused = new ArrayList<>();
    for (JsonNode entry : fixture.get(ROOT, "/v1/audit?scope=tenant:acme").json().get("items")) {
      if (entry.get("outcome").asString().equals("refused")) {
        refused.add(entry.get("operation").asString() + " " + entry.get("key"));
      }
    }
    assertThat(refused)
        .containsExactly(
            "document.put [\"acme\",\"open\",\"streamed\"]",
            "document.put [\"acme\",\"open\",\"given\"]");
  }

  @Test
  void quotasHoldDocumentByDocument() {
    String small = "/v1/accounts/acme/buckets/small";
    bucket(small, "{'type':'documents','quotas':{'documents':2}}");
    Reply reply =
        ask(
            "POST",
            small + "/documents",
            "["
                + String.join(
                    ",",
                    GOOD,
                    GOOD.replace("'a'", "'b'"),
                    GOOD.replace("'a'", "'c'"),
                    GOOD.replace("UPSERT", "DELETE").replace("'version':1", "'version':2"),
                    GOOD.replace("'a'", "'d'"))
                + "]");
    assertThat(statuses(reply)).containsExactly("ACK", "ACK", "QUOTA_EXCEEDED", "ACK", "ACK");
    assertThat(fixture.get(ROOT, "/v1/accounts/acme/usage").text()).contains("\"documents\":4");
    assertThat(fixture.get(ROOT, "/v1/admin/verify").json().get("ok").asBoolean()).isTrue();
  }

  @Test
  void shardsAreSettledForEver() {
    String queue = "/v1/accounts/acme/buckets/queue";
    bucket(queue, "{'type':'queue','settings':{'shards':2}}");
    assertThat(ask("PUT", queue, "{'type':'queue'}").status()).isEqualTo(200);
    assertThat(ask("PUT", queue, "{'type':'queue','settings':{'shards':3}}").code())
        .isEqualTo("CONFLICT");
    assertThat(fixture.get(ROOT, queue).json().at("/settings/shards").asInt()).isEqualTo(2);
    assertThat(ask("PUT", BUCKET, "{'type':'documents','settings':{'retention':'all'}}").status())
        .isEqualTo(400);
  }
}
