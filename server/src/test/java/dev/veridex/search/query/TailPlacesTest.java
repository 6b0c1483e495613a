package dev.veridex.search.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.TestDomain;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.search.indexing.IndexerWorld;
import dev.veridex.search.indexing.RefusingIndexes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What is told of documents as they become searchable, and what is not, while indexes come and go.
final class TailPlacesTest extends IndexerWorld {
  private final ExecutorService threads = Executors.newSingleThreadExecutor();

  @AfterEach
  void end() {
    threads.shutdown();
  }

  private DocumentTail tail() {
    Searcher search =
        new Searcher(
            store,
            domain.buckets().lookup(),
            domain.documents().access(),
            domain.documents().generations(),
            domain.access().visibility()::open,
            indexers,
            threads,
            1);
    return new DocumentTail(store, search, domain.documents().topics(), indexers, KEPT);
  }

  private DocumentTail.Position begin(DocumentTail tail, Optional<String> since) {
    return tail.begin(actor(), TestDomain.ACME, "offers", since);
  }

  private DocumentTail.Part after(DocumentTail tail, DocumentTail.Position since) {
    return tail.after(actor(), TestDomain.ACME, "offers", since);
  }

  private List<String> told(DocumentTail tail, DocumentTail.Position since) {
    List<String> told = new ArrayList<>();
    DocumentTail.Part part = new DocumentTail.Part(List.of(), since, true);
    while (part.more()) {
      part = after(tail, part.until());
      part.told().forEach(each -> told.add(each.pk()));
    }
    return told;
  }

  private static void isBuilding(ThrowingCallable work) {
    assertThatThrownBy(work)
        .asInstanceOf(InstanceOfAssertFactories.type(VeridexException.class))
        .extracting(VeridexException::code)
        .isEqualTo(ErrorCode.INDEX_BUILDING);
  }

  /// Nothing is told of an index that is not ready, not even that there is nothing.
  @Test
  void anIndexThatIsNotReadySaysSo() {
    receive("a", "x");
    held();
    DocumentTail.Position begin = begin(tail(), Optional.empty());
    receive("b", "x");
    indexers.stop();
    indexers = feed(domain.documents().topics());
    DocumentTail tail = tail();
    isBuilding(() -> begin(tail, Optional.empty()));
    isBuilding(() -> after(tail, begin));
    clock.advance(Duration.ofSeconds(10));
    assertThat(held()).containsOnlyKeys("a", "b");
    assertThat(told(tail, begin)).containsExactly("b");
  }

  /// A place is not later than what could be found: else what the topic drops would be left out.
  @Test
  void aPlaceIsAsOldAsWhatItsIndexShowed() {
    receive("a", "x");
    held();
    DocumentTail tail = tail();
    DocumentTail.Position begin = begin(tail, Optional.empty());
    receive("b", "x");
    clock.advance(Duration.ofHours(2));
    DocumentTail.Part none = after(tail, begin);
    assertThat(none.told()).isEmpty();
    String id = tail.id(TestDomain.ACME, "offers", none.until());
    for (int hour = 0; hour < 23; hour++) {
      held();
      clock.advance(Duration.ofHours(1));
    }
    assertThatThrownBy(() -> begin(tail, Optional.of(id)))
        .asInstanceOf(InstanceOfAssertFactories.type(VeridexException.class))
        .extracting(VeridexException::code)
        .isEqualTo(ErrorCode.CURSOR_EXPIRED);
    assertThatThrownBy(() -> after(tail, none.until())).isInstanceOf(VeridexException.class);
  }

  @Test
  void whereNothingHappensNobodyFallsBehind() {
    receive("a", "x");
    held();
    DocumentTail tail = tail();
    DocumentTail.Position position = begin(tail, Optional.empty());
    for (int hour = 0; hour < 60; hour++) {
      clock.advance(Duration.ofHours(1));
      held();
      position = after(tail, position).until();
    }
    receive("b", "x");
    held();
    assertThat(told(tail, position)).containsExactly("b");
  }

  @Test
  void whatTheIndexDoesNotTakeIsNotTold() {
    indexers.stop();
    indexers = feed(domain.documents().topics(), new RefusingIndexes(indexes, "bad field"));
    receive("a", "x");
    held();
    DocumentTail tail = tail();
    DocumentTail.Position begin = begin(tail, Optional.empty());
    receive("bad", "bad field");
    receive("good", "x");
    held();
    assertThat(told(tail, begin)).containsExactly("good");
  }

  @Test
  void muchIsToldInParts() {
    receive("a", "x");
    held();
    DocumentTail tail = tail();
    DocumentTail.Position begin = begin(tail, Optional.empty());
    List<DocumentInput> documents = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      documents.add(document("d" + i, "x"));
    }
    receive(documents);
    held();
    assertThat(after(tail, begin).more()).isTrue();
    assertThat(told(tail, begin)).hasSize(2500).doesNotHaveDuplicates();
  }
}
