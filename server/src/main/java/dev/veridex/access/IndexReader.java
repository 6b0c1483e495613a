package dev.veridex.access;

import dev.veridex.common.Space;
import dev.veridex.common.Utf8Order;
import dev.veridex.store.Appended;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Reads an index: the ledger and what was derived from it.
class IndexReader {
  private final Records records;

  IndexReader(Records records) {
    this.records = records;
  }

  /// What an individual contributes to a record.
  record Contributed(String individual, Contribution contribution) {}

  /// A writer whose changes are not written anywhere.
  IndexWriter trial() {
    return new IndexWriter(new TrialRecords(records));
  }

  Flow flow() {
    return records.get(Space.ACCESS_FLOW, Keys.ONE).map(Codec::flow).orElse(Flow.NONE);
  }

  Optional<LedgerEntry> entry(String individual) {
    return records.get(Space.ACCESS_LEDGER, Keys.individual(individual)).map(Codec::entry);
  }

  /// All that is kept of an individual.
  ///
  /// @param limit the most of its commands, and of its strikes
  Optional<KnownIndividual> known(String individual, int limit) {
    return entry(individual)
        .map(
            entry ->
                new KnownIndividual(
                    entry,
                    entry.commands() ? commands(individual, limit) : Map.of(),
                    named(Space.ACCESS_STRUCK, individual, limit)));
  }

  /// The bits that an individual named as a live command, by record.
  Map<RecordId, BitOps> commands(String individual, int limit) {
    return named(Space.ACCESS_COMMAND, individual, limit);
  }

  private Map<RecordId, BitOps> named(Space space, String individual, int limit) {
    Map<RecordId, BitOps> named = new TreeMap<>(RecordId.ORDER);
    records.scan(
        space,
        Keys.individual(individual),
        (key, value) -> {
          named.put(Keys.ofNamed(key), Codec.bitOps(value));
          return named.size() < limit;
        });
    return named;
  }

  /// All records of a key, by the bytes of their subjects; those that are only still named, too.
  List<SubjectRecord> records(IndexKey key) {
    List<SubjectRecord> found = new ArrayList<>();
    records.scan(
        Space.ACCESS_RECORD,
        Keys.under(key),
        (stored, value) ->
            found.add(new SubjectRecord(Keys.ofRecord(stored).subject(), Codec.record(value))));
    return found;
  }

  /// The permissions on an object that have a filter, by its name.
  Map<String, List<SubjectRecord>> filtered(String object) {
    Map<String, List<SubjectRecord>> filtered = new HashMap<>();
    records.scan(
        Space.ACCESS_RECORD,
        Keys.about(Prefix.PERMISSION, object),
        (stored, value) -> {
          RecordId id = Keys.ofRecord(stored);
          if (!id.key().filter().isEmpty()) {
            filtered
                .computeIfAbsent(id.key().filter(), _ -> new ArrayList<>())
                .add(new SubjectRecord(id.subject(), Codec.record(value)));
          }
          return true;
        });
    return filtered;
  }

  /// The records that name a subject.
  List<RecordId> naming(String subject) {
    List<RecordId> found = new ArrayList<>();
    records.scan(
        Space.ACCESS_BY_SUBJECT,
        Keys.individual(subject),
        (key, _) -> found.add(Keys.ofSubject(key)));
    return found;
  }

  /// Whether anybody says anything about an object.
  boolean bearsRecord(String object) {
    boolean[] found = new boolean[1];
    for (Prefix prefix : Prefix.values()) {
      records.scan(
          Space.ACCESS_RECORD,
          Keys.about(prefix, object),
          (_, value) -> {
            found[0] |= !Codec.record(value).isDeleted();
            return !found[0];
          });
    }
    return found[0];
  }

  /// The first object after another that has any record, in the order of ids.
  Optional<String> objectAfter(String object) {
    Optional<String> first = Optional.empty();
    for (Prefix prefix : Prefix.values()) {
      List<String> next = new ArrayList<>(1);
      records.scan(
          Space.ACCESS_RECORD,
          Keys.about(prefix),
          Keys.afterAbout(prefix, object),
          (key, _) -> {
            next.add(Keys.ofRecord(key).key().object());
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
  Optional<AclRecord> find(RecordId id) {
    return records.get(Space.ACCESS_RECORD, Keys.record(id)).map(Codec::record);
  }

  /// Whether a key has any record.
  boolean hasRecords(IndexKey key) {
    boolean[] found = new boolean[1];
    records.scan(
        Space.ACCESS_RECORD,
        Keys.under(key),
        (_, _) -> {
          found[0] = true;
          return false;
        });
    return found[0];
  }

  Strikes strikes(RecordId id) {
    return records
        .get(Space.ACCESS_STRIKE, Keys.record(id))
        .map(Codec::strikes)
        .orElse(Strikes.NONE);
  }

  /// The subjects of a key's records on which there was a strike.
  List<String> struck(IndexKey key) {
    List<String> subjects = new ArrayList<>();
    records.scan(
        Space.ACCESS_STRIKE,
        Keys.under(key),
        (stored, _) -> subjects.add(Keys.ofRecord(stored).subject()));
    return subjects;
  }

  /// What individuals contribute to a record, by their ids.
  List<Contributed> contributions(RecordId id) {
    List<Contributed> contributions = new ArrayList<>();
    records.scan(
        Space.ACCESS_CONTRIBUTION,
        Keys.record(id),
        (key, value) ->
            contributions.add(
                new Contributed(Keys.ofContribution(key).individual(), Codec.contribution(value))));
    return contributions;
  }

  /// The first change of the ledger with a number of commit order that is not less.
  Optional<LoggedChange> changeFrom(long number) {
    List<LoggedChange> first = new ArrayList<>(1);
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
  interface ChangeVisitor {
    /// Sees one, and says whether to go on.
    boolean visit(long number, LoggedChange change);
  }

  /// Visits the changes of the ledger from a number of commit order on.
  void changesFrom(long number, ChangeVisitor visitor) {
    records.scan(
        Space.ACCESS_CHANGE,
        Keys.ONE,
        Appended.key(Keys.ONE, number),
        (key, value) -> visitor.visit(Appended.numberOf(key), Codec.change(value)));
  }

  /// The account that has a login.
  Optional<String> account(String login) {
    List<String> first = new ArrayList<>(1);
    records.scan(
        Space.ACCESS_LOGIN,
        Keys.login(Individuals.lowerCase(login)),
        (key, _) -> {
          first.add(Keys.ofLogin(key));
          return false;
        });
    return first.stream().findFirst();
  }
}
