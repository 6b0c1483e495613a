package dev.veridex.access.statement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Problem;
import dev.veridex.json.JsonText;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// The short form of individuals: it is another way to write the same, and nothing in it passes in
/// silence.
final class PlainFormTest {
  private static JsonNode json(String text) {
    return JsonText.read(text.replace('\'', '"').getBytes(UTF_8));
  }

  private static Individual read(String text) {
    return MessageParser.read(json(text)).state().orElseThrow();
  }

  private static void same(String plain, String whole) {
    assertThat(new String(read(plain).content(), UTF_8))
        .isEqualTo(new String(read(whole).content(), UTF_8));
  }

  private static Problem problem(String text) {
    assertThat(MessageInput.of(json(text))).isInstanceOf(MessageInput.Invalid.class);
    return ((MessageInput.Invalid) MessageInput.of(json(text))).problem();
  }

  private static void wrong(String text, String pointer, String... words) {
    Problem problem = problem(text);
    assertThat(problem.pointer()).as("%s", problem).contains(pointer);
    assertThat(List.of(words)).allMatch(problem.toString()::contains);
  }

  @Test
  void eachTypeSaysWhatItsLongFormSays() {
    same(
        "{'id':'p','type':'permission','on':['d','c','d'],'to':'u','allow':'RU','deny':'D','filter':'f','exclusive':true}",
        "{'@id':'p','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':['c','d'],'v-s:permissionSubject':['u'],'v-s:canRead':true,'v-s:canUpdate':true,'v-s:canDelete':false,'v-s:useFilter':'f','v-s:isExclusive':true}");
    same(
        "{'id':'m','type':'membership','member':['a','b'],'of':'g'}",
        "{'@id':'m','rdf:type':'v-s:Membership','v-s:resource':['a','b'],'v-s:memberOf':['g']}");
    same(
        "{'id':'m','type':'membership','member':'a','of':'g','allow':'R','exclusive':'ignore'}",
        "{'@id':'m','rdf:type':'v-s:Membership','v-s:resource':['a'],'v-s:memberOf':['g'],'v-s:canRead':true,'v-s:ignoreExclusive':true}");
    same(
        "{'id':'f','type':'filter','on':'d','name':'f1','allow':'R'}",
        "{'@id':'f','rdf:type':'v-s:PermissionFilter','v-s:permissionObject':['d'],'v-s:resource':['f1'],'v-s:canRead':true}");
    same(
        "{'id':'ada','type':'login','login':['Ada','ada@x']}",
        "{'@id':'ada','rdf:type':'v-s:Account','v-s:login':['Ada','ada@x']}");
    same(
        "{'cmd':'update','opId':3,'newState':{'id':'p','type':'permission','deleted':true}}",
        "{'@id':'p','rdf:type':'v-s:PermissionStatement','v-s:deleted':true}");
  }

  @Test
  void withoutAnIdWhatIsSaidIsTheId() {
    String said = "{'type':'permission','on':['a','b'],'to':'u','allow':'RU'%s}";
    String id = read(said.formatted("")).id();
    assertThat(id).startsWith("permission-");
    assertThat(read("{'allow':'UR','to':['u','u'],'on':['b','a'],'type':'permission'}").id())
        .as("in another order")
        .isEqualTo(id);
    assertThat(read(said.formatted(",'deleted':true")).id()).as("taken back").isEqualTo(id);
    assertThat(read(said.formatted(",'deleted':true")).deleted()).isTrue();
    assertThat(read(said.formatted(",'deny':'D'")).id()).isNotEqualTo(id);
    assertThat(read(said.formatted(",'filter':'f'")).id()).isNotEqualTo(id);
    assertThat(read(said.formatted(",'exclusive':true")).id()).isNotEqualTo(id);
    assertThat(MessageParser.idOf(json(said.formatted("")))).contains(id);
    Message removal =
        MessageParser.read(
            json("{'cmd':'remove','prevState':" + said.formatted("") + ",'newState':null}"));
    assertThat(removal.id()).isEqualTo(id);
  }

  @Test
  void whatIsWrongIsToldInItsOwnWords() {
    wrong(
        "{'type':'permision','on':'d','to':'u','allow':'R'}", "/type", "permission", "didYouMean");
    wrong("{'type':7}", "/type", "not 7");
    wrong("{'type':'permission','on':'d','to':'u','alow':'R'}", "/alow", "didYouMean=allow");
    wrong("{'type':'permission','on':'d','to':'u'}", "/allow", "allow or to deny");
    wrong("{'type':'permission','on':'d','to':'u','allow':'RX'}", "/allow", "not \"RX\"");
    wrong("{'type':'permission','on':'d','to':'u','allow':'RU','deny':'U'}", "/deny", "U cannot");
    wrong("{'type':'permission','on':'d','to':'u','allow':['R']}", "/allow", "is a text");
    wrong("{'type':'permission','on':{},'to':'u','allow':'R'}", "/on", "a text or a list");
    wrong("{'type':'permission','to':'u','allow':'R'}", "/id", "\"on\" and \"to\"");
    wrong("{'type':'permission','id':'p','to':'u','allow':'R'}", "/on");
    wrong("{'type':'permission','id':'','on':'d','to':'u','allow':'R'}", "/id");
    wrong("{'type':'permission','on':'d','to':['u','a\\u0000'],'allow':'R'}", "/to/0");
    wrong("{'type':'permission','on':'d','to':'u','allow':'R','exclusive':'no'}", "/exclusive");
    wrong("{'type':'permission','on':'d','to':'u','allow':'R','deleted':'no'}", "/deleted");
    wrong("{'type':'login','login':'ada'}", "/id", "id of its account");
    wrong("{'type':'login','id':'ada','login':'ada','allow':'R'}", "/allow", "no member");
    wrong(
        "{'cmd':'update','newState':{'type':'filter','on':'d','name':'f'}}",
        "/newState/allow",
        "allow or to deny");
  }

  @Test
  void messagesAreReadInBothSpellings() {
    Message message =
        MessageParser.read(
            json(
                "{'cmd':'Create','op_id':7,'prev_state':null,'new_state':{'@id':'x','rdf:type':'t'}}"));
    assertThat(message.opId()).isEqualTo(Optional.of(7L));
    assertThat(message.id()).isEqualTo("x");
    assertThat(MessageParser.read(json("{'cmd':'Remove','prev_state':{'@id':'x'},'op_id':8}")).id())
        .isEqualTo("x");
    wrong("{'cmd':'update','newstate':{}}", "/newstate", "didYouMean=newState");
    wrong("{'cmd':'update','opId':1,'op_id':1,'newState':{}}", "/op_id", "two names");
    wrong("{'cmd':'update','new_state':{'rdf:type':'t'}}", "/new_state/@id");
    wrong("{'cmd':'update','op_id':-1,'new_state':{'@id':'x','rdf:type':'t'}}", "/op_id");
  }
}
