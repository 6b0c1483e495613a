package dev.veridex.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RouterTest {
  private static Route<?, ?> route(Method method, String path) {
    return Route.of(method, path, "test." + method + path, "A test")
        .needs(new RequiredRight.Open<>())
        .answers(Reply.text("text/plain"), _ -> Answer.of(""));
  }

  private final Route<?, ?> literal = route(Method.GET, "/a/b");
  private final Route<?, ?> parameter = route(Method.GET, "/a/{id}");
  private final Route<?, ?> post = route(Method.POST, "/a/{id}");
  private final Route<?, ?> deep = route(Method.DELETE, "/a/{id}/c/{other}");
  private final Router router = new Router(List.of(literal, parameter, post, deep));

  @Test
  void whatIsSpelledOutGoesFirst() {
    assertThat(router.find("GET", List.of("a", "b")))
        .isEqualTo(new Router.Match.OneRoute(literal, Map.of()));
    assertThat(router.find("GET", List.of("a", "x")))
        .isEqualTo(new Router.Match.OneRoute(parameter, Map.of("id", "x")));
    assertThat(router.find("DELETE", List.of("a", "b", "c", "")))
        .as("a dead end of what is spelled out does not hide a parameter")
        .isEqualTo(new Router.Match.OneRoute(deep, Map.of("id", "b", "other", "")));
  }

  @Test
  void headIsWhereGetIs() {
    assertThat(router.find("HEAD", List.of("a", "b")))
        .isEqualTo(new Router.Match.OneRoute(literal, Map.of()));
    assertThat(router.find("PUT", List.of("a", "x")))
        .isEqualTo(new Router.Match.OtherMethods(Set.of("GET", "HEAD", "POST")));
    assertThat(router.find("get", List.of("a", "x"))).isInstanceOf(Router.Match.OtherMethods.class);
  }

  @Test
  void elsewhereIsNothing() {
    for (List<String> path :
        List.of(List.of(""), List.of("a"), List.of("a", "b", ""), List.of("A", "b"))) {
      assertThat(router.find("GET", path)).isEqualTo(new Router.Match.Nothing());
    }
  }

  @Test
  void twoRoutesAtOnePlaceAreAMistake() {
    Route<?, ?> again = route(Method.GET, "/a/{name}");
    assertThatIllegalArgumentException().isThrownBy(() -> new Router(List.of(parameter, again)));
  }
}
