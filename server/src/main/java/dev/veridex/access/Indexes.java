package dev.veridex.access;

import dev.veridex.access.compiled.Compiled;
import dev.veridex.access.compiled.Edit;
import dev.veridex.accounts.Incarnations;
import dev.veridex.accounts.Json;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Scope;
import dev.veridex.common.Space;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// Finds the index of a scope in a store.
///
/// Every index begins with one statement, which lets the system create things. One that nothing was
/// written to has only that, and takes no room in the store.
public final class Indexes {
  /// A commit is a little later than its transaction begins, and its past is to last from then.
  private static final Duration LONGEST_TRANSACTION = Duration.ofMinutes(1);

  private final Incarnations incarnations;
  private final Duration pastRetention;
  private final MapRecords untouched = bootstrap();

  /// @param pastRetention how long it is known what was before
  public Indexes(Incarnations incarnations, Duration pastRetention) {
    this.incarnations = incarnations;
    this.pastRetention = pastRetention;
  }

  /// What every index begins with.
  static MapRecords bootstrap() {
    MapRecords records = new MapRecords();
    IndexWriter writer = new IndexWriter(records);
    ObjectNode first = Json.object();
    first.put("@id", "cfg:VedaSystemPermission");
    first.put("rdf:type", Kind.STATEMENT.type());
    first.put("v-s:permissionSubject", "cfg:VedaSystem");
    first.put("v-s:permissionObject", IndexKey.ALL_RESOURCES);
    first.put("v-s:canCreate", true);
    Individual individual = Individuals.read(first, "");
    writer.apply(
        new Message(
            Optional.of(Op.FIRST.opId()), true, individual.id(), Optional.of(individual), ""));
    writer.finish();
    // It was there from the start: no message brought it, so no number was seen yet.
    records.delete(Space.ACCESS_FLOW, Keys.ONE);
    return records;
  }

  /// The number that tells an index from one that was deleted with its scope.
  long incarnation(Reader reader, Scope scope) {
    return incarnations.of(reader, scope);
  }

  /// The index of a scope, as a reader sees it.
  IndexReader read(Reader reader, Scope scope) {
    long incarnation = incarnations.of(reader, scope);
    return generation(reader, scope, incarnation)
        .<Records>map(number -> new StoredRecords(reader, scope, incarnation, number))
        .map(IndexReader::new)
        .orElseGet(() -> new IndexReader(untouched));
  }

  /// The index of a scope, to be changed.
  IndexWriter write(Transaction transaction, Scope scope) {
    long incarnation = incarnations.of(transaction, scope);
    Optional<Long> generation = generation(transaction, scope, incarnation);
    StoredChanges changes = changes(transaction, scope, incarnation, generation.orElse(1L));
    if (generation.isEmpty()) {
      use(transaction, scope, incarnation, 1);
      untouched.copyTo(changes);
    }
    return new IndexWriter(changes);
  }

  /// An index that nothing was written to, in memory. Each time another one, for names are added to
  /// what is in memory by whoever tries things out.
  Compiled untouched() {
    Edit edit = Compiled.empty(IndexKey.ALL_RESOURCES).edit();
    untouched.scan(
        Space.ACCESS_RECORD,
        Keys.ONE,
        (key, value) -> {
          Delta.put(edit, Keys.ofRecord(key), Codec.record(value));
          return true;
        });
    return edit.done();
  }

  /// The records of a generation, to be changed.
  StoredChanges changes(Transaction transaction, Scope scope, long incarnation, long generation) {
    return new StoredChanges(
        transaction,
        scope,
        incarnation,
        generation,
        transaction.now().plus(pastRetention).plus(LONGEST_TRANSACTION));
  }

  /// Which state of an index a reader sees; absent if nothing ever changed it.
  Optional<Version> version(Reader reader, Scope scope) {
    return version(reader, scope, incarnations.of(reader, scope));
  }

  /// As above, where the incarnation is known.
  Optional<Version> version(Reader reader, Scope scope, long incarnation) {
    byte[] key = new KeyWriter().scope(Space.ACCESS_FLOW.code(), scope, incarnation).toKey();
    return reader.get(key).map(flow -> new Version(incarnation, Codec.flow(flow).changes()));
  }

  /// The records of an index; absent if it was never written to.
  Optional<StoredRecords> records(Reader reader, Scope scope) {
    long incarnation = incarnations.of(reader, scope);
    return generation(reader, scope, incarnation)
        .map(number -> new StoredRecords(reader, scope, incarnation, number));
  }

  static void use(Transaction transaction, Scope scope, long incarnation, long generation) {
    transaction.put(
        generationKey(scope, incarnation), new KeyWriter().unsigned(generation).toKey());
  }

  static Optional<Long> generation(Reader reader, Scope scope, long incarnation) {
    return reader.get(generationKey(scope, incarnation)).map(Codec::generation);
  }

  private static byte[] generationKey(Scope scope, long incarnation) {
    return new KeyWriter().scope(Space.ACCESS_GENERATION.code(), scope, incarnation).toKey();
  }
}
