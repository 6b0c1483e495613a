package dev.veridex.access.check;

import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.IndexKey;
import java.util.List;
import java.util.Map;

/// The reads of a check: one immutable state of an index.
public interface CheckView extends LiveGrants {
  /// The records of a key, by the bytes of their subjects.
  List<SubjectRecord> records(IndexKey key);

  /// The permissions on an object that have a filter, by its name.
  Map<String, List<SubjectRecord>> filtered(String object);
}
