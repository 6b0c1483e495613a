package dev.veridex.access;

import dev.veridex.access.check.Check;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.Explainer;
import dev.veridex.access.check.Trace;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.Revision;
import dev.veridex.index.VisibleResources;
import java.util.ArrayList;
import java.util.List;

/// A state of the rights in a namespace, from which one page of a search is answered.
public final class AccessSnapshot implements AutoCloseable {
  private final AccessIndexState state;
  private int told;

  AccessSnapshot(AccessIndexState state) {
    this.state = state;
  }

  /// The resources that a subject may read in a bucket.
  public VisibleResources permitted(String subject, String bucket) {
    return state.permitted(
        subject, CheckRequest.inBucket(subject, "", bucket).implicit(), Rights.READ);
  }

  /// Whether no right of the namespace was changed since a revision.
  public boolean isUnchangedSince(Revision revision) {
    return state.isUnchangedSince(revision);
  }

  /// The revision of the state.
  public Revision revision() {
    return state.compiledRevision();
  }

  /// Traces of a subject's rights on resources of a bucket.
  ///
  /// @throws VeridexException if that is more than one answer can tell
  public List<Trace> why(String subject, List<String> resources, String bucket) {
    List<Trace> traces = new ArrayList<>();
    for (String resource : resources) {
      Trace trace =
          state.explain(Check.of(state.view(), CheckRequest.inBucket(subject, resource, bucket)));
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
