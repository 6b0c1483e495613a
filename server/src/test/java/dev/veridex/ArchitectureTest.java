package dev.veridex;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.veridex.store.Store;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Who may see whom: `Main → http, cli, console → domain → ports → common`, adapters see their
/// port.
final class ArchitectureTest {
  /// Folders of classes have other parents in quick builds, which the option of the library for
  /// this does not know.
  private static final ImportOption MAIN_ONLY = location -> !location.contains("/test-classes/");

  private static final JavaClasses CLASSES =
      new ClassFileImporter().withImportOption(MAIN_ONLY).importPackages("dev.veridex");

  /// The ports and, by name, the engines that implement them. `store.optimistic` is no engine but
  /// what two engines share.
  private static final Map<String, List<String>> ADAPTERS =
      Map.of(
          "store", List.of("rocks", "memory", "postgres"),
          "topic", List.of("local", "kafka"),
          "index", List.of("lucene", "opensearch"),
          "items", List.of("local", "cassandra"),
          "http", List.of("helidon"));

  /// Packages of vendors, each at home in one adapter.
  private static final Map<String, String> VENDORS =
      Map.ofEntries(
          Map.entry("org.rocksdb..", "dev.veridex.store.rocks.."),
          Map.entry("io.helidon..", "dev.veridex.http.helidon.."),
          Map.entry("tools.jackson.dataformat..", "dev.veridex.settings.."),
          Map.entry("com.nimbusds..", "dev.veridex.accounts.jwt.."),
          Map.entry("java.sql..", "dev.veridex.store.postgres.."),
          Map.entry("org.apache.kafka..", "dev.veridex.topic.kafka.."),
          Map.entry("org.apache.lucene..", "dev.veridex.index.lucene.."),
          Map.entry("org.opensearch..", "dev.veridex.index.opensearch.."),
          Map.entry("com.datastax..", "dev.veridex.items.cassandra.."));

  private static final String[] EDGE = {
    "dev.veridex.http..", "dev.veridex.cli..", "dev.veridex.console.."
  };

  private static final String[] DOMAIN = {
    "dev.veridex.accounts..",
    "dev.veridex.grants..",
    "dev.veridex.access..",
    "dev.veridex.queue..",
    "dev.veridex.documents..",
    "dev.veridex.objects..",
    "dev.veridex.search..",
    "dev.veridex.archive..",
    "dev.veridex.operations.."
  };

  @Test
  void theClassesWereFound() {
    assertThat(CLASSES.contain(Store.class)).isTrue();
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.veridex.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void commonSeesNothingOfOurs() {
    noClasses()
        .that()
        .resideInAPackage("dev.veridex.common..")
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.resideInAPackage("dev.veridex..")
                .and(JavaClass.Predicates.resideOutsideOfPackage("dev.veridex.common..")))
        .check(CLASSES);
  }

  @Test
  void portsSeeNeitherDomainNorEdge() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.veridex.store..", "dev.veridex.topic..", "dev.veridex.index..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(concat(EDGE, DOMAIN))
        .check(CLASSES);
  }

  @Test
  void theDomainDoesNotSeeTheEdge() {
    noClasses()
        .that()
        .resideInAnyPackage(DOMAIN)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(EDGE)
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void onlyTheCompositionRootSeesAdapters() {
    ADAPTERS.forEach(
        (port, engines) ->
            engines.forEach(
                engine -> {
                  String adapter = "dev.veridex.%s.%s..".formatted(port, engine);
                  noClasses()
                      .that()
                      .resideOutsideOfPackages("dev.veridex", adapter)
                      .should()
                      .dependOnClassesThat()
                      .resideInAPackage(adapter)
                      .check(CLASSES);
                }));
  }

  @Test
  void vendorsStayInTheirAdapter() {
    VENDORS.forEach(
        (vendor, home) ->
            noClasses()
                .that()
                .resideOutsideOfPackage(home)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(vendor)
                .check(CLASSES));
  }

  @Test
  void namesSayWhatThingsAre() {
    classes().should().haveNameNotMatching(".*(Util|Utils|Helper|Manager|Impl)").check(CLASSES);
  }

  private static String[] concat(String[] one, String[] other) {
    return Stream.of(one, other).flatMap(Arrays::stream).toArray(String[]::new);
  }
}
