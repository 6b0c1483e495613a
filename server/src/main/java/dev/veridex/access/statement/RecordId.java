package dev.veridex.access.statement;

import java.util.Comparator;

/// The id of a record: a key and a subject.
///
/// @param subject of a permission; of a membership the group, of a filter its name
public record RecordId(IndexKey key, String subject) {
  /// Some order, the same in every run.
  public static final Comparator<RecordId> ORDER =
      Comparator.<RecordId, Prefix>comparing(id -> id.key().prefix())
          .thenComparing(id -> id.key().filter())
          .thenComparing(id -> id.key().object())
          .thenComparing(RecordId::subject);

  /// For people, in errors and integrity scans.
  @Override
  public String toString() {
    return key.text() + " " + subject;
  }
}
