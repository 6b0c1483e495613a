package dev.veridex.access.ledger;

import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.Prefix;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.KeyRange;
import java.util.Arrays;

/// The keys of an index's records, within it.
public final class AccessKeys {
  /// The key of what there is once.
  public static final byte[] ONE = new byte[0];

  private AccessKeys() {}

  public static byte[] individual(String id) {
    return new KeyWriter().string(id).toKey();
  }

  /// The key of what an individual named, as a command or to strike it.
  static byte[] named(String individual, RecordId id) {
    return write(new KeyWriter().string(individual), id).toKey();
  }

  static RecordId ofNamed(byte[] key) {
    KeyReader reader = new KeyReader(key);
    String _ = reader.string();
    return readRecord(reader);
  }

  /// The prefix of all records of a key.
  static byte[] under(IndexKey key) {
    return write(new KeyWriter(), key).toKey();
  }

  /// The prefix of all records about an object, whatever their filter.
  static byte[] about(Prefix prefix, String object) {
    return new KeyWriter().octet(prefix.letter()).string(object).toKey();
  }

  static byte[] about(Prefix prefix) {
    return new KeyWriter().octet(prefix.letter()).toKey();
  }

  /// From where on keys are about objects after this one.
  static byte[] afterAbout(Prefix prefix, String object) {
    return object.isEmpty()
        ? about(prefix)
        : KeyRange.prefix(about(prefix, object)).to().orElseThrow();
  }

  public static byte[] record(RecordId id) {
    return write(new KeyWriter(), id).toKey();
  }

  public static RecordId ofRecord(byte[] key) {
    return readRecord(new KeyReader(key));
  }

  /// A record before a change, by the change's number.
  static byte[] past(byte[] record, long change) {
    return KeyWriter.after(record).unsigned(change).toKey();
  }

  /// The key of the record that something is the past of.
  static byte[] ofPast(byte[] key) {
    return Arrays.copyOf(key, key.length - Long.BYTES);
  }

  static long changeOfPast(byte[] key) {
    return AppendedRecord.numberOf(key);
  }

  public static byte[] contribution(RecordId id, String individual) {
    return write(new KeyWriter(), id).string(individual).toKey();
  }

  /// A contribution's record and individual.
  public record ContributionKey(RecordId id, String individual) {}

  public static ContributionKey ofContribution(byte[] key) {
    KeyReader reader = new KeyReader(key);
    return new ContributionKey(readRecord(reader), reader.string());
  }

  public static byte[] bySubject(RecordId id) {
    return write(new KeyWriter().string(id.subject()), id.key()).toKey();
  }

  public static RecordId ofSubject(byte[] key) {
    KeyReader reader = new KeyReader(key);
    String subject = reader.string();
    return new RecordId(readKey(reader), subject);
  }

  /// The key of a grant, which stands with those of the same record.
  static byte[] grant(RecordId id, String name) {
    return write(new KeyWriter(), id).string(name).toKey();
  }

  static String nameOfGrant(byte[] key) {
    KeyReader reader = new KeyReader(key);
    RecordId _ = readRecord(reader);
    return reader.string();
  }

  static byte[] grantBySubject(RecordId id, String name) {
    return write(new KeyWriter().string(id.subject()), id.key()).string(name).toKey();
  }

  /// The prefix of what is granted to a subject; of a group, what is in it.
  static byte[] granted(String subject, Prefix prefix) {
    return new KeyWriter().string(subject).octet(prefix.letter()).toKey();
  }

  /// The key of the grant that a key by subject stands for.
  static byte[] ofGrantBySubject(byte[] key) {
    KeyReader reader = new KeyReader(key);
    String subject = reader.string();
    return grant(new RecordId(readKey(reader), subject), reader.string());
  }

  static byte[] login(String login) {
    return new KeyWriter().string(login).toKey();
  }

  /// A claim of a login: the newest comes first, then the one with the smallest id.
  public static byte[] login(String login, Op op, String individual) {
    return new KeyWriter()
        .string(login)
        .descending(writer -> writer.unsigned(op.opId()).unsigned(op.n()))
        .string(individual)
        .toKey();
  }

  /// The individual that claims a login.
  public static String ofLogin(byte[] key) {
    KeyReader reader = new KeyReader(key);
    String _ = reader.string();
    Op _ = reader.descending(descending -> new Op(descending.unsigned(), descending.unsigned()));
    return reader.string();
  }

  private static KeyWriter write(KeyWriter writer, RecordId id) {
    return write(writer, id.key()).string(id.subject());
  }

  /// The object stands before the filter, so that all that is about it stands together.
  private static KeyWriter write(KeyWriter writer, IndexKey key) {
    return writer.octet(key.prefix().letter()).string(key.object()).string(key.filter());
  }

  private static IndexKey readKey(KeyReader reader) {
    Prefix prefix = Prefix.of(reader.octet());
    String object = reader.string();
    return new IndexKey(prefix, reader.string(), object);
  }

  private static RecordId readRecord(KeyReader reader) {
    IndexKey key = readKey(reader);
    return new RecordId(key, reader.string());
  }
}
