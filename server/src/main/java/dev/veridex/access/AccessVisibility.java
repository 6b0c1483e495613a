package dev.veridex.access;

import dev.veridex.access.compiled.Permitted;
import dev.veridex.accounts.Place;
import dev.veridex.common.Revision;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Says what subjects may see, for those who search: the same engine that answers checks, asked for
/// all resources at once.
public final class AccessVisibility {
  private final AccessStates states;

  public AccessVisibility(AccessStates states) {
    this.states = states;
  }

  /// One state of the rights in a place, in which one search is answered.
  public static final class Sight implements AutoCloseable {
    private final AccessState state;
    private int told;

    private Sight(AccessState state) {
      this.state = state;
    }

    /// The resources that a subject may read in a bucket.
    public Permitted permitted(String subject, String bucket) {
      return state.permitted(
          subject, Question.inBucket(subject, "", bucket).implicit(), Rights.READ);
    }

    /// Whether no right of the place was changed since a revision.
    public boolean isUnchangedSince(Revision revision) {
      return state.isUnchangedSince(revision);
    }

    /// Which state it is.
    public Revision revision() {
      return state.compiledRevision();
    }

    /// What a subject may do to resources of a bucket, and why.
    ///
    /// @throws VeridexException if that is more than one answer can tell
    public List<Trace> why(String subject, List<String> resources, String bucket) {
      List<Trace> traces = new ArrayList<>();
      for (String resource : resources) {
        Trace trace =
            state.explain(Check.of(state.view(), Question.inBucket(subject, resource, bucket)));
        told += trace.size();
        if (told > Explainer.MAX_PARTS) {
          throw Explainer.tooMuch();
        }
        traces.add(trace);
      }
      return traces;
    }

    @Override
    public void close() {
      state.close();
    }
  }

  /// The newest state.
  ///
  /// @param atLeast how fresh it has to be
  /// @param explained whether it will be asked why
  /// @throws VeridexException `OVERLOADED` if the index is not in memory and does not come there
  public Sight open(Place place, Optional<Revision> atLeast, boolean explained) {
    return new Sight(states.openInMemory(place, new Moment.Now(atLeast), explained));
  }
}
