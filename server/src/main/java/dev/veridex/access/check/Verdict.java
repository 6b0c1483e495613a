package dev.veridex.access.check;

import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Marker;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The result of a check and all records that it is based on.
///
/// More than eight components: the trace of a check is made from all of its steps, one component
/// each.
///
/// @param rights that the subject has on the resource
/// @param subjects those for whom the subject passes, with the rights it has as each
/// @param resources those as which the resource passes, with the rights that reach it as each
/// @param exclusiveGroups the groups that the subject is in exclusively
/// @param direct the groups that the resource is directly in
/// @param filters that are active
/// @param ceiling what filters leave of rights that are not under them
/// @param matches records that grant, deny or close something
/// @param closed rights that only exclusive records grant
/// @param denied rights that are taken away
/// @param excluded whether an exclusive membership takes away everything
public record Verdict(
    CheckRequest question,
    int rights,
    Map<String, Integer> subjects,
    Map<String, Integer> resources,
    List<Edge> subjectEdges,
    List<Edge> resourceEdges,
    Set<String> exclusiveGroups,
    Set<String> direct,
    List<Cap> caps,
    List<String> filters,
    int ceiling,
    List<Match> matches,
    List<GrantedRight> approvals,
    int closed,
    int denied,
    boolean excluded) {

  /// A membership: of something in a group, with rights.
  ///
  /// @param grant the relationship that it is; absent: it comes from statements
  public record Edge(
      String from, String to, int rights, Marker marker, Optional<GrantedRight> grant) {}

  /// A filter on something.
  public record Cap(String object, String filter, int rights) {}

  /// A record that was looked at.
  ///
  /// @param ofObject the rights that reach the resource here
  /// @param reach the rights that both the subject and the resource have here; none if the record
  ///   speaks of others
  /// @param capped whether it is under the ceiling
  public record Match(IndexKey key, SubjectRecord found, int ofObject, int reach, boolean capped) {}
}
