package dev.veridex.http.routes;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A browser without a window, if the machine has one.
final class Browser implements AutoCloseable {
  private static final long POLL_NANOS = 2_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  static Optional<Browser> start() {
    Optional<Path> browser = program("chromium", "chromium-browser", "google-chrome");
    Optional<Path> control = program("chromedriver");
    if (browser.isEmpty() || control.isEmpty()) {
      return Optional.empty();
    }
    ChromeOptions options = new ChromeOptions();
    options.setBinary(browser.get().toFile());
    // There is no sandbox for root; nothing is visited but our own page.
    options.addArguments(
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(control.get().toFile())
            .usingAnyFreePort()
            .build();
    return Optional.of(new Browser(new ChromeDriver(service, options)));
  }

  private static Optional<Path> program(String... names) {
    return Stream.of(names)
        .flatMap(
            name ->
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                    .map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  void open(String url) {
    driver.get(url);
  }

  WebElement find(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /// Writes into a field as a person does, in place of what is there.
  void type(String selector, String text) {
    WebElement field = find(selector);
    field.sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.DELETE, text);
  }

  Object run(String script, Object... arguments) {
    return Optional.ofNullable(driver.executeScript(script, arguments)).orElse("");
  }

  /// Something that will be so.
  @FunctionalInterface
  interface Expected {
    boolean holds();
  }

  void await(String what, Expected expected) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!holds(expected)) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(what + " did not come; the page says: " + find("body").getText());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /// What was replaced while it was looked at does not count.
  private static boolean holds(Expected expected) {
    try {
      return expected.holds();
    } catch (org.openqa.selenium.StaleElementReferenceException e) {
      return false;
    }
  }

  void size(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    driver.manage().window().setSize(new Dimension(width, height));
  }

  void colours(String scheme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  void screenshot(Path file) {
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// What the page complained of since the last time.
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .toList();
  }

  /// All addresses that were asked for since the last time.
  List<String> requests() {
    JsonMapper mapper = new JsonMapper();
    List<String> requests = new ArrayList<>();
    for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
      JsonNode message = mapper.readTree(entry.getMessage()).get("message");
      if (message.get("method").asString().equals("Network.requestWillBeSent")) {
        requests.add(message.at("/params/request/url").asString());
      }
    }
    return requests;
  }

  @Override
  public void close() {
    driver.quit();
  }
}
