package dev.veridex.access;

import java.time.Instant;

/// An access index that is in memory alone, to try statements out where there is no server.
public final class LocalIndex {
  private final MapRecords records = Indexes.bootstrap();

  /// States something.
  public AccessIndex.Result put(Input input) {
    IndexWriter writer = new IndexWriter(records);
    AccessIndex.Result result = AccessIndex.apply(writer, input);
    writer.finish();
    return result;
  }

  /// The answer to a question, and why.
  public Trace explain(Question question) {
    IndexReader index = new IndexReader(records);
    Verdict verdict = Check.of(new View(index, Grants.NONE), question);
    return Explainer.of(index, verdict, Instant.EPOCH);
  }
}
