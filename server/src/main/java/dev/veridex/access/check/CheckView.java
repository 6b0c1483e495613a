package dev.veridex.access.check;

import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.IndexKey;
import java.util.List;
import java.util.Map;

/// The reads of a check: one immutable state of an index, at one time.
public interface CheckView {
  /// The records of a key, by the bytes of their subjects.
  List<SubjectRecord> records(IndexKey key);

  /// The permissions on an object that have a filter, by its name.
  Map<String, List<SubjectRecord>> filtered(String object);

  /// The live approvals of exactly this subject on exactly this resource.
  List<GrantedRight> approvals(String subject, String resource);

  /// The live membership relationships of exactly this member.
  List<GrantedRight> memberships(String member);
}
