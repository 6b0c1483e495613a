package dev.veridex.settings;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.SpellingSuggestion;
import dev.veridex.common.VeridexException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/// The sources of settings, and which of their keys were read.
public final class SettingsSources {
  private static final String PREFIX = "VERIDEX_";

  /// What the launcher and the command line take from the environment for themselves.
  private static final Set<String> RESERVED =
      Set.of("VERIDEX_TOKEN", "VERIDEX_TOKEN_FILE", "VERIDEX_URL", "VERIDEX_JVM");

  /// What Kubernetes puts into the environment of every process beside a service called veridex.
  private static final Pattern KUBERNETES =
      Pattern.compile("VERIDEX_(SERVICE_(HOST|PORT).*|PORT.*)");

  private final YAMLMapper yaml =
      YAMLMapper.builder()
          .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
          .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
          .build();
  private final Map<String, JsonNode> file = new TreeMap<>();
  private final Map<String, String> environment;
  private final Map<String, String> assignments = new TreeMap<>();
  private final Set<String> known = new TreeSet<>();
  private final Map<String, JsonNode> used = new LinkedHashMap<>();

  /// @param fileText the text of the configuration file, if there is one
  /// @param environment all variables of the process
  /// @param assignments `key=value` each
  public SettingsSources(
      Optional<String> fileText, Map<String, String> environment, List<String> assignments) {
    fileText.ifPresent(text -> flatten("", parse(text, "the configuration file")));
    // An empty variable is one that was not set: shells make no difference either.
    this.environment =
        environment.entrySet().stream()
            .filter(variable -> !variable.getValue().isEmpty())
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    for (String assignment : assignments) {
      int equals = assignment.indexOf('=');
      if (equals < 1) {
        throw refused("a setting on the command line is key=value", "given", assignment);
      }
      this.assignments.put(assignment.substring(0, equals), assignment.substring(equals + 1));
    }
  }

  /// A variable of the environment under a name that is not ours.
  public Optional<String> foreign(String variable) {
    return Optional.ofNullable(environment.get(variable));
  }

  public Settings root() {
    return new Settings(this, "");
  }

  /// Refuses what was given and is not a setting, guessing what was meant. To be called when
  /// everything has been read.
  public void refuseUnknown() {
    Set<String> variables =
        known.stream().map(SettingsSources::variable).collect(Collectors.toSet());
    for (String key : file.keySet()) {
      refuseUnless(known, key, "the configuration file");
    }
    for (String key : assignments.keySet()) {
      refuseUnless(known, key, "the command line");
    }
    for (String name : new TreeSet<>(environment.keySet())) {
      boolean ours =
          name.startsWith(PREFIX)
              && !RESERVED.contains(name)
              && !KUBERNETES.matcher(name).matches();
      if (ours) {
        refuseUnless(variables, name, "the environment");
      }
    }
  }

  private static void refuseUnless(Set<String> names, String name, String from) {
    if (!names.contains(name)) {
      Problem problem =
          Problem.of(ErrorCode.BAD_CONFIGURATION, "there is no such setting")
              .with("key", name)
              .with("from", from);
      throw new VeridexException(
          SpellingSuggestion.nearest(name, names)
              .map(near -> problem.with("didYouMean", near))
              .orElse(problem));
    }
  }

  /// What everything that was read amounts to, as YAML; secrets are hidden.
  public String effective() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    used.forEach(
        (key, value) -> {
          int dot = key.lastIndexOf('.');
          ObjectNode section = root;
          for (String part : key.substring(0, Math.max(0, dot)).split("\\.", -1)) {
            section = part.isEmpty() ? section : descend(section, part);
          }
          section.set(key.substring(dot + 1), value);
        });
    return yaml.writeValueAsString(root);
  }

  /// The section of a name, or of a name and a position in a list, as `issuers[0]`.
  private static ObjectNode descend(ObjectNode section, String part) {
    int bracket = part.indexOf('[');
    if (bracket < 0) {
      return section.withObjectProperty(part);
    }
    ArrayNode list = section.withArrayProperty(part.substring(0, bracket));
    int index = Integer.parseInt(part.substring(bracket + 1, part.length() - 1));
    return index < list.size() ? (ObjectNode) list.get(index) : list.addObject();
  }

  /// The value of a key, if one was given.
  Optional<String> value(String key) {
    known(key);
    if (assignments.containsKey(key)) {
      return Optional.ofNullable(assignments.get(key));
    }
    return Optional.ofNullable(environment.get(variable(key)))
        .or(
            () ->
                Optional.ofNullable(file.get(key))
                    .map(
                        node -> {
                          if (!node.isValueNode()) {
                            throw refused("a setting is a single value", "key", key);
                          }
                          return node.isNull() ? "" : node.asString();
                        }));
  }

  /// The value of a key that is a list.
  Optional<JsonNode> tree(String key) {
    known(key);
    Optional<String> text =
        Optional.ofNullable(assignments.get(key))
            .or(() -> Optional.ofNullable(environment.get(variable(key))));
    return text.map(given -> parse(given, origin(key)))
        .or(() -> Optional.ofNullable(file.get(key)));
  }

  /// Takes the members of a list's element for keys of their own.
  void adopt(String name, JsonNode element) {
    flatten(name + ".", element);
  }

  void known(String key) {
    known.add(key);
  }

  /// Notes what a key's value is, for [#effective].
  void used(String key, JsonNode value) {
    used.put(key, value);
  }

  String origin(String key) {
    return assignments.containsKey(key)
        ? "the command line"
        : environment.containsKey(variable(key)) ? variable(key) : "the configuration file";
  }

  /// The environment's name of a key: `VERIDEX_HTTP_MAX_IN_FLIGHT` for `http.maxInFlight`.
  static String variable(String key) {
    return PREFIX
        + key.replaceAll("([a-z0-9])([A-Z])", "$1_$2").replace('.', '_').toUpperCase(Locale.ROOT);
  }

  private void flatten(String prefix, JsonNode node) {
    if (node.isMissingNode() || node.isNull()) {
      return;
    }
    if (!node.isObject()) {
      throw refused("a configuration is made of keys and values", "at", prefix);
    }
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      String key = prefix + member.getKey();
      if (member.getValue().isObject()) {
        flatten(key + ".", member.getValue());
      } else {
        file.put(key, member.getValue());
      }
    }
  }

  private JsonNode parse(String text, String from) {
    try {
      return yaml.readTree(text);
    } catch (JacksonException e) {
      String where =
          Stream.ofNullable(e.getLocation())
              .map(at -> "line " + at.getLineNr() + ", column " + at.getColumnNr())
              .findFirst()
              .orElse("unknown");
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_CONFIGURATION, "this is not YAML")
              .with("from", from)
              .with("at", where),
          e);
    }
  }

  private static VeridexException refused(String detail, String name, String value) {
    return new VeridexException(Problem.of(ErrorCode.BAD_CONFIGURATION, detail).with(name, value));
  }
}
