package dev.veridex;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The direction of dependencies: composition root, edge, domain, ports, base. Every package is in
/// one of these layers; whatever is not named here is domain, so a new package is checked without
/// being listed.
final class ArchitectureTest {
  private static final String ROOT = "dev.veridex";

  /// Folders of classes have other parents in quick builds, which the option of the library for
  /// this does not know.
  private static final ImportOption MAIN_ONLY = location -> !location.contains("/test-classes/");

  private static final JavaClasses CLASSES =
      new ClassFileImporter().withImportOption(MAIN_ONLY).importPackages(ROOT);

  /// Nothing below sees these.
  private static final Set<String> EDGE = Set.of("http", "cli", "demo");

  /// A port may have engines, each in a room of its own.
  private static final Set<String> PORTS = Set.of("store", "topic", "index");

  /// What everything may see.
  private static final Set<String> BASE =
      Set.of("common", "json", "protocol", "settings", "metrics");

  /// The engines, and what each may see besides its port and the base. `store.optimistic` is no
  /// engine but what two of them share.
  private static final Map<String, Set<String>> ENGINES =
      Map.of(
          "store.rocks", Set.of("store.optimistic"),
          "store.memory", Set.of("store.optimistic"),
          "topic.local", Set.of("store"),
          "index.lucene", Set.of(),
          "items.local", Set.of("store"),
          "http.helidon", Set.of("http.shape"));

  /// Rooms of a port that its engines share.
  private static final Set<String> SHARED_BY_ENGINES = Set.of("store.optimistic");

  /// Rooms that only their house sees, and the composition root.
  private static final Set<String> INNER_ROOMS =
      Set.of(
          "access.compiled",
          "access.visibility",
          "cli.client",
          "cli.output",
          "http.helidon",
          "http.openapi",
          "identity.jwt",
          "index.lucene.text",
          "search.indexing");

  /// Packages of vendors, each at home in one room.
  private static final Map<String, String> VENDORS =
      Map.of(
          "org.rocksdb..", "store.rocks",
          "io.helidon..", "http.helidon",
          "tools.jackson.dataformat..", "settings",
          "com.nimbusds..", "identity.jwt",
          "io.prometheus..", "metrics",
          "org.apache.lucene..", "index.lucene");

  /// Vendors that have no home here yet: whoever brings one names it above.
  private static final String[] HOMELESS = {
    "java.sql..", "org.apache.kafka..", "org.opensearch..", "com.datastax..", "software.amazon.."
  };

  /// Rooms within rooms that others work with, too.
  private static final Set<String> SHARED_ROOMS =
      Set.of(
          "access.check",
          "access.ledger",
          "access.statement",
          "documents.publish",
          "documents.receive",
          "documents.registry",
          "http.routes",
          "http.shape",
          "objects.catalogue",
          "objects.event",
          "search.query");

  /// Participles that do not end like others, pronouns and adverbs.
  private static final String NO_NOUNS =
      "Said|Above|Below|Together|Where|When|Who|What|Given|Written|Found|Chosen|Taken|Seen|Sent|Kept"
          + "|Told|Held|Made|Known|Shown|At|Ways|Reach|Whole|Good|Bad|Here|There|Every|All|Some";

  /// Names that Lucene has, and everybody else, too.
  private static final Set<String> NOT_ONLY_LUCENES = Set.of("Token", "StoredValue");

  /// What stands in the root: of the rest, what needs engines or the whole server.
  private static final String COMPOSITION_ROOT =
      "Main|Domain|Config|Server.*|.*Config|.*Module|.*Command|LogSetup|StoreIntegrity|OfflineVerifier"
          + "|DemoCompany|package-info";

  private static final int MAX_FILES = 30;

  private static String in(String room) {
    return ROOT + "." + room + "..";
  }

  private static String[] in(Iterable<String> rooms) {
    List<String> packages = new ArrayList<>();
    rooms.forEach(room -> packages.add(in(room)));
    return packages.toArray(String[]::new);
  }

  /// The top packages that exist and are neither edge, port nor base.
  private static Set<String> domain() {
    Set<String> domain = houses();
    domain.removeAll(EDGE);
    domain.removeAll(PORTS);
    domain.removeAll(BASE);
    return domain;
  }

  private static Set<String> houses() {
    Set<String> houses = new TreeSet<>();
    for (String room : rooms().keySet()) {
      if (!room.isEmpty()) {
        int dot = room.indexOf('.');
        houses.add(dot < 0 ? room : room.substring(0, dot));
      }
    }
    return houses;
  }

  /// All packages, without the common root of their names, and how many files each has.
  private static SortedMap<String, Integer> rooms() {
    SortedMap<String, Integer> rooms = new TreeMap<>();
    for (JavaClass each : CLASSES) {
      boolean file = each.isTopLevelClass() && !each.getSimpleName().equals("package-info");
      if (file) {
        String room = each.getPackageName().substring(ROOT.length());
        rooms.merge(room.isEmpty() ? room : room.substring(1), 1, Integer::sum);
      }
    }
    return rooms;
  }

  @Test
  void everyRoomThatARuleNamesExists() {
    assertThat(rooms().keySet())
        .containsAll(ENGINES.keySet())
        .containsAll(INNER_ROOMS)
        .containsAll(VENDORS.values());
    assertThat(houses()).containsAll(EDGE).containsAll(PORTS).containsAll(BASE);
    assertThat(domain()).contains("access", "documents", "search", "items", "tenancy");
  }

  @Test
  void roomsAreSmall() {
    rooms()
        .forEach(
            (room, files) ->
                assertThat(files)
                    .as(room)
                    .isLessThanOrEqualTo(room.equals("protocol") ? 100 : MAX_FILES));
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.veridex.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void theBaseSeesNothingOfOurs() {
    noClasses()
        .that()
        .resideInAnyPackage(in(BASE))
        .should()
        .dependOnClassesThat(oursOutside(in(BASE)))
        .check(CLASSES);
  }

  @Test
  void portsSeeTheBaseAlone() {
    for (String port : PORTS) {
      noClasses()
          .that()
          .resideInAPackage(ROOT + "." + port)
          .should()
          .dependOnClassesThat(oursOutside(with(in(BASE), ROOT + "." + port)))
          .check(CLASSES);
    }
  }

  /// Whoever adds a room to a port says what it is.
  @Test
  void theRoomsOfPortsAreEnginesOrShared() {
    Set<String> known = new TreeSet<>(ENGINES.keySet());
    known.addAll(SHARED_BY_ENGINES);
    for (String room : rooms().keySet()) {
      int dot = room.indexOf('.');
      if (dot > 0 && PORTS.contains(room.substring(0, dot))) {
        assertThat(known).as(room).anyMatch(each -> (room + ".").startsWith(each + "."));
      }
    }
    for (String room : SHARED_BY_ENGINES) {
      String port = ROOT + "." + room.substring(0, room.indexOf('.'));
      noClasses()
          .that()
          .resideInAPackage(in(room))
          .should()
          .dependOnClassesThat(oursOutside(with(with(in(BASE), port), ROOT + "." + room)))
          .check(CLASSES);
    }
  }

  @Test
  void theDomainDoesNotSeeTheEdge() {
    noClasses()
        .that()
        .resideInAnyPackage(in(domain()))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(in(EDGE))
        .check(CLASSES);
  }

  @Test
  void enginesSeeTheirPortAndTheBase() {
    ENGINES.forEach(
        (engine, more) -> {
          String port = ROOT + "." + engine.substring(0, engine.indexOf('.'));
          List<String> allowed = new ArrayList<>(List.of(in(BASE)));
          allowed.add(in(engine));
          allowed.add(port);
          more.forEach(room -> allowed.add(ROOT + "." + room));
          noClasses()
              .that()
              .resideInAPackage(in(engine))
              .should()
              .dependOnClassesThat(oursOutside(allowed.toArray(String[]::new)))
              .check(CLASSES);
        });
  }

  @Test
  void onlyTheCompositionRootSeesEngines() {
    for (String engine : ENGINES.keySet()) {
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT, in(engine))
          .should()
          .dependOnClassesThat()
          .resideInAPackage(in(engine))
          .check(CLASSES);
    }
  }

  @Test
  void innerRoomsAreSeenByTheirHouse() {
    for (String room : INNER_ROOMS) {
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT, in(room.substring(0, room.indexOf('.'))))
          .should()
          .dependOnClassesThat()
          .resideInAPackage(in(room))
          .check(CLASSES);
    }
  }

  @Test
  void vendorsStayInTheirRoom() {
    VENDORS.forEach(
        (vendor, home) ->
            noClasses()
                .that()
                .resideOutsideOfPackage(in(home))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(vendor)
                .check(CLASSES));
    noClasses().should().dependOnClassesThat().resideInAnyPackage(HOMELESS).check(CLASSES);
  }

  @Test
  void namesSayWhatThingsAre() {
    classes().should().haveNameNotMatching(".*(Util|Utils|Helper|Manager|Impl)").check(CLASSES);
  }

  /// A check is the decision about rights, and nothing else.
  @Test
  void onlyRightsAreChecked() {
    classes()
        .that()
        .areTopLevelClasses()
        .and()
        .haveNameNotMatching(".*\\.(access\\.check|access\\.compiled)\\.(Compiled)?Check")
        .should()
        .haveNameNotMatching(".*Check")
        .check(CLASSES);
  }

  /// A type is a noun, and no bare participle or gerund.
  @Test
  void namesAreNouns() {
    classes()
        .that()
        .areTopLevelClasses()
        .and()
        .resideOutsideOfPackage(in("protocol"))
        .should()
        .haveNameNotMatching(".*\\.([A-Z][a-z]+(ed|ing)|" + NO_NOUNS + ")")
        .check(CLASSES);
  }

  /// What stands at the edge does not see what else stands there.
  @Test
  void theRoomsOfTheEdgeDoNotSeeEachOther() {
    for (String room : EDGE) {
      noClasses()
          .that()
          .resideInAPackage(in(room))
          .should()
          .dependOnClassesThat(
              JavaClass.Predicates.resideInAnyPackage(
                      in(EDGE.stream().filter(each -> !each.equals(room)).toList()))
                  .as("another room of the edge"))
          .check(CLASSES);
    }
  }

  /// A room within a room is seen by its house only, or it is one of those that others work with.
  @Test
  void roomsWithinRoomsAreInnerOnesOrKnown() {
    Set<String> known = new TreeSet<>(INNER_ROOMS);
    known.addAll(SHARED_ROOMS);
    known.addAll(ENGINES.keySet());
    known.addAll(SHARED_BY_ENGINES);
    for (String room : rooms().keySet()) {
      if (room.contains(".")) {
        assertThat(known).as(room).anyMatch(each -> (room + ".").startsWith(each + "."));
      }
    }
  }

  /// The root is the composition root: it starts, reads the settings, and puts modules together.
  @Test
  void theRootHoldsTheCompositionRootAlone() {
    Set<String> others = new TreeSet<>();
    for (JavaClass each : CLASSES) {
      boolean root = each.isTopLevelClass() && each.getPackageName().equals(ROOT);
      if (root && !each.getSimpleName().matches(COMPOSITION_ROOT)) {
        others.add(each.getSimpleName());
      }
    }
    assertThat(others).isEmpty();
  }

  /// Nothing of ours is called like a type of Lucene that its readers know.
  @Test
  void namesAreNotThoseOfLucene() {
    Set<String> ofLucene = new TreeSet<>();
    new ClassFileImporter()
        .importPackages("org.apache.lucene")
        .forEach(
            each -> {
              if (each.isTopLevelClass() && each.getModifiers().contains(JavaModifier.PUBLIC)) {
                ofLucene.add(each.getSimpleName());
              }
            });
    assertThat(ofLucene).contains("IndexReader", "FieldType");
    ofLucene.removeAll(NOT_ONLY_LUCENES);
    classes()
        .that()
        .areTopLevelClasses()
        .and()
        .resideOutsideOfPackage(in("protocol"))
        .should(
            new ArchCondition<>("have no name of a type of Lucene") {
              @Override
              public void check(JavaClass ours, ConditionEvents events) {
                if (ofLucene.contains(ours.getSimpleName())) {
                  events.add(SimpleConditionEvent.violated(ours, ours.getName()));
                }
              }
            })
        .check(CLASSES);
  }

  private static DescribedPredicate<JavaClass> oursOutside(String... packages) {
    return JavaClass.Predicates.resideInAPackage(ROOT + "..")
        .and(JavaClass.Predicates.resideOutsideOfPackages(packages));
  }

  private static String[] with(String[] packages, String one) {
    return Stream.concat(Stream.of(packages), Stream.of(one)).toArray(String[]::new);
  }
}
