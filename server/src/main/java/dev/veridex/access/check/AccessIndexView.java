package dev.veridex.access.check;

import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Prefix;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.Fairness;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// An index at a time, as a check sees it: of what grants give, that which has not ended.
///
/// A check of somebody in thousands of groups reads for a long time. So that it does not keep one
/// of the few carriers of virtual threads from all other requests, it lets them pass now and then.
public final class AccessIndexView implements CheckView {
  private static final int YIELD_EVERY = 32;

  private final AccessIndexReader index;
  private final Instant time;
  private final Consumer<Instant> ends;
  private int reads;

  /// @param time at which it is asked what has ended
  public AccessIndexView(AccessIndexReader index, Instant time) {
    this(index, time, _ -> {});
  }

  /// @param ends hears of the end of each live grant that is read: the answer holds until then
  public AccessIndexView(AccessIndexReader index, Instant time, Consumer<Instant> ends) {
    this.index = index;
    this.time = time;
    this.ends = ends;
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
  public List<GrantedRight> approvals(String subject, String resource) {
    pause();
    return live(index.grants(new RecordId(IndexKey.permission(resource), subject)));
  }

  @Override
  public List<GrantedRight> memberships(String member) {
    pause();
    return live(index.grants(Prefix.MEMBERSHIP, member));
  }

  private List<GrantedRight> live(List<GrantedRight> grants) {
    List<GrantedRight> live = grants.stream().filter(grant -> grant.isLive(time)).toList();
    live.forEach(grant -> grant.end().ifPresent(ends));
    return live;
  }

  /// Whether a live grant is about an object.
  public boolean bearsGrant(String object) {
    pause();
    return Stream.of(Prefix.PERMISSION, Prefix.MEMBERSHIP)
        .anyMatch(prefix -> index.anyGrant(prefix, object, grant -> grant.isLive(time)));
  }

  /// The subjects that have live approvals on a resource.
  public List<String> approved(String resource) {
    return live(index.grants(Prefix.PERMISSION, resource)).stream()
        .map(grant -> grant.id().subject())
        .distinct()
        .toList();
  }

  /// The resources on which a subject has live approvals; absent if there are too many grants to
  /// look at, ended ones among them.
  public Optional<List<String>> approvedOf(String subject, int limit) {
    return objects(Prefix.PERMISSION, subject, limit);
  }

  /// What live membership relationships put into a group; likewise.
  public Optional<List<String>> members(String group, int limit) {
    return objects(Prefix.MEMBERSHIP, group, limit);
  }

  private Optional<List<String>> objects(Prefix prefix, String subject, int limit) {
    pause();
    List<GrantedRight> granted = index.granted(prefix, subject, limit);
    return granted.size() == limit
        ? Optional.empty()
        : Optional.of(
            live(granted).stream().map(grant -> grant.id().key().object()).distinct().toList());
  }
}
