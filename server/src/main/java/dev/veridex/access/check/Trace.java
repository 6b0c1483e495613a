package dev.veridex.access.check;

import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.RecordId;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The explanation of a check: all records that had a part in it, the individuals behind each, and
/// their effect on each right. It suffices to verify the answer; [TraceVerifier] does.
///
/// More than eight components: one component for each member of the trace in answers.
///
/// @param rights the answer
/// @param time at which nothing listed here had expired
/// @param subjects those for whom the subject passes
/// @param resources those as which the resource passes
/// @param subjectMemberships how many memberships lead to the subjects
/// @param resourceMemberships how many memberships lead to the resources
/// @param filters that are active
/// @param ceiling what filters leave of rights that are not under them
/// @param ceilingBy the records of those filters, whether they leave everything or not
/// @param facts the records; elsewhere they are named by their position in this list
/// @param relationships the memberships that come from no statement
/// @param approvals of the subject on the resource
/// @param reasons one for each right, in the order `CRUD`
public record Trace(
    CheckRequest question,
    int rights,
    Instant time,
    List<ReachedId> subjects,
    List<ReachedId> resources,
    int subjectMemberships,
    int resourceMemberships,
    List<String> filters,
    int ceiling,
    List<Integer> ceilingBy,
    List<Fact> facts,
    List<GrantedRight> relationships,
    List<GrantedRight> approvals,
    List<Reason> reasons) {

  /// How many parts it has, to know how much there is to tell.
  public int size() {
    int size = subjects.size() + resources.size() + relationships.size() + approvals.size();
    for (Fact fact : facts) {
      size += 1 + fact.behind.size();
    }
    return size;
  }

  /// An id that the subject or the resource reaches through memberships.
  ///
  /// @param ways from where each of its rights came; none to where everything begins
  public record ReachedId(String id, int rights, List<LastStep> ways) {}

  /// The last step of the way to something.
  ///
  /// @param rights those that came this way
  public record LastStep(String from, int rights) {}

  /// A record of the index.
  public record Fact(RecordId id, int access, Marker marker, List<Source> behind) {}

  /// The contribution of one individual to a record.
  ///
  /// @param parts none if it names the record without any right
  public record Source(String individual, Marker marker, List<Part> parts) {}

  /// Bits of a contribution with the same operation.
  ///
  /// @param struck by whom, if they do not count any more
  public record Part(Op op, int bits, Optional<Strike> struck) {}

  /// The strike that took something away.
  public record Strike(Op op, String individual) {}

  /// The outcome of a right.
  public enum Outcome {
    /// It is there.
    GRANTED,
    /// Somebody denies it.
    DENIED,
    /// The subject is exclusively in groups that the resource is not in.
    EXCLUDED,
    /// It is granted here to others, exclusively.
    CLOSED,
    /// A filter leaves nothing of it.
    CAPPED,
    /// Nobody grants it.
    MISSING;

    /// Its name in answers.
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// The records behind the outcome of one right, by their position in the lists of the trace.
  ///
  /// More than eight components: one component for each way in which records act on a right.
  ///
  /// @param granting records that grant it, whatever becomes of it
  /// @param denying records that deny it
  /// @param capping filters that do not leave it
  /// @param closing exclusive records that grant it
  /// @param excluding exclusive memberships that take everything away
  /// @param struck records in which somebody named it, and was struck
  /// @param approvals that grant it
  public record Reason(
      int right,
      Outcome outcome,
      List<Integer> granting,
      List<Integer> denying,
      List<Integer> capping,
      List<Integer> closing,
      List<Integer> excluding,
      List<Integer> struck,
      List<Integer> approvals) {}
}
