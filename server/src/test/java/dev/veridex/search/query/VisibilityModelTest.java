package dev.veridex.search.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.TestDomain;
import dev.veridex.access.AccessModel;
import dev.veridex.access.AsOf;
import dev.veridex.access.AtRevision;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.Worlds;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.TraceVerifier;
import dev.veridex.access.statement.Rights;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketSettings;
import dev.veridex.common.MutableClock;
import dev.veridex.grants.GivenGrants;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.index.Condition;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexResult;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.IndexSuggest;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.lucene.LuceneIndexes;
import dev.veridex.search.query.SearchModel.Doc;
import dev.veridex.search.query.SearchModel.Question;
import dev.veridex.suite.Campaign;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Random documents, groups, nestings, denials, filters, exclusive markers, approvals,
/// relationships and questions: after every change of a right, and whenever one has ended,
/// everybody finds what matches and the slow model's check lets pass, and nothing else can be told
/// from an index that holds only that. No right is written to the index.
final class VisibilityModelTest {
  private static final int STEPS = 50;
  private static final String RESOURCES = "res";

  @TempDir private Path folder;

  @Test
  @Tag("campaign")
  void everybodyFindsWhatMatchesAndMayBeRead() {
    long[] shown = new long[4];
    Campaign.VISIBILITY_WORLDS.forEach(
        seed -> {
          try (World world = new World(seed, folder.resolve("world-" + seed))) {
            for (int step = 0; step < STEPS; step++) {
              world.step();
            }
            shown[0] += world.shown;
            shown[1] += world.hidden;
            shown[2] += world.real.written();
            shown[3] += world.highlighted;
          }
        });
    Campaign.VISIBILITY_WORLDS.count(shown[0], "hits shown");
    Campaign.VISIBILITY_WORLDS.count(shown[1], "hidden");
    // Worlds in which nobody sees anything, or everybody everything, would prove nothing.
    assertThat(shown[0]).as("shown").isGreaterThan(1000);
    assertThat(shown[1]).as("hidden").isGreaterThan(1000);
    assertThat(shown[2]).as("written for documents").isGreaterThan(1000);
    assertThat(shown[3]).as("highlighted").isGreaterThan(100);
  }

  private static final class World implements AutoCloseable {
    private final Random random;
    private final boolean byField;
    private final Worlds worlds;
    private final AccessModel access = new AccessModel();
    private final SearchModel documents;
    private final SearchWorld real;
    private final LuceneIndexes references;
    private final MutableClock clock = MutableClock.daysAgo(0);
    private final GivenGrants grants = new GivenGrants(TestDomain.ACME.scope());
    private final Map<String, List<String>> resources = new HashMap<>();
    private final List<String> ids;
    private final Map<String, Token> tokens = new HashMap<>();
    private int opIds;
    private long shown;
    private long hidden;
    private long highlighted;

    private World(long seed, Path folder) {
      random = new Random(seed);
      byField = random.nextBoolean();
      worlds = new Worlds(random);
      ids = worlds.resources().stream().filter(id -> !BucketSettings.isReserved(id)).toList();
      documents = new SearchModel(random, byField ? SearchModel.KEYS : ids);
      real =
          new SearchWorld(
              SearchWorld.inMemory(clock),
              folder.resolve("index"),
              SearchWorld.settings(byField ? Optional.of(RESOURCES) : Optional.empty()),
              2);
      references = new LuceneIndexes(folder.resolve("references"), 1);
      real.settle(
          SearchModelTest.schema()
              .with(
                  Map.of(),
                  Map.of("v", new Schema.Embedding(3, Schema.Similarity.EUCLIDEAN, false))));
      // Some documents are there before any right is.
      change();
    }

    private void step() {
      if (random.nextInt(4) == 0) {
        change();
      }
      long written = real.written();
      if (random.nextInt(3) > 0) {
        state();
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        grants.step(random, worlds, real.domain, real.root, clock.instant());
      }
      if (random.nextBoolean()) {
        pass();
      }
      List<String> subjects = worlds.subjects();
      for (String subject : subjects) {
        check(subject, documents.question());
      }
      told(subjects.get(random.nextInt(subjects.size())));
      if (random.nextInt(5) == 0) {
        compare(subjects.get(random.nextInt(subjects.size())));
      }
      assertThat(real.written()).as("written for a right").isEqualTo(written);
    }

    private void state() {
      List<JsonNode> messages = worlds.messages(random.nextInt(1, 4));
      messages.forEach(
          message -> {
            ((ObjectNode) message).put("opId", ++opIds);
            access.apply(message);
          });
      real.state(messages);
      grants.state(messages);
    }

    /// Time passes, to where a grant ends, or just before it.
    private void pass() {
      List<Instant> ends =
          grants.ends().stream()
              .filter(end -> end.isAfter(clock.instant().plusNanos(1000)))
              .toList();
      clock.advance(
          ends.isEmpty()
              ? Duration.ofSeconds(random.nextInt(200))
              : Duration.between(
                  clock.instant(),
                  ends.get(random.nextInt(Math.min(3, ends.size())))
                      .minusNanos(1000L * random.nextInt(2))));
    }

    private void change() {
      List<JsonNode> inputs = new ArrayList<>();
      for (SearchModel.Changed changed : documents.change()) {
        String deleted =
            "{'pk':'%s','epoch':1,'version':%d,'action':'DELETE'}"
                .formatted(changed.pk(), changed.version());
        ObjectNode document = (ObjectNode) SearchWorld.node(changed.json().orElse(deleted));
        document.put("version", changed.version());
        document.put("modifiedAt", "2026-01-01T00:00:00Z");
        if (changed.json().isPresent()) {
          decorate(changed.pk(), document);
        }
        inputs.add(document);
      }
      real.receive(inputs);
    }

    /// Adds an embedding and resources.
    private void decorate(String pk, ObjectNode document) {
      ArrayNode vector = document.putObject("embeddings").putArray("v");
      for (int i = 0; i < 3; i++) {
        vector.add(random.nextInt(4));
      }
      List<String> own = new ArrayList<>();
      if (byField) {
        for (int i = random.nextInt(8) == 0 ? 0 : random.nextInt(1, 3); i > 0; i--) {
          own.add(ids.get(random.nextInt(ids.size())));
        }
        ArrayNode named = ((ObjectNode) document.get("fields")).putArray(RESOURCES);
        own.forEach(named::add);
        if (own.isEmpty()) {
          ((ObjectNode) document.get("fields")).remove(RESOURCES);
          // A document has some field.
          ((ObjectNode) document.get("fields")).putArray("other").add(1);
        }
      } else {
        own.add(pk);
        ((ObjectNode) document.get("fields")).putArray("other").add(1);
      }
      resources.put(pk, own);
    }

    private boolean sees(String subject, String pk) {
      List<String> own = resources.getOrDefault(pk, List.of());
      return !own.isEmpty()
          && own.stream()
              .allMatch(
                  resource ->
                      (access.rights(
                                  subject,
                                  resource,
                                  Optional.empty(),
                                  List.of("bucket:" + SearchWorld.BUCKET),
                                  grants.approved(subject, resource, clock.instant()),
                                  grants.related(clock.instant()))
                              & Rights.READ)
                          != 0);
    }

    private void check(String subject, Question question) {
      List<Doc> matching =
          documents.documents().stream().filter(question.holds()).sorted(question.order()).toList();
      List<Doc> expected = matching.stream().filter(doc -> sees(subject, doc.pk())).toList();
      shown += expected.size();
      hidden += matching.size() - expected.size();
      int limit = random.nextInt(1, 12);
      List<String> hits = new ArrayList<>();
      Optional<String> cursor = Optional.empty();
      do {
        SearchRequest request = SearchModelTest.request(question, limit, cursor);
        SearchAnswer page =
            real.search.search(real.as(subject), TestDomain.ACME, SearchWorld.BUCKET, request);
        page.hits().forEach(hit -> hits.add(hit.found().pk()));
        assertThat(page.total()).as("%s for %s", question, subject).isEqualTo(expected.size());
        assertThat(SearchModelTest.counts(page.facets()))
            .as("%s for %s", question, subject)
            .isEqualTo(SearchModel.facets(expected));
        cursor = page.cursor();
      } while (cursor.isPresent());
      List<String> keys = expected.stream().map(Doc::pk).toList();
      if (question.isScored()) {
        assertThat(hits)
            .as("%s for %s", question, subject)
            .containsExactlyInAnyOrderElementsOf(keys);
      } else {
        assertThat(hits).as("%s for %s", question, subject).isEqualTo(keys);
      }
    }

    /// What is told of a subject, to whoever asks in whatever way, is what it gets.
    private void told(String subject) {
      Token own = tokens.computeIfAbsent(subject, real::token);
      SearchRequest everything = SearchModelTest.everything(1000);
      Set<String> found = new HashSet<>();
      real.search
          .search(
              new ActingCaller(Caller.of(own), Optional.empty()),
              TestDomain.ACME,
              SearchWorld.BUCKET,
              everything)
          .hits()
          .forEach(hit -> found.add(hit.found().pk()));
      Set<String> byOthers = new HashSet<>();
      real.search
          .search(real.as(subject), TestDomain.ACME, SearchWorld.BUCKET, everything)
          .hits()
          .forEach(hit -> byOthers.add(hit.found().pk()));
      assertThat(found).as("as %s", subject).isEqualTo(byOthers);
      List<String> keys = documents.documents().stream().map(Doc::pk).toList();
      for (int i = 0; i < Math.min(3, keys.size()); i++) {
        String pk = keys.get(random.nextInt(keys.size()));
        VisibilityReasons.Explanation why =
            real.search.reasons().why(real.as(subject), TestDomain.ACME, SearchWorld.BUCKET, pk);
        assertThat(why.because() == VisibilityReasons.Reason.VISIBLE)
            .as("%s on %s: %s", subject, pk, why)
            .isEqualTo(found.contains(pk));
        why.why()
            .forEach(
                trace ->
                    assertThat(
                            TraceVerifier.verify(
                                trace,
                                id ->
                                    real.domain
                                        .access()
                                        .checker()
                                        .individual(
                                            TestDomain.ACME, id, Integer.MAX_VALUE, AsOf.now())
                                        .map(AtRevision::value),
                                grants::isGiven))
                        .as("%s", trace)
                        .isEmpty());
        boolean may =
            !own(pk).isEmpty()
                && own(pk).stream().allMatch(resource -> reads(Caller.of(own), subject, resource));
        assertThat(may).as("%s on %s", subject, pk).isEqualTo(found.contains(pk));
      }
    }

    private List<String> own(String pk) {
      return resources.getOrDefault(pk, List.of());
    }

    private boolean reads(Caller caller, String subject, String resource) {
      CheckRequest question = CheckRequest.inBucket(subject, resource, SearchWorld.BUCKET);
      return (real.domain
                  .access()
                  .checker()
                  .check(
                      caller,
                      TestDomain.ACME,
                      List.of(new RightsChecker.Query(question, false)),
                      AsOf.now())
                  .value()
                  .getFirst()
                  .rights()
              & Rights.READ)
          != 0;
    }

    /// Hits, counts, words, parts of texts and neighbours are those of an index that has nothing
    /// else.
    private void compare(String subject) {
      Schema schema;
      List<IndexChange> seen = new ArrayList<>();
      try (var snapshot = real.store.snapshot();
          IndexView view = real.indexers.view(real.generation())) {
        schema =
            real.domain
                .documents()
                .generations()
                .find(snapshot, real.generation())
                .orElseThrow()
                .schema();
        view.each(
            snapshot.now(),
            held -> {
              if (sees(subject, held.pk())) {
                seen.add(
                    new IndexChange(
                        held.pk(),
                        held.tuple(),
                        Optional.of(
                            new IndexChange.Entry(held.document(), Optional.empty(), List.of())),
                        Optional.empty()));
              }
            });
      }
      SearchIndex only = references.open("only");
      only.apply(schema, seen);
      only.refresh();
      try (IndexView view = only.view()) {
        for (int i = 0; i < 10; i++) {
          compareHits(subject, documents.question(), schema, view);
        }
        compareSuggestions(subject, schema, view);
        compareNeighbours(subject, schema, view);
      } finally {
        only.close();
        references.drop("only");
      }
    }

    private void compareHits(String subject, Question question, Schema schema, IndexView view) {
      SearchRequest request =
          SearchModelTest.request(question, 1000, Optional.empty(), List.of("string"));
      IndexResult expected =
          view.search(
              SearchRequestParser.parse(schema, schema, request, Instant.EPOCH, Optional.empty()));
      SearchAnswer found =
          real.search.search(real.as(subject), TestDomain.ACME, SearchWorld.BUCKET, request);
      List<String> hits = found.hits().stream().map(hit -> text(hit.found())).toList();
      List<String> own = expected.hits().stream().map(World::text).toList();
      highlighted +=
          found.hits().stream().filter(hit -> !hit.found().highlight().isEmpty()).count();
      if (question.isScored()) {
        // Scores count all documents of the bucket.
        assertThat(hits)
            .as("%s for %s", question, subject)
            .containsExactlyInAnyOrderElementsOf(own);
      } else {
        assertThat(hits).as("%s for %s", question, subject).isEqualTo(own);
      }
      assertThat(found.total()).as("%s for %s", question, subject).isEqualTo(expected.total());
      assertThat(found.facets()).as("%s for %s", question, subject).isEqualTo(expected.facets());
    }

    /// What there is to see of a hit.
    private static String text(IndexResult.Hit hit) {
      return hit.pk() + " " + hit.document() + " " + hit.highlight();
    }

    private void compareSuggestions(String subject, Schema schema, IndexView view) {
      String prefix = List.of("b", "bi", "с", "R", "").get(random.nextInt(5));
      List<String> fields = List.of("keyword", "string");
      IndexSuggest.SuggestResult expected =
          view.suggest(
              new IndexSuggest(
                  schema,
                  Instant.EPOCH,
                  Duration.ofMinutes(1),
                  fields,
                  prefix,
                  5,
                  Optional.empty()));
      assertThat(
              real.search
                  .suggestions()
                  .suggest(real.as(subject), TestDomain.ACME, SearchWorld.BUCKET, prefix, fields, 5)
                  .words())
          .as("words for %s", subject)
          .isEqualTo(expected);
    }

    private void compareNeighbours(String subject, Schema schema, IndexView view) {
      float[] vector = {random.nextInt(4), random.nextInt(4), random.nextInt(4)};
      int k = random.nextInt(1, 8);
      IndexResult expected =
          view.search(
              new IndexSearch(
                  schema,
                  Instant.EPOCH,
                  Duration.ofMinutes(1),
                  new Condition.All(),
                  Optional.empty(),
                  Optional.of(new IndexSearch.Nearest("v", vector, k, 1000)),
                  List.of(new IndexSearch.Order.ByScore(true)),
                  Optional.empty(),
                  100,
                  Long.MAX_VALUE,
                  new TreeMap<>(),
                  List.of(),
                  Optional.empty()));
      JsonNode knn =
          SearchWorld.node(
              "{'field':'v','vector':[%s,%s,%s],'k':%d}"
                  .formatted(vector[0], vector[1], vector[2], k));
      SearchAnswer found =
          real.search.search(
              real.as(subject),
              TestDomain.ACME,
              SearchWorld.BUCKET,
              SearchModelTest.nearest(knn, 100));
      assertThat(found.exact()).contains(true);
      assertThat(found.hits())
          .as("neighbours for %s", subject)
          .extracting(hit -> hit.found().pk() + " " + hit.found().score())
          .isEqualTo(expected.hits().stream().map(hit -> hit.pk() + " " + hit.score()).toList());
    }

    @Override
    public void close() {
      real.close();
      references.close();
    }
  }
}
