package dev.veridex.access.ledger;

import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Individual;
import dev.veridex.access.statement.IndividualParser;
import dev.veridex.access.statement.IndividualType;
import dev.veridex.access.statement.Message;
import dev.veridex.access.statement.Op;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.records.Incarnations;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// Finds the index of a scope in a store.
///
/// Every index begins with one statement, which lets the system create things. One that nothing was
/// written to has only that, and takes no room in the store.
public final class AccessIndexLocator {
  /// A commit is a little later than its transaction begins, and its past is to last from then.
  private static final Duration LONGEST_TRANSACTION = Duration.ofMinutes(1);

  private final Incarnations incarnations;
  private final Duration pastRetention;
  private final MemoryRecords untouched = bootstrap();

  /// @param pastRetention how long it is known what was before
  public AccessIndexLocator(Incarnations incarnations, Duration pastRetention) {
    this.incarnations = incarnations;
    this.pastRetention = pastRetention;
  }

  /// The records with which every index begins.
  public static MemoryRecords bootstrap() {
    MemoryRecords records = new MemoryRecords();
    AccessIndexWriter writer = new AccessIndexWriter(records);
    ObjectNode first = JsonRecord.object();
    first.put("@id", "cfg:VedaSystemPermission");
    first.put("rdf:type", IndividualType.STATEMENT.type());
    first.put("v-s:permissionSubject", "cfg:VedaSystem");
    first.put("v-s:permissionObject", IndexKey.ALL_RESOURCES);
    first.put("v-s:canCreate", true);
    Individual individual = IndividualParser.read(first, "");
    writer.apply(
        new Message(
            Optional.of(Op.FIRST.opId()), true, individual.id(), Optional.of(individual), ""));
    writer.finish();
    // It was there from the start: no message brought it, so no number was seen yet.
    records.delete(RecordKind.ACCESS_FLOW, AccessKeys.ONE);
    return records;
  }

  /// The number that tells an index from one that was deleted with its scope.
  public long incarnation(Reader reader, Scope scope) {
    return incarnations.of(reader, scope);
  }

  /// The index of a scope, as a reader sees it.
  public AccessIndexReader read(Reader reader, Scope scope) {
    return new AccessIndexReader(anyRecords(reader, scope));
  }

  /// The records of an index, also of one that nothing was written to.
  public AccessRecords anyRecords(Reader reader, Scope scope) {
    return records(reader, scope).<AccessRecords>map(found -> found).orElse(untouched);
  }

  /// The index of a scope, to be changed.
  public AccessIndexWriter write(Transaction transaction, Scope scope) {
    return new AccessIndexWriter(begun(transaction, scope));
  }

  /// What grants give in a scope, to be changed.
  public GrantedRightWriter writeGrants(Transaction transaction, Scope scope) {
    return new GrantedRightWriter(begun(transaction, scope), transaction.now());
  }

  private TransactionRecords begun(Transaction transaction, Scope scope) {
    long incarnation = incarnations.of(transaction, scope);
    Optional<Long> generation = generation(transaction, scope, incarnation);
    TransactionRecords changes = changes(transaction, scope, incarnation, generation.orElse(1L));
    if (generation.isEmpty()) {
      use(transaction, scope, incarnation, 1);
      untouched.copyTo(changes);
    }
    return changes;
  }

  /// The records of a generation, to be changed.
  public TransactionRecords changes(
      Transaction transaction, Scope scope, long incarnation, long generation) {
    return new TransactionRecords(
        transaction,
        scope,
        incarnation,
        generation,
        transaction.now().plus(pastRetention).plus(LONGEST_TRANSACTION));
  }

  /// The version of an index that a reader sees.
  public AccessIndexVersion version(Reader reader, Scope scope) {
    return version(reader, scope, incarnations.of(reader, scope));
  }

  /// As above, where the incarnation is known.
  public AccessIndexVersion version(Reader reader, Scope scope, long incarnation) {
    byte[] key = new KeyWriter().scope(RecordKind.ACCESS_FLOW.code(), scope, incarnation).toKey();
    return new AccessIndexVersion(
        incarnation,
        reader.get(key).map(flow -> AccessRecordCodec.flow(flow).changes()).orElse(0L));
  }

  /// The records of an index; absent if it was never written to.
  public Optional<StoredRecords> records(Reader reader, Scope scope) {
    long incarnation = incarnations.of(reader, scope);
    return generation(reader, scope, incarnation)
        .map(number -> new StoredRecords(reader, scope, incarnation, number));
  }

  public static void use(Transaction transaction, Scope scope, long incarnation, long generation) {
    transaction.put(
        generationKey(scope, incarnation), new KeyWriter().unsigned(generation).toKey());
  }

  public static Optional<Long> generation(Reader reader, Scope scope, long incarnation) {
    return reader.get(generationKey(scope, incarnation)).map(AccessRecordCodec::generation);
  }

  private static byte[] generationKey(Scope scope, long incarnation) {
    return new KeyWriter().scope(RecordKind.ACCESS_GENERATION.code(), scope, incarnation).toKey();
  }
}
