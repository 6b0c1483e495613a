package dev.veridex.benchmarks;

import dev.veridex.access.compiled.AccessIndexEdit;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.CompiledIndex.Table;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexProgress;
import dev.veridex.index.IndexView;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.lucene.LuceneIndexes;
import dev.veridex.json.JsonText;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.store.FSDirectory;

/// An index of documents that are in folders, each folder a class of its own, and people in many
/// groups, each of which may read some folders.
final class VisibilityWorld implements AutoCloseable {
  static final long DOCUMENTS = SearchWorld.DOCUMENTS;
  static final int CLASSES = Integer.getInteger("classes", 200_000);
  static final List<Integer> GROUPS = List.of(10, 100, 1000, 10_000);
  static final List<Integer> PERCENT = List.of(1, 10, 50, 90);

  private static final int ALL_RIGHTS = 0xF;
  private static final int READ = 2;
  private static final int BATCH = 5000;

  private final Path folder = Data.folder();
  private final LuceneIndexes indexes = new LuceneIndexes(folder, 2);
  private final SearchIndex index = indexes.open("one");
  final IndexView view;
  final DirectoryReader reader;
  CompiledIndex rights;

  /// Somebody.
  record Person(int groups, int percent) {
    String id() {
      return "u-%d-%d".formatted(groups, percent);
    }

    String group(int number) {
      return "g-%d-%d-%d".formatted(groups, percent, number);
    }

    /// Which of the groups may read a folder; none if nobody of them may.
    Optional<Integer> reads(int number) {
      // Which folders is not a matter of their order.
      return (Integer.toUnsignedLong(number * 0x9E3779B9) * 100 >>> 32) < percent
          ? Optional.of(number % groups)
          : Optional.empty();
    }
  }

  static List<Person> people() {
    return PERCENT.stream()
        .flatMap(percent -> GROUPS.stream().map(groups -> new Person(groups, percent)))
        .toList();
  }

  VisibilityWorld() {
    long begin = System.nanoTime();
    for (long from = 0; from < DOCUMENTS; from += BATCH) {
      List<IndexChange> changes = new ArrayList<>(BATCH);
      for (long n = from; n < Math.min(DOCUMENTS, from + BATCH); n++) {
        changes.add(change(n));
      }
      index.apply(SearchRaw.schema(), changes);
    }
    index.refresh();
    index.commit(new IndexProgress(new TreeMap<>(), Instant.EPOCH));
    this.view = index.view();
    try {
      this.reader = DirectoryReader.open(FSDirectory.open(files()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    System.out.printf(
        "%,d documents in %d segments, after %.0f s%n",
        DOCUMENTS, reader.leaves().size(), (System.nanoTime() - begin) / 1e9);
    begin = System.nanoTime();
    this.rights = rights();
    System.out.printf(
        "%,d records about rights, %,d MB, after %.0f s%n%n",
        rights.records(), rights.bytes() >> 20, (System.nanoTime() - begin) / 1e9);
  }

  private Path files() {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isDirectory).findFirst().orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static IndexChange change(long n) {
    DocumentInput.Parsed read =
        (DocumentInput.Parsed) DocumentJson.read(JsonText.read(SearchData.json(n)));
    RawDocument.Builder document = read.document().toBuilder();
    for (Field.Builder field : document.getFieldsBuilderList()) {
      if (field.getName().equals("created")) {
        field.setValues(
            0,
            DocumentJson.literal(
                    JsonText.read(JsonText.write(DocumentJson.write(field.getValues(0)))),
                    FieldKind.TIMESTAMP)
                .orElseThrow());
      }
    }
    String pk = SearchData.pk(n);
    return new IndexChange(
        pk,
        new VersionTuple(1, 1, 0),
        Optional.of(new IndexChange.Entry(document.build(), Optional.empty(), List.of(pk))),
        Optional.empty());
  }

  static int folderOf(long n) {
    return (int) (n % CLASSES);
  }

  private static CompiledIndex rights() {
    AccessIndexEdit edit = CompiledIndex.empty("v-s:AllResourcesGroup").edit();
    for (long n = 0; n < DOCUMENTS; n++) {
      edit.put(Table.MEMBERSHIP, "", SearchData.pk(n), "f" + folderOf(n), 0, ALL_RIGHTS);
    }
    for (Person person : people()) {
      for (int i = 0; i < person.groups; i++) {
        edit.put(Table.MEMBERSHIP, "", person.id(), person.group(i), 0, ALL_RIGHTS);
      }
      IntStream.range(0, CLASSES)
          .forEach(
              number ->
                  person
                      .reads(number)
                      .ifPresent(
                          group ->
                              edit.put(
                                  Table.PERMISSION,
                                  "",
                                  "f" + number,
                                  person.group(group),
                                  0,
                                  READ)));
    }
    return edit.done();
  }

  /// Takes a right away, or gives it back: then everything is decided anew.
  void change(Person person, int number, boolean may) {
    AccessIndexEdit edit = rights.edit();
    person
        .reads(number)
        .ifPresent(
            group -> {
              if (may) {
                edit.put(Table.PERMISSION, "", "f" + number, person.group(group), 0, READ);
              } else {
                edit.remove(Table.PERMISSION, "", "f" + number, person.group(group));
              }
            });
    rights = edit.done();
  }

  @Override
  public void close() {
    view.close();
    try {
      reader.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    index.close();
    indexes.close();
    Data.delete(folder);
  }
}
