package dev.veridex.settings;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// A section of the configuration that somebody reads, key by key.
///
/// Every key that is read is a key that exists: what was given and never read is unknown, see
/// [SettingsSources#refuseUnknown]. Later sources win: default, file, environment, command line.
public final class Settings {
  private final SettingsSources sources;
  private final String prefix;

  Settings(SettingsSources sources, String prefix) {
    this.sources = sources;
    this.prefix = prefix;
  }

  /// The part under a name.
  public Settings section(String name) {
    return new Settings(sources, prefix + name + ".");
  }

  public String text(String key, String fallback) {
    return read(key, fallback, Optional::of, "a text", false);
  }

  public Optional<String> text(String key) {
    String value = read(key, "", Optional::of, "a text", false);
    return value.isEmpty() ? Optional.empty() : Optional.of(value);
  }

  /// A text that [SettingsSources#effective] does not show.
  public Optional<String> secret(String key) {
    String value = read(key, "", Optional::of, "a text", true);
    return value.isEmpty() ? Optional.empty() : Optional.of(value);
  }

  public boolean flag(String key, boolean fallback) {
    boolean value =
        Boolean.parseBoolean(
            read(
                key,
                String.valueOf(fallback),
                text -> Optional.of(text).filter(t -> t.equals("true") || t.equals("false")),
                "true or false",
                false));
    sources.used(prefix + key, JsonNodeFactory.instance.booleanNode(value));
    return value;
  }

  public int number(String key, int fallback, int min, int max) {
    return (int)
        whole(key, fallback, min, max, Numbers::parse, "a number from " + min + " to " + max);
  }

  /// A number of bytes, as `64MiB`, `16 KiB` or plain.
  public long bytes(String key, String fallback, long min, long max) {
    return whole(
        key,
        Numbers.bytes(fallback).orElseThrow(),
        min,
        max,
        Numbers::bytes,
        "a size such as 64MiB, from " + min + " to " + max + " bytes");
  }

  private long whole(
      String key,
      long fallback,
      long min,
      long max,
      Function<String, Optional<Long>> parse,
      String expected) {
    String text =
        read(
            key,
            String.valueOf(fallback),
            given -> parse.apply(given).filter(n -> n >= min && n <= max).map(String::valueOf),
            expected,
            false);
    return Long.parseLong(text);
  }

  /// A duration, as `30s`, `5m`, `1h`, `7d` or in the form of ISO 8601.
  public Duration duration(String key, Duration fallback, Duration min, Duration max) {
    String text =
        read(
            key,
            Numbers.text(fallback),
            given ->
                Numbers.duration(given)
                    .filter(d -> d.compareTo(min) >= 0 && d.compareTo(max) <= 0)
                    .map(Numbers::text),
            "a duration such as 30s, from %s to %s".formatted(Numbers.text(min), Numbers.text(max)),
            false);
    return Numbers.duration(text).orElseThrow();
  }

  /// One of the constants of an enumeration, in lower case.
  public <E extends Enum<E>> E choice(String key, E fallback, List<E> choices) {
    List<String> names = choices.stream().map(Settings::name).toList();
    String chosen =
        read(
            key,
            name(fallback),
            text -> Optional.of(text).filter(names::contains),
            "one of " + String.join(", ", names),
            false);
    return choices.get(names.indexOf(chosen));
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /// A list of texts.
  public List<String> texts(String key, List<String> fallback) {
    Optional<JsonNode> given = sources.tree(prefix + key);
    if (given.isEmpty()) {
      sources.used(prefix + key, list(fallback));
      return fallback;
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode element : elements(key, given.get())) {
      if (!element.isValueNode()) {
        throw wrong(key, "a list of texts");
      }
      texts.add(element.asString());
    }
    sources.used(prefix + key, list(texts));
    return List.copyOf(texts);
  }

  /// A list of sections.
  public List<Settings> sections(String key) {
    Optional<JsonNode> given = sources.tree(prefix + key);
    if (given.isEmpty()) {
      sources.used(prefix + key, list(List.of()));
      return List.of();
    }
    List<Settings> sections = new ArrayList<>();
    for (JsonNode element : elements(key, given.get())) {
      if (!element.isObject()) {
        throw wrong(key, "a list of sections");
      }
      String name = "%s%s[%d]".formatted(prefix, key, sections.size());
      sources.adopt(name, element);
      sections.add(new Settings(sources, name + "."));
    }
    sources.known(prefix + key);
    return List.copyOf(sections);
  }

  private static JsonNode list(List<String> texts) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    texts.forEach(array::add);
    return array;
  }

  private List<JsonNode> elements(String key, JsonNode given) {
    if (!given.isArray()) {
      throw wrong(key, "a list");
    }
    return given.valueStream().toList();
  }

  private String read(
      String key,
      String fallback,
      Function<String, Optional<String>> parse,
      String expected,
      boolean secret) {
    String full = prefix + key;
    Optional<String> given = sources.value(full);
    String value =
        given.isEmpty()
            ? fallback
            : parse.apply(given.get()).orElseThrow(() -> wrong(key, expected));
    boolean hidden = secret && !value.isEmpty();
    sources.used(full, JsonNodeFactory.instance.stringNode(hidden ? "(hidden)" : value));
    return value;
  }

  /// The problem of a key whose value makes no sense.
  public VeridexException wrong(String key, String expected) {
    String full = prefix + key;
    return new VeridexException(
        Problem.of(ErrorCode.BAD_CONFIGURATION, "a setting has a value that it cannot have")
            .with("key", full)
            .with("expected", expected)
            .with("from", sources.origin(full)));
  }
}
