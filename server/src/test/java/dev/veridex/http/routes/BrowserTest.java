package dev.veridex.http.routes;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.DemoCompany;
import dev.veridex.ServerFixture;
import dev.veridex.cli.output.Terminal;
import dev.veridex.demo.Company;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import tools.jackson.databind.JsonNode;

/// The page in a real browser, on the company of the demonstration.
@Tag("process")
final class BrowserTest {
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");
  private static final String DOCUMENTS = "/v1/accounts/acme/buckets/documents";
  private static final String HOSTILE = "<img src=x onerror=alert(1)> bicycle";

  @TempDir private Path folder;
  private ServerFixture fixture;
  private Optional<Browser> started = Optional.empty();

  @BeforeEach
  void start() {
    started = Browser.start();
    Assumptions.assumeTrue(
        started.isPresent(),
        "skipped: this takes a browser; install chromium and chromium-driver to run it");
    fixture = new ServerFixture(folder);
    ask("PUT", "/v1/accounts/acme", "{}");
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    new DemoCompany(
            fixture.server.domain(),
            fixture.server.tokens().authenticate(ROOT).orElseThrow(),
            new Terminal(nowhere, nowhere, false, Map.of(), InstantSource.system()))
        .load(400);
    ask(
        "POST",
        DOCUMENTS + "/documents",
        "[{'pk':'hostile','epoch':1,'version':1,'modifiedAt':'2026-01-31T12:00:00Z','action':'UPSERT','fields':{'title':'%s','kind':'%s'}}]"
            .formatted(HOSTILE, HOSTILE));
    String revision =
        ask(
                "POST",
                "/v1/accounts/acme/access/individuals",
                "{'@id':'hostile is public','rdf:type':'v-s:Membership','v-s:resource':'hostile','v-s:memberOf':'f:public'}")
            .json()
            .get("revision")
            .asString();
    ask("POST", DOCUMENTS + "/search", "{'atLeast':'%s'}".formatted(revision));
  }

  @AfterEach
  void stop() {
    started.ifPresent(Browser::close);
    if (started.isPresent()) {
      fixture.close();
    }
  }

  private ServerFixture.Reply ask(String method, String target, String body) {
    return fixture.ask(method, target, Optional.of(ROOT), Optional.of(body.replace('\'', '"')));
  }

  private long total(String subject, String query) {
    return ask(
            "POST",
            DOCUMENTS + "/search",
            "{'as':'%s','query':'%s','limit':0,'operator':'and'}".formatted(subject, query))
        .json()
        .get("total")
        .asLong();
  }

  private static void says(Browser browser, String text) {
    browser.await(text, () -> browser.find("#status").getText().startsWith(text));
  }

  private static List<String> keys(Browser browser) {
    return browser.all("#hits article").stream()
        .map(each -> String.valueOf(each.getDomAttribute("data-pk")))
        .toList();
  }

  private static void searchAs(Browser browser, String subject) {
    browser.type("#person", subject);
    browser.find("#person").sendKeys(Keys.TAB);
  }

  @Test
  void peopleSearchSeeWhyAndSeeRightsGo() {
    Browser browser = started.orElseThrow();
    browser.size(1280, 1000);
    browser.open(fixture.url());
    browser.await("the form", () -> browser.find("#sign-in").isDisplayed());
    browser.type("#sign-in [name=token]", "wrong");
    browser.find("#sign-in button").click();
    browser.await(
        "a refusal",
        () ->
            browser.find("#sign-in .hint").getText().contains("401")
                || browser.find("#sign-in .hint").getText().contains("UNAUTHENTICATED"));
    assertThat(browser.complaints()).as("the refusal alone").allMatch(each -> each.contains("401"));
    browser.type("#sign-in [name=token]", ROOT);
    browser.find("#sign-in button").click();
    says(browser, "401 documents");
    assertThat(browser.all("#hits article")).hasSize(10);

    browser.type("#query", "bicycle");
    searchAs(browser, "alice");
    long alices = total("alice", "bicycle");
    says(browser, "%d documents that Alice Novak may read".formatted(alices));
    List<String> hers = keys(browser);
    Company.Person other =
        new Company(0)
            .people().stream()
                .filter(person -> person.team().startsWith("research"))
                .findFirst()
                .orElseThrow();
    searchAs(browser, other.id());
    says(
        browser,
        "%d documents that %s may read".formatted(total(other.id(), "bicycle"), other.name()));
    assertThat(keys(browser)).as("these two do not see the same").isNotEqualTo(hers);

    searchAs(browser, "alice");
    says(browser, "%d documents that Alice".formatted(alices));
    browser.screenshot(SCREENSHOTS.resolve("light.png"));
    explained(browser);
    hostile(browser);
    revoked(browser);
    whyNot(browser);
    lent(browser);
    keyboard(browser);
    looks(browser);
    assertThat(browser.complaints()).isEmpty();
    assertThat(browser.requests())
        .isNotEmpty()
        .allMatch(url -> url.startsWith(fixture.url()) || url.startsWith("data:"));
  }

  private static void explained(Browser browser) {
    browser.find("#hits article button").click();
    browser.await("why", () -> browser.find("#why").isDisplayed());
    assertThat(browser.find("#why").getText()).contains("alice may read this", "Granted by");
    browser.find("#why button").sendKeys(Keys.ESCAPE);
    browser.await("its end", () -> !browser.find("#why").isDisplayed());
  }

  /// What others write is text, wherever it is shown.
  private static void hostile(Browser browser) {
    browser.type("#query", "onerror");
    says(browser, "1 document that Alice");
    assertThat(browser.find("#hits h3").getText()).isEqualTo(HOSTILE);
    assertThat(browser.find("#facets").getText()).contains(HOSTILE.substring(0, 10));
    assertThat(browser.all("#hits img, #facets img")).isEmpty();
  }

  private void revoked(Browser browser) {
    browser.type("#query", "");
    long before = total("alice", "");
    says(browser, "%d documents that Alice".formatted(before));
    WebElement right = browser.find("[id='switch everybody reads what is public']");
    right.click();
    browser.await("that it is gone", () -> browser.find("#switched").getText().contains("gone"));
    long after = total("alice", "");
    assertThat(after).isLessThan(before);
    says(browser, "%d documents that Alice".formatted(after));
    assertThat(browser.find("#switched").getText())
        .matches(
            "Revoked in \\d+ ms; %d hits gone in the next search, \\d+ ms\\."
                .formatted(before - after));
    assertThat(browser.find("#facets").getText()).doesNotContain("public");
    browser.screenshot(SCREENSHOTS.resolve("revoked.png"));
    browser.find("[id='switch everybody reads what is public']").click();
    says(browser, "%d documents that Alice".formatted(before));
  }

  private static void whyNot(Browser browser) {
    browser.type("#why-person", "alice");
    browser.type("#why-key", "nothing-like-it");
    browser.find("#ask-why button").click();
    browser.await("why not", () -> browser.find("#why").isDisplayed());
    assertThat(browser.find("#why").getText()).contains("There is no such document");
    browser.screenshot(SCREENSHOTS.resolve("why.png"));
    browser.find("#why button").click();
  }

  /// What is lent is shown with who lent it, and until when.
  private void lent(Browser browser) {
    JsonNode approval =
        ask("POST", "/v1/approvals/query", "{'scope':'tenant:acme','identity':'alice'}")
            .json()
            .at("/items/0");
    browser.type("#why-person", "alice");
    browser.type("#why-key", approval.get("resource").asString());
    browser.find("#ask-why button").click();
    browser.await("what is lent", () -> browser.find("#why").getText().contains("Approved"));
    assertThat(browser.find("#why").getText())
        .contains("Searches show it", "alice may read this", "read by ada until", "left");
    browser.screenshot(SCREENSHOTS.resolve("lent.png"));
    browser.find("#why button").click();
  }

  private static void keyboard(Browser browser) {
    browser.run("document.activeElement.blur()");
    browser.find("body").sendKeys("/");
    assertThat(browser.run("return document.activeElement.id")).isEqualTo("query");
  }

  private static void looks(Browser browser) {
    browser.colours("dark");
    browser.screenshot(SCREENSHOTS.resolve("dark.png"));
    browser.size(390, 844);
    browser.screenshot(SCREENSHOTS.resolve("phone-dark.png"));
    browser.colours("light");
    browser.screenshot(SCREENSHOTS.resolve("phone.png"));
    assertThat(
            browser.run(
                "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
        .as("nothing sticks out on a phone")
        .isEqualTo(true);
  }

  @Test
  void onlyItsOwnFilesRun() {
    for (String path : List.of("/", "/page/app.js", "/page/style.css")) {
      ServerFixture.Reply reply = fixture.ask("GET", path, Optional.empty(), Optional.empty());
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.response().headers().firstValue("Content-Security-Policy").orElseThrow())
          .contains("default-src 'none'", "script-src 'self'")
          .doesNotContain("unsafe");
    }
    Browser browser = started.orElseThrow();
    browser.open(fixture.url());
    assertThat(browser.run("return [...document.scripts].every((each) => each.src !== '')"))
        .isEqualTo(true);
    browser.run(
        "const s = document.createElement('script'); s.textContent = 'window.leaked = 1'; document.body.append(s)");
    assertThat(browser.run("return window.leaked ?? 0")).as("inline scripts").isEqualTo(0L);
  }
}
