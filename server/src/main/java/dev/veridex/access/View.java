package dev.veridex.access;

import java.util.List;

/// An index together with what is granted beside it, as a check sees both.
record View(IndexReader index, Grants grants) implements AccessView {
  @Override
  public List<SubjectRecord> records(IndexKey key) {
    return index.records(key);
  }

  @Override
  public List<Approval> approvals(String subject, String resource) {
    return grants.approvals(subject, resource);
  }

  @Override
  public List<Membership> memberships(String member) {
    return grants.memberships(member);
  }
}
