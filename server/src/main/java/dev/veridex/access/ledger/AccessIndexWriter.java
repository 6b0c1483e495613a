package dev.veridex.access.ledger;

import dev.veridex.access.statement.BitOperations;
import dev.veridex.access.statement.Individual;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.Message;
import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// Applies messages to an index: the ledger, and by differences of contributions what is derived
/// from it. Nothing else ever writes derived records, but for a rebuild.
public final class AccessIndexWriter extends AccessIndexReader {
  private static final Contribution NOTHING =
      new Contribution(false, false, BitOperations.NONE, Marker.NONE);
  private static final byte[] EMPTY = new byte[0];

  /// So many records of a message are read together with those of others.
  private static final int FEW = 20;

  private final BufferedRecords records;
  private final FlowState before;
  private final Map<RecordId, AclRecord> changes = new HashMap<>();
  private final Map<RecordId, AclRecord> originals = new HashMap<>();
  private final BeforeImages images = new BeforeImages();
  private FlowState flow;
  private long touched;

  public AccessIndexWriter(AccessRecords.Mutable stored) {
    this(new BufferedRecords(stored));
  }

  private AccessIndexWriter(BufferedRecords records) {
    super(records);
    this.records = records;
    this.before = super.flow();
    this.flow = before;
  }

  @Override
  public FlowState flow() {
    return flow;
  }

  /// How many records the messages so far made it look at.
  public long touched() {
    return touched;
  }

  /// Whether the ledger was changed.
  public boolean isChanged() {
    return flow.changes() != before.changes();
  }

  /// The changes since this writer began.
  ///
  /// @param now the version of the index, with its changes
  /// @param time of the transaction
  public RecordChanges since(AccessIndexVersion now, Instant time) {
    return new RecordChanges(now.withChanges(before.changes()), now, changes, Map.of(), time);
  }

  /// Reads what messages will need, all at once.
  public void prepare(List<Message> messages) {
    List<byte[]> individuals = new ArrayList<>(messages.size());
    List<byte[]> named = new ArrayList<>(messages.size());
    for (Message message : messages) {
      individuals.add(AccessKeys.individual(message.id()));
      // Those with many read theirs by themselves.
      message
          .state()
          .filter(state -> state.names().size() <= FEW)
          .ifPresent(state -> state.names().forEach(id -> named.add(AccessKeys.record(id))));
    }
    records.read(RecordKind.ACCESS_LEDGER, individuals);
    read(named);
  }

  private void read(List<byte[]> keys) {
    records.read(RecordKind.ACCESS_RECORD, keys);
    if (flow.struck()) {
      records.read(RecordKind.ACCESS_STRIKE, keys);
    }
  }

  /// Reads the records that an individual contributed to.
  private void read(Set<RecordId> ids) {
    if (ids.size() > 1) {
      List<byte[]> keys = new ArrayList<>(ids.size());
      ids.forEach(id -> keys.add(AccessKeys.record(id)));
      read(keys);
    }
  }

  /// Writes what was applied.
  public void finish() {
    if (!flow.equals(before)) {
      records.put(RecordKind.ACCESS_FLOW, AccessKeys.ONE, AccessRecordCodec.encode(flow));
    }
    originals.forEach(this::remember);
    images.write(records, flow.changes());
    records.flush();
  }

  /// Keeps what a record was, under the number of the last change that comes with this one.
  private void remember(RecordId id, AclRecord original) {
    AclRecord now = changes.getOrDefault(id, original);
    if (now.equals(original)) {
      return;
    }
    records.remember(
        RecordKind.ACCESS_PAST,
        AccessKeys.past(AccessKeys.record(id), flow.changes()),
        original.isEmpty() ? EMPTY : AccessRecordCodec.encode(original));
    if (now.isEmpty()) {
      records.remember(RecordKind.ACCESS_PAST_BY_SUBJECT, AccessKeys.bySubject(id), EMPTY);
    }
  }

  /// Applies one message; [#finish] writes it.
  ///
  /// @throws dev.veridex.common.VeridexException `CORRUPT_STORE` naming a record that does not
  ///   agree with the ledger
  public MessageStatus apply(Message message) {
    Optional<LedgerEntry> known = entry(message.id());
    Ledger.Decision decision = Ledger.decide(known, flow, message);
    flow = decision.flow();
    boolean changed = decision.entry().isPresent() && change(known, decision, message);
    if (changed) {
      flow = flow.changed();
      log(message, decision);
    }
    return decision.status();
  }

  private void log(Message message, Ledger.Decision decision) {
    records.append(
        RecordKind.ACCESS_CHANGE,
        AccessRecordCodec.encode(
            new LedgerChange.Stated(
                flow.changes(),
                decision.status(),
                decision.op().orElseThrow(),
                message.id(),
                message.state().map(Individual::content))));
  }

  /// Why a message cannot be taken, whatever it says.
  public Optional<Problem> refusal(Message message) {
    return Ledger.refusal(flow, message)
        .or(() -> new MessageSize(this, records.prefixBytes()).excess(message));
  }

  /// @return whether anything changed
  private boolean change(Optional<LedgerEntry> before, Ledger.Decision decision, Message message) {
    String id = message.id();
    LedgerEntry after = decision.entry().orElseThrow();
    Op op = decision.op().orElseThrow();
    if (before.filter(after::equals).isPresent() && !decision.strikes()) {
      return false;
    }
    Map<RecordId, BitOperations> commandsBefore =
        before.filter(LedgerEntry::commands).isPresent()
            ? commands(id, Integer.MAX_VALUE)
            : Map.of();
    Map<RecordId, BitOperations> commandsAfter =
        after.commands() ? Ledger.commands(commandsBefore, after, message, op) : Map.of();
    keep(id, commandsBefore, commandsAfter);
    images.keep(
        RecordKind.ACCESS_LEDGER, AccessKeys.individual(id), before.map(AccessRecordCodec::encode));
    records.put(
        RecordKind.ACCESS_LEDGER, AccessKeys.individual(id), AccessRecordCodec.encode(after));
    logins(id, before, after);
    Map<RecordId, Contribution> contributed =
        before.map(entry -> Ledger.contributions(entry, commandsBefore)).orElse(Map.of());
    touched +=
        contributed.size()
            + commandsAfter.size()
            + message.state().map(s -> s.names().size()).orElse(0);
    read(contributed.keySet());
    message
        .state()
        .filter(state -> state.names().size() > FEW)
        .ifPresent(state -> read(Set.copyOf(state.names())));
    int bits = decision.strikes() ? message.state().orElseThrow().bits() : 0;
    Set<RecordId> struck = bits == 0 ? Set.of() : Set.copyOf(message.state().orElseThrow().names());
    struck.forEach(record -> strike(id, record, BitOperations.of(bits, op)));
    new Difference(
            id,
            before.isEmpty(),
            contributed,
            Ledger.contributions(after, commandsAfter),
            struck,
            bits,
            op)
        .apply();
    return true;
  }

  /// Remembers what an individual named as a command.
  private void keep(
      String individual, Map<RecordId, BitOperations> before, Map<RecordId, BitOperations> after) {
    after.forEach(
        (id, ops) -> {
          if (!ops.equals(before.getOrDefault(id, BitOperations.NONE))) {
            keep(individual, id, before);
            records.put(
                RecordKind.ACCESS_COMMAND,
                AccessKeys.named(individual, id),
                AccessRecordCodec.encode(ops));
          }
        });
    for (RecordId id : before.keySet()) {
      if (!after.containsKey(id)) {
        keep(individual, id, before);
        records.delete(RecordKind.ACCESS_COMMAND, AccessKeys.named(individual, id));
      }
    }
  }

  private void keep(String individual, RecordId id, Map<RecordId, BitOperations> before) {
    images.keep(
        RecordKind.ACCESS_COMMAND,
        AccessKeys.named(individual, id),
        Optional.ofNullable(before.get(id)).map(AccessRecordCodec::encode));
  }

  /// Remembers who struck: a strike is still one when its author has said something else since.
  private void strike(String individual, RecordId id, BitOperations now) {
    byte[] key = AccessKeys.named(individual, id);
    Optional<byte[]> stored = records.get(RecordKind.ACCESS_STRUCK, key);
    images.keep(RecordKind.ACCESS_STRUCK, key, stored);
    BitOperations before = stored.map(AccessRecordCodec::bitOps).orElse(BitOperations.NONE);
    records.put(RecordKind.ACCESS_STRUCK, key, AccessRecordCodec.encode(before.later(now)));
  }

  private void logins(String individual, Optional<LedgerEntry> before, LedgerEntry after) {
    if (before.isPresent()) {
      for (String login : Ledger.logins(before.get())) {
        records.delete(
            RecordKind.ACCESS_LOGIN, AccessKeys.login(login, before.get().op(), individual));
      }
    }
    for (String login : Ledger.logins(after)) {
      records.put(RecordKind.ACCESS_LOGIN, AccessKeys.login(login, after.op(), individual), EMPTY);
    }
  }

  /// The changes of derived records that follow from the change of one individual.
  private final class Difference {
    private final String individual;
    private final boolean isNew;
    private final Map<RecordId, Contribution> before;
    private final Map<RecordId, Contribution> after;
    private final Set<RecordId> struck;
    private final int struckBits;
    private final Op op;

    Difference(
        String individual,
        boolean isNew,
        Map<RecordId, Contribution> before,
        Map<RecordId, Contribution> after,
        Set<RecordId> struck,
        int struckBits,
        Op op) {
      this.individual = individual;
      this.isNew = isNew;
      this.before = before;
      this.after = after;
      this.struck = struck;
      this.struckBits = struckBits;
      this.op = op;
    }

    void apply() {
      after.forEach(
          (id, contribution) -> {
            if (!contribution.equals(before.get(id)) || struck.contains(id)) {
              apply(id);
            }
          });
      for (RecordId id : before.keySet()) {
        if (!after.containsKey(id)) {
          apply(id);
        }
      }
      for (RecordId id : struck) {
        if (!after.containsKey(id) && !before.containsKey(id)) {
          apply(id);
        }
      }
    }

    private void apply(RecordId id) {
      byte[] key = AccessKeys.record(id);
      apply(
          id,
          key,
          records
              .get(RecordKind.ACCESS_RECORD, key)
              .map(AccessRecordCodec::record)
              .orElse(AclRecord.NONE),
          flow.struck()
              ? records
                  .get(RecordKind.ACCESS_STRIKE, key)
                  .map(AccessRecordCodec::strikes)
                  .orElse(Strikes.NONE)
              : Strikes.NONE);
    }

    private void apply(RecordId id, byte[] key, AclRecord sum, Strikes strikes) {
      Strikes now = struck.contains(id) ? strikes.with(struckBits, op, individual) : strikes;
      AclRecord changed =
          sum.changed(
              before.getOrDefault(id, NOTHING).under(strikes.ops()),
              after.getOrDefault(id, NOTHING).under(now.ops()),
              id);
      if (!now.equals(strikes)) {
        images.keep(RecordKind.ACCESS_STRIKE, key, records.get(RecordKind.ACCESS_STRIKE, key));
        records.put(RecordKind.ACCESS_STRIKE, key, AccessRecordCodec.encode(now));
        changed = struck(id, changed, strikes.ops(), now.ops());
      }
      contribute(id);
      store(id, key, sum, changed);
    }

    /// What the others contribute counts less than before.
    private AclRecord struck(RecordId id, AclRecord sum, BitOperations strikes, BitOperations now) {
      AclRecord changed = sum;
      for (NamedContribution other : contributions(id)) {
        if (!other.individual().equals(individual)) {
          Contribution contribution = other.contribution();
          changed = changed.changed(contribution.under(strikes), contribution.under(now), id);
        }
      }
      return changed;
    }

    private void contribute(RecordId id) {
      Contribution then = before.get(id);
      Contribution now = after.get(id);
      if (Objects.equals(then, now)) {
        return;
      }
      byte[] key = AccessKeys.contribution(id, individual);
      if (!isNew) {
        // Of a new one the ledger knows that it was not there, which is enough.
        images.keep(
            RecordKind.ACCESS_CONTRIBUTION,
            key,
            Optional.ofNullable(then).map(AccessRecordCodec::encode));
      }
      if (now == null) {
        records.delete(RecordKind.ACCESS_CONTRIBUTION, key);
      } else {
        records.put(RecordKind.ACCESS_CONTRIBUTION, key, AccessRecordCodec.encode(now));
      }
    }

    private void store(RecordId id, byte[] key, AclRecord sum, AclRecord changed) {
      if (changed.equals(sum)) {
        return;
      }
      originals.putIfAbsent(id, sum);
      changes.put(id, changed);
      if (changed.isEmpty()) {
        records.delete(RecordKind.ACCESS_RECORD, key);
        records.delete(RecordKind.ACCESS_BY_SUBJECT, AccessKeys.bySubject(id));
        return;
      }
      records.put(RecordKind.ACCESS_RECORD, key, AccessRecordCodec.encode(changed));
      if (sum.isEmpty()) {
        records.put(RecordKind.ACCESS_BY_SUBJECT, AccessKeys.bySubject(id), EMPTY);
      }
    }
  }
}
