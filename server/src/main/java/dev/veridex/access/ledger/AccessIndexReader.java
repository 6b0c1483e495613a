package dev.veridex.access.ledger;

import dev.veridex.access.statement.BitOperations;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.IndividualParser;
import dev.veridex.access.statement.Prefix;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Utf8Order;
import dev.veridex.store.AppendedRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Reads an index: the ledger and what was derived from it.
public class AccessIndexReader {
  private final AccessRecords records;

  public AccessIndexReader(AccessRecords records) {
    this.records = records;
  }

  /// The contribution of an individual to a record.
  public record NamedContribution(String individual, Contribution contribution) {}

  /// A writer whose changes are not written anywhere.
  public AccessIndexWriter trial() {
    return new AccessIndexWriter(new WhatIfRecords(records));
  }

  public FlowState flow() {
    return records
        .get(RecordKind.ACCESS_FLOW, AccessKeys.ONE)
        .map(AccessRecordCodec::flow)
        .orElse(FlowState.NONE);
  }

  public Optional<LedgerEntry> entry(String individual) {
    return records
        .get(RecordKind.ACCESS_LEDGER, AccessKeys.individual(individual))
        .map(AccessRecordCodec::entry);
  }

  /// All that is kept of an individual.
  ///
  /// @param limit the most of its commands, and of its strikes
  public Optional<LedgerIndividual> known(String individual, int limit) {
    return entry(individual)
        .map(
            entry ->
                new LedgerIndividual(
                    entry,
                    entry.commands() ? commands(individual, limit) : Map.of(),
                    named(RecordKind.ACCESS_STRUCK, individual, limit)));
  }

  /// The bits that an individual named as a live command, by record.
  public Map<RecordId, BitOperations> commands(String individual, int limit) {
    return named(RecordKind.ACCESS_COMMAND, individual, limit);
  }

  private Map<RecordId, BitOperations> named(RecordKind kind, String individual, int limit) {
    Map<RecordId, BitOperations> named = new TreeMap<>(RecordId.ORDER);
    records.scan(
        kind,
        AccessKeys.individual(individual),
        (key, value) -> {
          named.put(AccessKeys.ofNamed(key), AccessRecordCodec.bitOps(value));
          return named.size() < limit;
        });
    return named;
  }

  /// All records of a key, by the bytes of their subjects; those that are only still named, too.
  public List<SubjectRecord> records(IndexKey key) {
    List<SubjectRecord> found = new ArrayList<>();
    records.scan(
        RecordKind.ACCESS_RECORD,
        AccessKeys.under(key),
        (stored, value) ->
            found.add(
                new SubjectRecord(
                    AccessKeys.ofRecord(stored).subject(), AccessRecordCodec.record(value))));
    return found;
  }

  /// What grants give that a statement saying the same would contribute to a record, those that
  /// have ended among them: who asks knows what time it is.
  public List<GrantedRight> grants(RecordId id) {
    return grants(AccessKeys.record(id));
  }

  /// Who has approvals on a resource, or in which groups grants put something; likewise.
  public List<GrantedRight> grants(Prefix prefix, String object) {
    return grants(AccessKeys.about(prefix, object));
  }

  private List<GrantedRight> grants(byte[] prefix) {
    List<GrantedRight> found = new ArrayList<>();
    records.scan(
        RecordKind.ACCESS_GRANT,
        prefix,
        (key, value) -> found.add(AccessRecordCodec.grant(key, value)));
    return found;
  }

  /// On what a subject has approvals, or what grants put into a group; likewise.
  ///
  /// @param limit the most that is returned
  public List<GrantedRight> granted(Prefix prefix, String subject, int limit) {
    List<GrantedRight> found = new ArrayList<>();
    records.scan(
        RecordKind.ACCESS_GRANT_BY_SUBJECT,
        AccessKeys.granted(subject, prefix),
        (key, value) -> {
          found.add(AccessRecordCodec.grant(AccessKeys.ofGrantBySubject(key), value));
          return found.size() < limit;
        });
    return found;
  }

  /// Visits what all grants give, those of the same record one after the other; likewise.
  public void eachGrant(Predicate<GrantedRight> visitor) {
    records.scan(
        RecordKind.ACCESS_GRANT,
        AccessKeys.ONE,
        (key, value) -> visitor.test(AccessRecordCodec.grant(key, value)));
  }

  /// The same for those that are only known by subject, which never should be.
  public void eachGrantOnlyBySubject(Predicate<GrantedRight> visitor) {
    records.scan(
        RecordKind.ACCESS_GRANT_BY_SUBJECT,
        AccessKeys.ONE,
        (bySubject, value) -> {
          byte[] key = AccessKeys.ofGrantBySubject(bySubject);
          return records.get(RecordKind.ACCESS_GRANT, key).isPresent()
              || visitor.test(AccessRecordCodec.grant(key, value));
        });
  }

  /// Whether a grant about an object is such a one; looks no further than the first.
  public boolean anyGrant(Prefix prefix, String object, Predicate<GrantedRight> wanted) {
    boolean[] found = new boolean[1];
    records.scan(
        RecordKind.ACCESS_GRANT,
        AccessKeys.about(prefix, object),
        (key, value) -> {
          found[0] = wanted.test(AccessRecordCodec.grant(key, value));
          return !found[0];
        });
    return found[0];
  }

  /// Whether it has exactly this of a grant, in both directions.
  public boolean hasGrant(GrantedRight right) {
    return grants(right.id()).contains(right)
        && records
            .get(
                RecordKind.ACCESS_GRANT_BY_SUBJECT,
                AccessKeys.grantBySubject(right.id(), right.name()))
            .filter(value -> Arrays.equals(value, AccessRecordCodec.encode(right)))
            .isPresent();
  }

  /// The first object after another that a grant is about, in the order of ids.
  public Optional<String> grantedAfter(String object) {
    return objectAfter(RecordKind.ACCESS_GRANT, object);
  }

  /// The permissions on an object that have a filter, by its name.
  public Map<String, List<SubjectRecord>> filtered(String object) {
    Map<String, List<SubjectRecord>> filtered = new HashMap<>();
    records.scan(
        RecordKind.ACCESS_RECORD,
        AccessKeys.about(Prefix.PERMISSION, object),
        (stored, value) -> {
          RecordId id = AccessKeys.ofRecord(stored);
          if (!id.key().filter().isEmpty()) {
            filtered
                .computeIfAbsent(id.key().filter(), _ -> new ArrayList<>())
                .add(new SubjectRecord(id.subject(), AccessRecordCodec.record(value)));
          }
          return true;
        });
    return filtered;
  }

  /// The records that name a subject.
  public List<RecordId> naming(String subject) {
    List<RecordId> found = new ArrayList<>();
    records.scan(
        RecordKind.ACCESS_BY_SUBJECT,
        AccessKeys.individual(subject),
        (key, _) -> found.add(AccessKeys.ofSubject(key)));
    return found;
  }

  /// Whether anybody says anything about an object.
  public boolean bearsRecord(String object) {
    boolean[] found = new boolean[1];
    for (Prefix prefix : Prefix.values()) {
      records.scan(
          RecordKind.ACCESS_RECORD,
          AccessKeys.about(prefix, object),
          (_, value) -> {
            found[0] |= !AccessRecordCodec.record(value).isDeleted();
            return !found[0];
          });
    }
    return found[0];
  }

  /// The first object after another that has any record, in the order of ids.
  public Optional<String> objectAfter(String object) {
    return objectAfter(RecordKind.ACCESS_RECORD, object);
  }

  private Optional<String> objectAfter(RecordKind kind, String object) {
    Optional<String> first = Optional.empty();
    for (Prefix prefix : Prefix.values()) {
      List<String> next = new ArrayList<>(1);
      records.scan(
          kind,
          AccessKeys.about(prefix),
          AccessKeys.afterAbout(prefix, object),
          (key, _) -> {
            next.add(AccessKeys.ofRecord(key).key().object());
            return false;
          });
      if (!next.isEmpty()
          && first.filter(id -> Utf8Order.INSTANCE.compare(id, next.getFirst()) <= 0).isEmpty()) {
        first = Optional.of(next.getFirst());
      }
    }
    return first;
  }

  /// One record.
  public Optional<AclRecord> find(RecordId id) {
    return records
        .get(RecordKind.ACCESS_RECORD, AccessKeys.record(id))
        .map(AccessRecordCodec::record);
  }

  /// Whether a key has any record.
  public boolean hasRecords(IndexKey key) {
    boolean[] found = new boolean[1];
    records.scan(
        RecordKind.ACCESS_RECORD,
        AccessKeys.under(key),
        (_, _) -> {
          found[0] = true;
          return false;
        });
    return found[0];
  }

  public Strikes strikes(RecordId id) {
    return records
        .get(RecordKind.ACCESS_STRIKE, AccessKeys.record(id))
        .map(AccessRecordCodec::strikes)
        .orElse(Strikes.NONE);
  }

  /// The subjects of a key's records on which there was a strike.
  public List<String> struck(IndexKey key) {
    List<String> subjects = new ArrayList<>();
    records.scan(
        RecordKind.ACCESS_STRIKE,
        AccessKeys.under(key),
        (stored, _) -> subjects.add(AccessKeys.ofRecord(stored).subject()));
    return subjects;
  }

  /// The contributions to a record, by the ids of their individuals.
  public List<NamedContribution> contributions(RecordId id) {
    List<NamedContribution> contributions = new ArrayList<>();
    records.scan(
        RecordKind.ACCESS_CONTRIBUTION,
        AccessKeys.record(id),
        (key, value) ->
            contributions.add(
                new NamedContribution(
                    AccessKeys.ofContribution(key).individual(),
                    AccessRecordCodec.contribution(value))));
    return contributions;
  }

  /// The first change of the ledger with a number of commit order that is not less.
  public Optional<LedgerChange> changeFrom(long number) {
    List<LedgerChange> first = new ArrayList<>(1);
    changesFrom(
        number,
        (_, change) -> {
          first.add(change);
          return false;
        });
    return first.stream().findFirst();
  }

  /// Sees changes of the ledger.
  @FunctionalInterface
  public interface ChangeVisitor {
    /// Sees one, and says whether to go on.
    boolean visit(long number, LedgerChange change);
  }

  /// Visits the changes of the ledger from a number of commit order on.
  public void changesFrom(long number, ChangeVisitor visitor) {
    records.scan(
        RecordKind.ACCESS_CHANGE,
        AccessKeys.ONE,
        AppendedRecord.key(AccessKeys.ONE, number),
        (key, value) ->
            visitor.visit(AppendedRecord.numberOf(key), AccessRecordCodec.change(value)));
  }

  /// The account that has a login.
  public Optional<String> account(String login) {
    List<String> first = new ArrayList<>(1);
    records.scan(
        RecordKind.ACCESS_LOGIN,
        AccessKeys.login(IndividualParser.lowerCase(login)),
        (key, _) -> {
          first.add(AccessKeys.ofLogin(key));
          return false;
        });
    return first.stream().findFirst();
  }
}
