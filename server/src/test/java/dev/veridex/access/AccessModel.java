package dev.veridex.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// The access index, slow and obvious: it keeps the messages that had an effect, each with its op,
/// and works everything out anew from that list.
public final class AccessModel {
  private static final int CRUD = 0b1111;
  private static final String LETTERS = "crud!~-*";
  private static final List<String> FLAGS =
      List.of("v-s:canCreate", "v-s:canRead", "v-s:canUpdate", "v-s:canDelete");
  private static final Set<String> COMMANDS = Set.of("create", "update", "remove");
  private static final String EVERYTHING = "v-s:AllResourcesGroup";
  private static final int MAX_BYTES = 1100;
  private static final long MAX_TUPLES = 100_000;
  private static final long MAX_JUMP = 1L << 32;

  private static final Op NEVER = new Op(-1, 0);
  private static final BinaryOperator<Op> LATER = BinaryOperator.maxBy(Comparator.naturalOrder());

  /// The first of those with equal ops.
  private static final BinaryOperator<Entry> NEWER =
      BinaryOperator.maxBy(Comparator.comparing(Entry::op));

  private static final List<Type> TYPES =
      List.of(
          new Type('P', "v-s:PermissionStatement", "v-s:permissionObject", "v-s:permissionSubject"),
          new Type('M', "v-s:Membership", "v-s:resource", "v-s:memberOf"),
          new Type('F', "v-s:PermissionFilter", "v-s:permissionObject", "v-s:resource"));

  private final List<Entry> history = new ArrayList<>();
  private boolean opIdSeen;
  private long largestOpId;
  private long lastN;
  private @Nullable Map<Key, TreeMap<String, Rec>> cache;

  public AccessModel() {
    State bootstrap =
        state(
            JsonNodeFactory.instance
                .objectNode()
                .put("@id", "cfg:VedaSystemPermission")
                .put("rdf:type", "v-s:PermissionStatement")
                .put("v-s:permissionSubject", "cfg:VedaSystem")
                .put("v-s:permissionObject", EVERYTHING)
                .put("v-s:canCreate", true),
            false);
    history.add(new Entry(new Op(0, 0), bootstrap));
  }

  record Key(char prefix, String filter, String object) {}

  /// What a key says of one subject: how many individuals contribute each bit, by letter.
  record Rec(Map<Character, Integer> counters, char marker, boolean deleted) {
    /// All eight bits whose counter is above zero, denials shifted left by 4.
    private int access() {
      return counters.keySet().stream().mapToInt(c -> 1 << LETTERS.indexOf(c)).sum();
    }

    private int granted() {
      return access() & CRUD;
    }

    private int denied() {
      return access() >> 4;
    }
  }

  private record Type(char prefix, String name, String objects, String subjects) {}

  private record Op(long opId, long n) implements Comparable<Op> {
    @Override
    public int compareTo(Op other) {
      int byId = Long.compare(opId, other.opId);
      return byId != 0 ? byId : Long.compare(n, other.n);
    }
  }

  private record Tuple(Key key, String subject) {}

  private record Bit(Tuple tuple, int number) {}

  /// A state of an individual; an absent one is a deleted one that names nothing.
  private record State(
      String id,
      boolean deleted,
      OptionalLong updateCounter,
      boolean dropCount,
      boolean born,
      Set<Tuple> tuples,
      Set<Bit> bits,
      char marker,
      Set<String> logins,
      String content) {

    private boolean same(State other) {
      return content.equals(other.content);
    }
  }

  private record Entry(Op op, State state) {}

  /// What one individual says of one tuple and is not struck.
  private record Contribution(List<Bit> bits, char marker) {}

  private record Edge(String group, int rights, char marker) {}

  /// A record that the check looks at; capped says whether the ceiling holds for it.
  private record Hit(
      String subject, int granted, int denied, char marker, int objectMask, boolean capped) {}

  private static final class Rejected extends RuntimeException {}

  // ---- messages ----

  /// Applies a bare individual or a message of the flow and says what became of it.
  public String apply(JsonNode json) {
    State state;
    OptionalLong opId;
    try {
      state = state(json);
      boolean arrival = json.has("@id") || json.path("opId").isNull();
      opId = arrival ? OptionalLong.empty() : wholeNumber(json.path("opId"));
      require(opId.isEmpty() || !opIdSeen || (opId.getAsLong() - largestOpId <= MAX_JUMP));
    } catch (Rejected _) {
      return "rejected";
    }
    opIdSeen |= opId.isPresent();
    if (opId.orElse(0) > largestOpId) {
      largestOpId = opId.getAsLong();
      lastN = 0;
    }
    if (state.dropCount && (state.updateCounter.orElse(0) > 1)) {
      return "ignored";
    }
    Entry current = newest().get(state.id);
    String status = "applied";
    if ((current != null) && opId.isPresent()) {
      int order = new Op(opId.getAsLong(), 0).compareTo(current.op);
      status = status(order, current.state.same(state));
    } else if (current != null) {
      OptionalLong old = current.state.updateCounter;
      OptionalLong given = state.updateCounter;
      boolean counted = old.isPresent() && given.isPresent();
      int order = counted ? Long.compare(given.getAsLong(), old.getAsLong()) : 1;
      status = current.state.same(state) ? "duplicate" : status(order, false);
    }
    if (status.equals("applied") || (status.equals("stale") && opId.isPresent())) {
      Op op = opId.isPresent() ? new Op(opId.getAsLong(), 0) : new Op(largestOpId, ++lastN);
      history.add(new Entry(op, state));
      cache = null;
    }
    return status;
  }

  private static String status(int order, boolean same) {
    return order > 0 ? "applied" : order < 0 ? "stale" : same ? "duplicate" : "conflict";
  }

  private static void require(boolean good) {
    if (!good) {
      throw new Rejected();
    }
  }

  /// The state that a bare individual or a message says is the new one.
  private static State state(JsonNode json) {
    require(json.isObject());
    if (json.has("@id")) {
      return state(json, false);
    }
    JsonNode command = json.path("cmd");
    JsonNode before = json.path("prevState");
    JsonNode after = json.path("newState");
    require(json.has("cmd") || json.has("prevState") || json.has("newState"));
    String cmd = command.isString() ? command.asString() : "";
    require(command.isMissingNode() || COMMANDS.contains(cmd));
    require(before.isObject() || before.isNull() || before.isMissingNode());
    require(after.isObject() || after.isNull() || after.isMissingNode());
    if (!after.isObject()) {
      return unindexed(id(before), true, OptionalLong.empty(), Set.of(), "");
    }
    State state = state(after, cmd.equals("create"));
    require(state.deleted || !cmd.equals("remove"));
    return state;
  }

  private static State state(JsonNode json, boolean create) {
    String id = id(json);
    Set<String> types = ids(json.path("rdf:type"));
    require(!types.isEmpty());
    boolean deleted = flag(json, "v-s:deleted");
    OptionalLong counter = wholeNumber(json.path("v-s:updateCounter"));
    String content = canonical(json);
    Optional<Type> type = TYPES.stream().filter(t -> types.contains(t.name)).findFirst();
    if (type.isEmpty()) {
      Set<String> logins = new TreeSet<>();
      if (types.contains("v-s:Account")) {
        ids(json.path("v-s:login")).forEach(login -> logins.add(login.toLowerCase(Locale.ROOT)));
        require(deleted || !logins.isEmpty());
      }
      return unindexed(id, deleted, counter, logins, content);
    }

    char prefix = type.orElseThrow().prefix;
    Set<String> objects = ids(json.path(type.orElseThrow().objects));
    Set<String> subjects = ids(json.path(type.orElseThrow().subjects));
    require(deleted || (!objects.isEmpty() && !subjects.isEmpty()));
    require((long) objects.size() * subjects.size() <= MAX_TUPLES);
    String filter = "";
    if ((prefix != 'M') && json.has("v-s:useFilter")) {
      JsonNode given = json.path("v-s:useFilter");
      require(given.isString());
      filter = given.asString();
      require(filter.isEmpty() || isId(filter));
    }
    Set<Integer> numbers = new TreeSet<>();
    for (int right = 0; right < 4; right++) {
      if (json.has(FLAGS.get(right))) {
        numbers.add(flag(json, FLAGS.get(right)) ? right : right + 4);
      }
    }
    if ((prefix == 'M') && numbers.isEmpty()) {
      numbers.addAll(List.of(0, 1, 2, 3));
    }
    boolean exclusive = flag(json, "v-s:isExclusive");
    boolean ignoring = flag(json, "v-s:ignoreExclusive");
    char marker = exclusive ? 'X' : (ignoring ? 'N' : '0');
    boolean dropCount = flag(json, "v-s:dropCount");
    boolean fresh = counter.isPresent() ? counter.getAsLong() == 1 : create;
    boolean born = (prefix == 'M') && deleted && fresh;
    Set<Tuple> tuples = new HashSet<>();
    Set<Bit> bits = new HashSet<>();
    for (String object : objects) {
      for (String subject : subjects) {
        Tuple tuple = new Tuple(new Key(prefix, filter, object), subject);
        tuples.add(tuple);
        numbers.forEach(number -> bits.add(new Bit(tuple, number)));
      }
    }
    return new State(
        id, deleted, counter, dropCount, born, tuples, bits, marker, Set.of(), content);
  }

  private static State unindexed(
      String id, boolean deleted, OptionalLong counter, Set<String> logins, String content) {
    return new State(id, deleted, counter, false, false, Set.of(), Set.of(), '0', logins, content);
  }

  private static String id(JsonNode json) {
    JsonNode id = json.path("@id");
    require(id.isString() && isId(id.asString()));
    return id.asString();
  }

  private static boolean isId(String text) {
    return !text.isEmpty()
        && (text.indexOf('\0') < 0)
        && (text.getBytes(UTF_8).length <= MAX_BYTES);
  }

  private static boolean flag(JsonNode json, String name) {
    require(!json.has(name) || json.path(name).isBoolean());
    return json.path(name).asBoolean(false);
  }

  private static OptionalLong wholeNumber(JsonNode value) {
    if (value.isMissingNode()) {
      return OptionalLong.empty();
    }
    require(value.isIntegralNumber() && value.canConvertToLong() && (value.asLong() >= 0));
    return OptionalLong.of(value.asLong());
  }

  /// The distinct values of a single value or an array, without empty ones.
  private static Set<String> ids(JsonNode value) {
    Set<String> ids = new TreeSet<>();
    for (JsonNode one : value.isArray() ? value.valueStream().toList() : List.of(value)) {
      require(one.isString() || value.isMissingNode());
      ids.add(one.asString(""));
    }
    ids.remove("");
    ids.forEach(id -> require(isId(id)));
    return ids;
  }

  /// The content as text with the members in order of their names.
  private static String canonical(JsonNode json) {
    if (json.isObject()) {
      TreeMap<String, String> members = new TreeMap<>();
      json.properties().forEach(p -> members.put(p.getKey(), canonical(p.getValue())));
      return members.toString();
    }
    return json.isArray()
        ? json.valueStream().map(AccessModel::canonical).toList().toString()
        : json.toString();
  }

  // ---- the index ----

  /// Every visible record by key and subject, including those that are deleted.
  @SuppressWarnings("NonApiType") // the order of the subjects belongs to the answer
  Map<Key, TreeMap<String, Rec>> index() {
    Map<Key, TreeMap<String, Rec>> index = cache;
    if (index == null) {
      index = new HashMap<>();
      for (Map.Entry<Tuple, List<Contribution>> record : contributions().entrySet()) {
        index
            .computeIfAbsent(record.getKey().key, _ -> new TreeMap<>())
            .put(record.getKey().subject, rec(record.getValue()));
      }
      cache = index;
    }
    return index;
  }

  /// Whether any live record is about an id.
  public boolean bearsRecord(String id) {
    return index().entrySet().stream()
        .filter(entry -> entry.getKey().object.equals(id))
        .anyMatch(entry -> entry.getValue().values().stream().anyMatch(rec -> !rec.deleted));
  }

  /// The account that has each login (in lower case).
  Map<String, String> logins() {
    Map<String, Entry> holders = new TreeMap<>();
    for (Entry current : newest().values()) {
      if (!current.state.deleted) {
        current.state.logins.forEach(login -> holders.merge(login, current, NEWER));
      }
    }
    Map<String, String> logins = new TreeMap<>();
    holders.forEach((login, entry) -> logins.put(login, entry.state.id));
    return logins;
  }

  /// The entry with the greatest op of each individual, in order of their ids.
  private Map<String, Entry> newest() {
    Map<String, Entry> newest = new TreeMap<>();
    history.forEach(entry -> newest.merge(entry.state.id, entry, NEWER));
    return newest;
  }

  private Map<Bit, Op> strikes() {
    Map<Bit, Op> strikes = new HashMap<>();
    for (Entry entry : history) {
      if (entry.state.dropCount || entry.state.born) {
        entry.state.bits.forEach(bit -> strikes.merge(bit, entry.op, LATER));
      }
    }
    return strikes;
  }

  /// The bits that an individual with this live state contributes if nobody strikes them, with the
  /// op of each.
  private Map<Bit, Op> named(Entry current) {
    Map<Bit, Op> named = new HashMap<>();
    current.state.bits.forEach(bit -> named.put(bit, current.op));
    if (current.state.dropCount) {
      List<Entry> own = history.stream().filter(e -> e.state.id.equals(current.state.id)).toList();
      for (Entry earlier : own) {
        boolean deletedAfter =
            own.stream().anyMatch(e -> e.state.deleted && (e.op.compareTo(earlier.op) > 0));
        if (earlier.state.dropCount && !earlier.state.deleted && !deletedAfter) {
          earlier.state.bits.forEach(bit -> named.merge(bit, earlier.op, LATER));
        }
      }
    }
    return named;
  }

  /// The live contributions to every visible record.
  private Map<Tuple, List<Contribution>> contributions() {
    Map<Bit, Op> strikes = strikes();
    Map<Tuple, List<Contribution>> visible = new HashMap<>();
    for (Entry current : newest().values()) {
      State state = current.state;
      state.tuples.forEach(tuple -> visible.computeIfAbsent(tuple, _ -> new ArrayList<>()));
      Map<Bit, Op> named = state.deleted ? Map.of() : named(current);
      Set<Tuple> tuples = new HashSet<>(state.deleted ? Set.of() : state.tuples);
      named.keySet().forEach(bit -> tuples.add(bit.tuple));
      for (Tuple tuple : tuples) {
        List<Bit> all = named.keySet().stream().filter(bit -> bit.tuple.equals(tuple)).toList();
        List<Bit> counted = new ArrayList<>(all);
        counted.removeIf(
            bit -> strikes.getOrDefault(bit, NEVER).compareTo(named.getOrDefault(bit, NEVER)) > 0);
        if (all.isEmpty() || !counted.isEmpty()) {
          visible
              .computeIfAbsent(tuple, _ -> new ArrayList<>())
              .add(new Contribution(counted, state.marker));
        }
      }
    }
    return visible;
  }

  private static Rec rec(List<Contribution> contributions) {
    Map<Character, Integer> counters = new TreeMap<>();
    Set<Character> markers = new TreeSet<>();
    for (Contribution contribution : contributions) {
      contribution.bits.forEach(bit -> counters.merge(LETTERS.charAt(bit.number), 1, Integer::sum));
      markers.add(contribution.marker);
    }
    char marker = markers.contains('N') ? 'N' : (markers.contains('X') ? 'X' : '0');
    return new Rec(counters, marker, contributions.isEmpty());
  }

  // ---- the check ----

  /// The groups that a subject is in, directly and through others.
  public Set<String> groups(String subject, List<String[]> relationships) {
    Set<String> groups =
        new HashSet<>(reach(Map.of(subject, CRUD), Set.of(), ' ', false, relationships).keySet());
    groups.remove(subject);
    return groups;
  }

  /// The rights of a subject on a resource as bits C=1 R=2 U=4 D=8; a relationship is a pair of
  /// member and group.
  public int rights(
      String subject,
      String resource,
      Optional<String> filter,
      List<String> implicitGroups,
      List<Integer> approvals,
      List<String[]> relationships) {
    Set<String> implicit = new TreeSet<>(implicitGroups);
    implicit.remove(resource);
    Optional<String> asked = filter.filter(name -> !name.isEmpty());
    List<Edge> direct = edges(resource, relationships);

    // 1: subjects, and the groups behind an X edge that is not beyond an N edge
    Map<String, Integer> start = Map.of(subject, CRUD);
    Map<String, Integer> subjects = reach(start, Set.of(), ' ', false, relationships);
    Set<String> exclusiveGroups = new TreeSet<>();
    for (String x : reach(start, Set.of(), 'N', false, relationships).keySet()) {
      edges(x, relationships).stream()
          .filter(edge -> edge.marker == 'X')
          .forEach(edge -> exclusiveGroups.add(edge.group));
    }

    // 2: resources
    Set<String> ends = new TreeSet<>(implicit);
    ends.add(EVERYTHING);
    ends.remove(resource);
    Map<String, Integer> roots = new TreeMap<>(Map.of(resource, CRUD));
    ends.forEach(end -> roots.put(end, CRUD));
    Map<String, Integer> objects = reach(roots, ends, 'X', true, relationships);

    // 3: filters
    Set<String> filtered = new TreeSet<>(implicit);
    filtered.add(resource);
    direct.forEach(edge -> filtered.add(edge.group));
    Set<String> active = new TreeSet<>();
    asked.ifPresent(active::add);
    int ceiling = CRUD;
    for (String x : filtered) {
      for (Map.Entry<String, Rec> record : records('F', "", x).entrySet()) {
        if (!record.getValue().deleted) {
          active.add(record.getKey());
          ceiling &= record.getValue().granted();
        }
      }
    }

    // 4: the records that count
    List<Hit> hits = new ArrayList<>();
    approvals.forEach(bits -> hits.add(new Hit(subject, bits, 0, '0', CRUD, true)));
    objects.forEach(
        (og, mask) -> {
          hit(hits, 'P', "", og, mask);
          active.forEach(f -> hit(hits, 'P', f, og, mask));
          asked.ifPresent(e -> hit(hits, 'F', e, og, mask));
        });

    // 5: rights that an exclusive permission closes
    int exclusive = 0;
    for (Hit hit : hits) {
      exclusive |= hit.marker == 'X' ? hit.granted & hit.objectMask : 0;
    }

    // 4 and 6: grants and denials
    int granted = 0;
    int denied = 0;
    for (Hit hit : hits) {
      int mask = hit.objectMask & subjects.getOrDefault(hit.subject, 0);
      int open = (hit.capped ? ceiling : CRUD) & (hit.marker == '0' ? ~exclusive : CRUD);
      granted |= hit.granted & mask & open;
      denied |= hit.denied & mask;
    }

    // 7: exclusive memberships
    boolean outside = exclusiveGroups.stream().noneMatch(objects::containsKey);
    boolean shut = !exclusiveGroups.isEmpty() && !direct.isEmpty() && outside;
    return shut ? 0 : granted & ~denied;
  }

  /// Follows all memberships but those from the ends and those with the marker, until nothing
  /// changes: a group has the rights of the edges to it, within those of their beginnings if asked.
  private Map<String, Integer> reach(
      Map<String, Integer> start,
      Set<String> ends,
      char skipped,
      boolean within,
      List<String[]> relationships) {
    Map<String, Integer> masks = new TreeMap<>(start);
    for (boolean more = true; more; ) {
      Map<String, Integer> before = Map.copyOf(masks);
      before.forEach(
          (x, mask) -> {
            for (Edge edge : ends.contains(x) ? List.<Edge>of() : edges(x, relationships)) {
              int rights = within ? edge.rights & mask : edge.rights;
              if ((edge.marker != skipped) && (rights != 0)) {
                masks.merge(edge.group, rights, (a, b) -> a | b);
              }
            }
          });
      more = !masks.equals(before);
    }
    return masks;
  }

  private Map<String, Rec> records(char prefix, String filter, String object) {
    Map<String, Rec> records = index().get(new Key(prefix, filter, object));
    return records == null ? Map.of() : records;
  }

  /// The memberships of an id that have rights.
  private List<Edge> edges(String from, List<String[]> relationships) {
    List<Edge> edges = new ArrayList<>();
    records('M', "", from)
        .forEach((g, rec) -> edges.add(new Edge(g, rec.granted() & ~rec.denied(), rec.marker)));
    edges.removeIf(edge -> edge.rights == 0);
    for (String[] relationship : relationships) {
      if (relationship[0].equals(from)) {
        edges.add(new Edge(relationship[1], CRUD, '0'));
      }
    }
    return edges;
  }

  private void hit(List<Hit> hits, char prefix, String filter, String object, int mask) {
    records(prefix, filter, object)
        .forEach(
            (id, r) ->
                hits.add(new Hit(id, r.granted(), r.denied(), r.marker, mask, filter.isEmpty())));
  }
}
