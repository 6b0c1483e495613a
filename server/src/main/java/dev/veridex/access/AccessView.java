package dev.veridex.access;

import java.util.List;

/// All that a check reads: one unchanging state of an index.
public interface AccessView extends Grants {
  /// The records of a key, by the bytes of their subjects.
  List<SubjectRecord> records(IndexKey key);
}
