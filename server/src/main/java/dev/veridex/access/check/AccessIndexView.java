package dev.veridex.access.check;

import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.common.Fairness;
import java.util.List;
import java.util.Map;

/// An index together with what is granted beside it, as a check sees both.
///
/// A check of somebody in thousands of groups reads for a long time. So that it does not keep one
/// of the few carriers of virtual threads from all other requests, it lets them pass now and then.
public final class AccessIndexView implements CheckView {
  private static final int YIELD_EVERY = 32;

  private final AccessIndexReader index;
  private final LiveGrants grants;
  private int reads;

  public AccessIndexView(AccessIndexReader index, LiveGrants grants) {
    this.index = index;
    this.grants = grants;
  }

  @Override
  public List<SubjectRecord> records(IndexKey key) {
    pause();
    return index.records(key);
  }

  @Override
  public Map<String, List<SubjectRecord>> filtered(String object) {
    pause();
    return index.filtered(object);
  }

  private void pause() {
    reads++;
    if (reads % YIELD_EVERY == 0) {
      Fairness.pause();
    }
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
